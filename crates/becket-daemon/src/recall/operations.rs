//! Memory operations on a reader or a transaction, with or without a daemon.

use std::path::Path;

use becket_guard::redact::redact_text;
use becket_recall::embed::{Embedder, embedding_text};
use becket_recall::inject::without_memory;
use becket_recall::prompt_injection::{PromptInjection, detect_prompt_injection};
use becket_recall::search::{
    Features, QuantisedVector, Recall, SearchFilter, SearchHit, SearchQuery, SearchResult,
};
use becket_store::{
    BatchRow, MemoryFilter, MemoryRow, MemoryStatus, Millis, NewMemory, NewVector, StoreReader,
    Trust, WriteTransaction,
};

use super::request::{
    ForgetResult, MAX_TEXT_CHARS, MemoryDetail, MemoryError, MemoryInput, MemoryListQuery,
    MemorySource, RecallHit, RecallQuery, RememberResult, SourceTurn,
};

/// The most files of a memory.
const MAX_FILES: usize = 100;
/// The most hits of a search.
const MAX_HITS: usize = 200;

pub(super) fn search(
    recall: &Recall,
    reader: &StoreReader,
    request: &RecallQuery,
) -> Result<Vec<RecallHit>, MemoryError> {
    if check_project(&request.project).is_err() {
        // There can be no memories of an invalid project.
        return Ok(Vec::new());
    }
    let limit = request.limit.clamp(1, MAX_HITS);
    let query = SearchQuery {
        filter: SearchFilter {
            kinds: &request.kinds,
            types: &request.types,
            statuses: &[],
            file: request.file.as_deref(),
            since: request.since,
            agent: request.agent.as_deref(),
        },
        least: request.min_band,
        limit,
        ..SearchQuery::new(&request.project, &request.text)
    };
    let found = recall.search(reader, &query)?;
    Ok(found.into_iter().take(limit).map(to_hit).collect())
}

fn to_hit(found: SearchResult) -> RecallHit {
    let (memory, code) = match found.hit {
        SearchHit::Memory(row) => (Some(row), None),
        SearchHit::Code(row) => (None, Some(row)),
    };
    RecallHit {
        score: found.score,
        band: found.band,
        kind: found.kind,
        why: explain_score(&found.features),
        memory,
        code,
    }
}

/// Describes where a score comes from.
fn explain_score(features: &Features) -> String {
    let mut parts = Vec::new();
    if features.query.mentions > 0.0 && features.titled > 0.0 {
        parts.push("has the name".to_owned());
    }
    match features.coverage {
        all if all >= 0.995 => parts.push("all words".to_owned()),
        some if some >= 0.01 => parts.push(format!("{:.0} % of the words", some * 100.0)),
        _ => parts.push("none of the words".to_owned()),
    }
    parts.push(
        match features.standing {
            far if far >= 4.0 => "close in meaning",
            some if some >= 2.0 => "near in meaning",
            _ => "far in meaning",
        }
        .to_owned(),
    );
    // The score is in log odds: 0.7 more is about twice the odds of the next hit.
    if features.margin > 0.7 {
        parts.push("ahead of the rest".to_owned());
    }
    parts.join(", ")
}

pub(super) fn list(
    reader: &StoreReader,
    request: &MemoryListQuery,
) -> Result<Vec<MemoryRow>, MemoryError> {
    let filter = MemoryFilter {
        project: request.project.as_deref(),
        kind: request.kind,
        status: request.status,
        session: request.session.as_deref(),
        file: request.file.as_deref(),
        limit: request.limit,
    };
    Ok(reader.memories(&filter)?)
}

/// Resolves an id, or a unique prefix of one.
pub(super) fn resolve_id(
    reader: &StoreReader,
    project: Option<&str>,
    id: &str,
) -> Result<MemoryRow, MemoryError> {
    let missing = || MemoryError::NotFound(id.chars().take(100).collect());
    if id.is_empty() {
        return Err(missing());
    }
    let mut found = reader.memories_by_id_prefix(project, id)?;
    match found.len() {
        0 => Err(missing()),
        1 => Ok(found.remove(0)),
        _ => Err(MemoryError::Ambiguous {
            id: id.to_owned(),
            candidates: found.into_iter().map(|memory| memory.id).collect(),
        }),
    }
}

pub(super) fn detail(
    reader: &StoreReader,
    project: Option<&str>,
    id: &str,
) -> Result<MemoryDetail, MemoryError> {
    let memory = resolve_id(reader, project, id)?;
    let session = match &memory.session {
        Some(session) => reader.session(session)?,
        None => None,
    };
    let (mut sources, mut turns) = (Vec::new(), Vec::new());
    for id in &memory.events {
        let activity = reader.activity(id)?;
        // A turn has the id of the event that started it.
        let turn = activity.as_ref().and_then(|one| one.batch.as_deref());
        let turn = reader.batch(turn.unwrap_or(id))?;
        turns.extend(turn.map(source_turn));
        let at = match &activity {
            Some(activity) => Some(activity.at),
            None => reader.event(id)?.map(|event| event.at),
        };
        sources.push(MemorySource {
            id: id.clone(),
            at: at.or_else(|| Millis::of_id(id)),
            tool: activity.map(|one| one.tool),
        });
    }
    turns.sort_by_key(|turn| turn.number);
    turns.dedup();
    let is_quarantined = memory.status == MemoryStatus::Quarantined;
    let suspect = detect_prompt_injection(&memory.text).filter(|_| is_quarantined);
    Ok(MemoryDetail {
        session_title: session.and_then(|session| session.title),
        sources,
        turns,
        supersedes: reader.superseded_by(&memory.id)?,
        contradicts: becket_learn::contradictions(reader, &memory.id)?,
        suspect: suspect.map(|one| one.reason().to_owned()),
        memory,
    })
}

fn source_turn(turn: BatchRow) -> SourceTurn {
    SourceTurn {
        id: turn.id,
        number: turn.number,
        prompt: turn.prompt,
    }
}

/// A validated memory, ready to be stored.
pub(super) struct CheckedMemory {
    input: MemoryInput,
    id: String,
    suspect: Option<PromptInjection>,
    vector: Option<Vec<u8>>,
    at: Millis,
}

/// Validates and embeds a memory before the transaction starts.
pub(super) fn check(
    mut input: MemoryInput,
    model: &dyn Embedder,
    at: Millis,
) -> Result<CheckedMemory, MemoryError> {
    input.text = validate_text(&input.text)?;
    check_importance(Some(input.importance))?;
    check_project(&input.project)?;
    input.files = normalize_files(&input.project, &input.files)?;
    let suspect = quarantine_reason(&input.text, input.context.as_deref(), input.trust());
    let mut hash = blake3::Hasher::new();
    for part in [
        &input.project,
        input.kind.word(),
        &input.text,
        &at.0.to_string(),
    ] {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    Ok(CheckedMemory {
        id: hash.finalize().to_hex()[..16].to_owned(),
        suspect,
        vector: embed_text(model, input.context.as_deref(), &input.text),
        input,
        at,
    })
}

/// Why a memory should be quarantined, if it looks like a prompt injection. Depends on the trust in its source.
pub(crate) fn quarantine_reason(
    text: &str,
    context: Option<&str>,
    trust: Trust,
) -> Option<PromptInjection> {
    detect_prompt_injection(text)
        .or_else(|| detect_prompt_injection(context?))
        .filter(|what| match trust {
            Trust::User => false,
            Trust::Agent => what.is_severe(),
            Trust::Tool => true,
        })
}

/// Embeds a text. Without a vector it is found by its words, and backfilled later.
pub(super) fn embed_text(
    model: &dyn Embedder,
    context: Option<&str>,
    text: &str,
) -> Option<Vec<u8>> {
    let whole = embedding_text(context.unwrap_or_default(), text);
    let vectors = model.embed_quantised(&[&whole]).ok()?;
    vectors.first().map(QuantisedVector::to_bytes)
}

pub(super) fn validate_text(text: &str) -> Result<String, MemoryError> {
    let text = text.trim();
    let why = match text.chars().count() {
        0 => "`text` is empty".to_owned(),
        1..=MAX_TEXT_CHARS => return Ok(text.to_owned()),
        more => format!("`text` has {more} characters; the limit is {MAX_TEXT_CHARS}"),
    };
    Err(MemoryError::Invalid(why))
}

/// Checks a project path. It appears in records and in names of index files, so it must not contain a secret.
pub(super) fn check_project(project: &str) -> Result<(), MemoryError> {
    let shown = redact_text(project);
    let why = if !Path::new(project).is_absolute() {
        format!("`project` must be the absolute path of a project, not `{shown}`")
    } else if shown != project {
        format!("`project` contains what looks like a secret: `{shown}`")
    } else {
        return Ok(());
    };
    Err(MemoryError::Invalid(why))
}

/// The canonical directory of a project to index.
pub(super) fn project_directory(project: &str) -> Result<String, MemoryError> {
    let root = Path::new(project);
    let real = root.canonicalize().ok().filter(|real| real.is_dir());
    let Some(real) = real
        .as_deref()
        .and_then(Path::to_str)
        .filter(|_| root.is_absolute())
    else {
        let why = format!(
            "`project` must be the absolute path of an existing directory, not `{}`",
            redact_text(project)
        );
        return Err(MemoryError::Invalid(why));
    };
    check_project(real)?;
    Ok(real.to_owned())
}

pub(super) fn check_importance(importance: Option<u8>) -> Result<(), MemoryError> {
    match importance {
        Some(1..=10) | None => Ok(()),
        Some(other) => {
            let why = format!("`importance` must be a number from 1 to 10, not {other}");
            Err(MemoryError::Invalid(why))
        }
    }
}

/// Makes paths relative to the project, without duplicates.
pub(super) fn normalize_files(project: &str, files: &[String]) -> Result<Vec<String>, MemoryError> {
    if files.len() > MAX_FILES {
        let why = format!(
            "`files` has {} entries; the limit is {MAX_FILES}",
            files.len()
        );
        return Err(MemoryError::Invalid(why));
    }
    let mut seen = Vec::new();
    for file in files {
        let inside = file
            .strip_prefix(project.trim_end_matches('/'))
            .and_then(|rest| rest.strip_prefix('/'));
        let file = inside.unwrap_or(file);
        let file = file.strip_prefix("./").unwrap_or(file).to_owned();
        if !file.is_empty() && !seen.contains(&file) {
            seen.push(file);
        }
    }
    Ok(seen)
}

pub(super) fn remember(
    transaction: &mut WriteTransaction<'_>,
    checked: &CheckedMemory,
    model: &str,
) -> Result<RememberResult, becket_store::Error> {
    let input = &checked.input;
    let events: Vec<&str> = input.events.iter().map(String::as_str).collect();
    let files: Vec<&str> = input.files.iter().map(String::as_str).collect();
    let status = match checked.suspect {
        Some(_) => MemoryStatus::Quarantined,
        None => MemoryStatus::Active,
    };
    let memory = NewMemory {
        context: input.context.as_deref(),
        importance: input.importance,
        status,
        trust: input.trust(),
        pinned: input.pinned,
        expires: input.expires,
        agent: input.agent.as_deref(),
        session: input.session.as_deref(),
        events: &events,
        files: &files,
        commit: input.commit.as_deref(),
        ..NewMemory::new(
            &checked.id,
            &input.project,
            input.kind,
            &input.text,
            checked.at,
        )
    };
    let vector = checked.vector.as_deref();
    let added = transaction.add_memory(&memory, vector.map(|bytes| NewVector { model, bytes }))?;
    Ok(RememberResult {
        id: added.id,
        new: added.new,
        status,
        suspect: checked.suspect.map(|what| what.reason().to_owned()),
    })
}

/// For a duplicate, reports the status of the stored memory.
pub(super) fn with_stored_status(
    reader: &StoreReader,
    mut result: RememberResult,
) -> Result<RememberResult, MemoryError> {
    if !result.new
        && let Some(known) = reader.memory(&result.id)?
    {
        result.status = known.status;
    }
    Ok(result)
}

pub(super) fn forget(
    transaction: &mut WriteTransaction<'_>,
    memory: &MemoryRow,
) -> Result<bool, becket_store::Error> {
    transaction.enable_secure_delete()?;
    remove_from_injections(transaction, &memory.text)?;
    transaction.forget_memory(&memory.id)
}

/// The hook name under which injected context is recorded.
const INJECTION_HOOK: &str = "recall";

/// Removes a memory's text from the recorded injections.
pub(super) fn remove_from_injections(
    transaction: &mut WriteTransaction<'_>,
    text: &str,
) -> Result<(), becket_store::Error> {
    transaction.edit_hook_outputs(INJECTION_HOOK, |output| without_memory(output, text))
}

pub(super) fn prepare_forget(
    reader: &StoreReader,
    project: Option<&str>,
    id: &str,
) -> Result<ForgetResult, MemoryError> {
    let memory = resolve_id(reader, project, id)?;
    Ok(ForgetResult {
        supersedes: reader.superseded_by(&memory.id)?,
        memory,
        traceless: false,
    })
}
