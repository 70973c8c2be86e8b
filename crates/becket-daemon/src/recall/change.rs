//! Changing a memory: what it says, whether it holds, whether it is shown first.

use becket_recall::embed::Embedder;
use becket_store::{
    Group, MemoryChange, MemoryRow, MemoryStatus, Millis, NewVector, Reader, Reworded, Rewording,
};

use super::ask::{Change, Unanswered};
use super::work::{check_importance, files, meant, unsay, vector, whole};

/// A change that makes sense, of a memory that is there.
pub(super) struct Changing {
    pub(super) memory: MemoryRow,
    change: Change,
    vector: Option<Vec<u8>>,
}

pub(super) fn check(
    reader: &Reader,
    model: &dyn Embedder,
    project: Option<&str>,
    id: &str,
    mut change: Change,
) -> Result<Changing, Unanswered> {
    let memory = meant(reader, project, id)?;
    check_importance(change.importance)?;
    change.text = change.text.map(|text| whole(&text)).transpose()?;
    if let Some(list) = change.files.take() {
        change.files = Some(files(&memory.project, &list)?);
    }
    if let Some(by) = change.superseded_by.take() {
        // One of another project would lead there.
        let by = meant(reader, Some(&memory.project), &by)?;
        if by.id == memory.id {
            return Err(Unanswered::Bad(format!(
                "memory `{}` cannot take its own place",
                by.id
            )));
        }
        check_holds(&by)?;
        change.superseded_by = Some(by.id);
    } else if change.status == Some(MemoryStatus::Superseded) {
        let why = "`superseded_by` says which memory takes its place";
        return Err(Unanswered::Bad(why.to_owned()));
    }
    let is_reworded = change.text.is_some() || change.context.is_some();
    let text = change.text.as_deref().unwrap_or(&memory.text);
    let context = match &change.context {
        Some(context) => context.as_deref(),
        None => memory.context.as_deref(),
    };
    Ok(Changing {
        // What is said anew needs its vector anew, and so does what only changed its sort: old ones go.
        vector: (is_reworded || change.kind.is_some() || change.files.is_some())
            .then(|| vector(model, context, text))
            .flatten(),
        memory,
        change,
    })
}

/// What takes the place of another has to hold itself, or both would be gone.
fn check_holds(by: &MemoryRow) -> Result<(), Unanswered> {
    let is_over = by.expires.is_some_and(|end| end <= Millis::now());
    let why = match (by.status, &by.superseded_by) {
        (MemoryStatus::Active, _) if is_over => "has expired".to_owned(),
        (MemoryStatus::Active, _) => return Ok(()),
        (MemoryStatus::Superseded, Some(other)) => format!("was itself superseded by `{other}`"),
        (status, _) => format!("is {}", status.word()),
    };
    Err(Unanswered::Bad(format!(
        "memory `{}` does not hold: it {why}",
        by.id
    )))
}

/// What became of a change.
pub(super) enum Changed {
    Done,
    Missing,
    /// Another memory says so.
    Known(String),
}

impl Changed {
    pub(super) fn checked(self, id: &str) -> Result<(), Unanswered> {
        match self {
            Self::Done => Ok(()),
            Self::Missing => Err(Unanswered::Missing(id.to_owned())),
            Self::Known(other) => Err(Unanswered::Bad(format!(
                "memory `{other}` says the same; forget one of them"
            ))),
        }
    }
}

pub(super) fn change(
    group: &mut Group<'_>,
    changing: &Changing,
    model: &str,
) -> Result<Changed, becket_store::Error> {
    let (id, wanted) = (changing.memory.id.as_str(), &changing.change);
    let files: Option<Vec<&str>> = wanted
        .files
        .as_ref()
        .map(|files| files.iter().map(String::as_str).collect());
    let wording = Rewording {
        kind: wanted.kind,
        text: wanted.text.as_deref(),
        context: wanted.context.as_ref().map(Option::as_deref),
        files: files.as_deref(),
    };
    if wording != Rewording::default() {
        // What it said before is gone for good.
        group.delete_thoroughly()?;
        if changing.erases() {
            unsay(group, &changing.memory.text)?;
        }
        let vector = changing.vector.as_deref();
        let vector = vector.map(|bytes| NewVector { model, bytes });
        match group.reword_memory(id, &wording, vector)? {
            Reworded::Done => {}
            Reworded::Missing => return Ok(Changed::Missing),
            Reworded::Known(other) => return Ok(Changed::Known(other)),
        }
    }
    let change = MemoryChange {
        status: wanted.status,
        superseded_by: wanted.superseded_by.as_deref(),
        importance: wanted.importance,
        pinned: wanted.pinned,
        expires: wanted.expires,
    };
    let is_there = group.change_memory(id, &change)?;
    Ok(if is_there {
        Changed::Done
    } else {
        Changed::Missing
    })
}

impl Changing {
    /// Whether something that was said is gone, of which no trace may stay.
    pub(super) fn erases(&self) -> bool {
        self.change.text.is_some() || self.change.context.is_some()
    }
}
