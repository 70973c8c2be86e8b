//! Edits a memory: its text, its status, whether it is pinned.

use becket_recall::embed::Embedder;
use becket_store::{
    EditResult, MemoryChange, MemoryEdit, MemoryRow, MemoryStatus, Millis, NewVector, StoreReader,
    WriteTransaction,
};

use super::operations::{
    check_importance, embed_text, normalize_files, remove_from_injections, resolve_id,
    validate_text,
};
use super::request::{MemoryError, MemoryPatch};

/// A validated edit of an existing memory.
pub(super) struct CheckedEdit {
    pub(super) memory: MemoryRow,
    edit: MemoryPatch,
    vector: Option<Vec<u8>>,
}

pub(super) fn check(
    reader: &StoreReader,
    model: &dyn Embedder,
    project: Option<&str>,
    id: &str,
    mut edit: MemoryPatch,
) -> Result<CheckedEdit, MemoryError> {
    let memory = resolve_id(reader, project, id)?;
    check_importance(edit.importance)?;
    edit.text = edit.text.map(|text| validate_text(&text)).transpose()?;
    if let Some(list) = edit.files.take() {
        edit.files = Some(normalize_files(&memory.project, &list)?);
    }
    if let Some(by) = edit.superseded_by.take() {
        // The replacing memory must be of the same project.
        let by = resolve_id(reader, Some(&memory.project), &by)?;
        if by.id == memory.id {
            return Err(MemoryError::Invalid(format!(
                "memory `{}` cannot replace itself",
                by.id
            )));
        }
        check_active(&by)?;
        edit.superseded_by = Some(by.id);
    } else if edit.status == Some(MemoryStatus::Superseded) {
        let why = "`superseded_by` must name the memory that replaces it";
        return Err(MemoryError::Invalid(why.to_owned()));
    }
    let is_reworded = edit.text.is_some() || edit.context.is_some();
    let text = edit.text.as_deref().unwrap_or(&memory.text);
    let context = match &edit.context {
        Some(context) => context.as_deref(),
        None => memory.context.as_deref(),
    };
    Ok(CheckedEdit {
        // An edit of the type or the files deletes the old vector as well, so embed again.
        vector: (is_reworded || edit.kind.is_some() || edit.files.is_some())
            .then(|| embed_text(model, context, text))
            .flatten(),
        memory,
        edit,
    })
}

/// Checks that the replacing memory is active; otherwise neither would be found.
fn check_active(by: &MemoryRow) -> Result<(), MemoryError> {
    let is_over = by.expires.is_some_and(|end| end <= Millis::now());
    let why = match (by.status, &by.superseded_by) {
        (MemoryStatus::Active, _) if is_over => "has expired".to_owned(),
        (MemoryStatus::Active, _) => return Ok(()),
        (MemoryStatus::Superseded, Some(other)) => format!("was itself superseded by `{other}`"),
        (status, _) => format!("is {}", status.word()),
    };
    Err(MemoryError::Invalid(format!(
        "memory `{}` cannot replace another: it {why}",
        by.id
    )))
}

/// The outcome of an edit.
pub(super) enum EditOutcome {
    Done,
    Missing,
    /// Another memory has the same text.
    Duplicate(String),
}

impl EditOutcome {
    pub(super) fn into_result(self, id: &str) -> Result<(), MemoryError> {
        match self {
            Self::Done => Ok(()),
            Self::Missing => Err(MemoryError::NotFound(id.to_owned())),
            Self::Duplicate(other) => Err(MemoryError::Invalid(format!(
                "memory `{other}` has the same text; forget one of them"
            ))),
        }
    }
}

pub(super) fn apply(
    transaction: &mut WriteTransaction<'_>,
    checked: &CheckedEdit,
    model: &str,
) -> Result<EditOutcome, becket_store::Error> {
    let (id, edit) = (checked.memory.id.as_str(), &checked.edit);
    let files: Option<Vec<&str>> = edit
        .files
        .as_ref()
        .map(|files| files.iter().map(String::as_str).collect());
    let wording = MemoryEdit {
        kind: edit.kind,
        text: edit.text.as_deref(),
        context: edit.context.as_ref().map(Option::as_deref),
        files: files.as_deref(),
    };
    if wording != MemoryEdit::default() {
        // The old text must not remain in the database file.
        transaction.enable_secure_delete()?;
        if checked.erases_text() {
            remove_from_injections(transaction, &checked.memory.text)?;
        }
        let vector = checked.vector.as_deref();
        let vector = vector.map(|bytes| NewVector { model, bytes });
        match transaction.edit_memory(id, &wording, vector)? {
            EditResult::Done => {}
            EditResult::Missing => return Ok(EditOutcome::Missing),
            EditResult::Duplicate(other) => return Ok(EditOutcome::Duplicate(other)),
        }
    }
    let change = MemoryChange {
        status: edit.status,
        superseded_by: edit.superseded_by.as_deref(),
        importance: edit.importance,
        pinned: edit.pinned,
        expires: edit.expires,
    };
    let is_there = transaction.change_memory(id, &change)?;
    Ok(if is_there {
        EditOutcome::Done
    } else {
        EditOutcome::Missing
    })
}

impl CheckedEdit {
    /// Whether the edit removes text, of which no trace may remain.
    pub(super) fn erases_text(&self) -> bool {
        self.edit.text.is_some() || self.edit.context.is_some()
    }
}
