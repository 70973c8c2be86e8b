//! The work itself, over a reader or a group: the same with and without a daemon.

use std::path::Path;

use becket_guard::redact::redact_text;
use becket_recall::embed::{Embedder, composed};
use becket_recall::inject::without;
use becket_recall::search::{Features, Filter, Found, Hit, Quantised, Query, Recall};
use becket_recall::suspect::{Suspicion, suspicion};
use becket_store::{
    BatchRow, Group, MemoryFilter, MemoryRow, MemoryStatus, Millis, NewMemory, NewVector, Reader,
    Trust,
};

use super::ask::{
    Detail, Forgotten, Item, MOST_TEXT, Note, Question, Remembered, Source, TurnOf, Unanswered,
    Which,
};

/// The most files that a memory is about.
const MOST_FILES: usize = 100;
/// The most of one answer.
const MOST_FOUND: usize = 200;

pub(super) fn search(
    recall: &Recall,
    reader: &Reader,
    question: &Question,
) -> Result<Vec<Item>, Unanswered> {
    if check_project(&question.project).is_err() {
        // Nothing can be remembered of it.
        return Ok(Vec::new());
    }
    let limit = question.limit.clamp(1, MOST_FOUND);
    let query = Query {
        filter: Filter {
            kinds: &question.kinds,
            types: &question.types,
            statuses: &[],
            file: question.file.as_deref(),
            since: question.since,
            agent: question.agent.as_deref(),
        },
        least: question.least,
        limit,
        ..Query::new(&question.project, &question.text)
    };
    let found = recall.search(reader, &query)?;
    Ok(found.into_iter().take(limit).map(item).collect())
}

fn item(found: Found) -> Item {
    let (memory, code) = match found.hit {
        Hit::Memory(row) => (Some(row), None),
        Hit::Code(row) => (None, Some(row)),
    };
    Item {
        score: found.score,
        band: found.band,
        kind: found.kind,
        why: why(&found.features),
        memory,
        code,
    }
}

/// What a score comes from, in words.
fn why(features: &Features) -> String {
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
    // Twice as likely as any other.
    if features.margin > 0.7 {
        parts.push("ahead of the rest".to_owned());
    }
    parts.join(", ")
}

pub(super) fn list(reader: &Reader, which: &Which) -> Result<Vec<MemoryRow>, Unanswered> {
    let filter = MemoryFilter {
        project: which.project.as_deref(),
        kind: which.kind,
        status: which.status,
        session: which.session.as_deref(),
        file: which.file.as_deref(),
        limit: which.limit,
    };
    Ok(reader.memories(&filter)?)
}

/// The memory that is meant by an id or the beginning of one.
pub(super) fn meant(
    reader: &Reader,
    project: Option<&str>,
    id: &str,
) -> Result<MemoryRow, Unanswered> {
    let missing = || Unanswered::Missing(id.chars().take(100).collect());
    if id.is_empty() {
        return Err(missing());
    }
    let mut found = reader.memories_beginning(project, id)?;
    match found.len() {
        0 => Err(missing()),
        1 => Ok(found.remove(0)),
        _ => Err(Unanswered::Ambiguous {
            id: id.to_owned(),
            among: found.into_iter().map(|memory| memory.id).collect(),
        }),
    }
}

pub(super) fn detail(
    reader: &Reader,
    project: Option<&str>,
    id: &str,
) -> Result<Detail, Unanswered> {
    let memory = meant(reader, project, id)?;
    let session = match &memory.session {
        Some(session) => reader.session(session)?,
        None => None,
    };
    let (mut sources, mut turns) = (Vec::new(), Vec::new());
    for id in &memory.events {
        let activity = reader.activity(id)?;
        // A turn is called like the event that began it.
        let turn = activity.as_ref().and_then(|one| one.batch.as_deref());
        let turn = reader.batch(turn.unwrap_or(id))?;
        turns.extend(turn.map(turn_of));
        let at = match &activity {
            Some(activity) => Some(activity.at),
            None => reader.event(id)?.map(|event| event.at),
        };
        sources.push(Source {
            id: id.clone(),
            at: at.or_else(|| Millis::of_id(id)),
            tool: activity.map(|one| one.tool),
        });
    }
    turns.sort_by_key(|turn| turn.number);
    turns.dedup();
    let is_aside = memory.status == MemoryStatus::Quarantined;
    let suspect = suspicion(&memory.text).filter(|_| is_aside);
    Ok(Detail {
        session_title: session.and_then(|session| session.title),
        sources,
        turns,
        supersedes: reader.superseded_by(&memory.id)?,
        contradicts: becket_learn::contradictions(reader, &memory.id)?,
        suspect: suspect.map(|one| one.reason().to_owned()),
        memory,
    })
}

fn turn_of(turn: BatchRow) -> TurnOf {
    TurnOf {
        id: turn.id,
        number: turn.number,
        prompt: turn.prompt,
    }
}

/// A note that makes sense, with what it is to be kept as.
pub(super) struct Checked {
    note: Note,
    id: String,
    suspect: Option<Suspicion>,
    vector: Option<Vec<u8>>,
    at: Millis,
}

/// Looks at a note, and makes its vector, before anybody's time is taken.
pub(super) fn check(
    mut note: Note,
    model: &dyn Embedder,
    at: Millis,
) -> Result<Checked, Unanswered> {
    note.text = whole(&note.text)?;
    check_importance(Some(note.importance))?;
    check_project(&note.project)?;
    note.files = files(&note.project, &note.files)?;
    let suspect = suspected(&note.text, note.context.as_deref(), note.trust());
    let mut hash = blake3::Hasher::new();
    for part in [
        &note.project,
        note.kind.word(),
        &note.text,
        &at.0.to_string(),
    ] {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    Ok(Checked {
        id: hash.finalize().to_hex()[..16].to_owned(),
        suspect,
        vector: vector(model, note.context.as_deref(), &note.text),
        note,
        at,
    })
}

/// What is suspect about something to remember, going by who said it.
pub(crate) fn suspected(text: &str, context: Option<&str>, trust: Trust) -> Option<Suspicion> {
    suspicion(text)
        .or_else(|| suspicion(context?))
        .filter(|what| match trust {
            Trust::User => false,
            Trust::Agent => what.is_grave(),
            Trust::Tool => true,
        })
}

/// Without a vector it is found by its words, and gets one later.
pub(super) fn vector(model: &dyn Embedder, context: Option<&str>, text: &str) -> Option<Vec<u8>> {
    let whole = composed(context.unwrap_or_default(), text);
    let vectors = model.embed_quantised(&[&whole]).ok()?;
    vectors.first().map(Quantised::to_bytes)
}

pub(super) fn whole(text: &str) -> Result<String, Unanswered> {
    let text = text.trim();
    let why = match text.chars().count() {
        0 => "there is nothing to remember: `text` is empty".to_owned(),
        1..=MOST_TEXT => return Ok(text.to_owned()),
        more => format!("`text` has {more} characters; a memory has at most {MOST_TEXT}"),
    };
    Err(Unanswered::Bad(why))
}

/// A project is named by its directory, in the record and in the names of indexes, so that nothing may stand in it
/// which would be redacted elsewhere.
pub(super) fn check_project(project: &str) -> Result<(), Unanswered> {
    let shown = redact_text(project);
    let why = if !Path::new(project).is_absolute() {
        format!("`project` is the directory of a project, not `{shown}`")
    } else if shown != project {
        format!("`project` holds what looks like a secret: `{shown}`")
    } else {
        return Ok(());
    };
    Err(Unanswered::Bad(why))
}

/// The directory of a project whose files are to be read, with its links resolved.
pub(super) fn directory_of(project: &str) -> Result<String, Unanswered> {
    let root = Path::new(project);
    let real = root.canonicalize().ok().filter(|real| real.is_dir());
    let Some(real) = real
        .as_deref()
        .and_then(Path::to_str)
        .filter(|_| root.is_absolute())
    else {
        let why = format!(
            "`project` is the directory of a project, not `{}`",
            redact_text(project)
        );
        return Err(Unanswered::Bad(why));
    };
    check_project(real)?;
    Ok(real.to_owned())
}

pub(super) fn check_importance(importance: Option<u8>) -> Result<(), Unanswered> {
    match importance {
        Some(1..=10) | None => Ok(()),
        Some(other) => {
            let why = format!("`importance` is a number from 1 to 10, not {other}");
            Err(Unanswered::Bad(why))
        }
    }
}

/// Files as their project sees them.
pub(super) fn files(project: &str, files: &[String]) -> Result<Vec<String>, Unanswered> {
    if files.len() > MOST_FILES {
        let why = format!(
            "`files` has {}; at most {MOST_FILES} are noted",
            files.len()
        );
        return Err(Unanswered::Bad(why));
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
    group: &mut Group<'_>,
    checked: &Checked,
    model: &str,
) -> Result<Remembered, becket_store::Error> {
    let note = &checked.note;
    let events: Vec<&str> = note.events.iter().map(String::as_str).collect();
    let files: Vec<&str> = note.files.iter().map(String::as_str).collect();
    let status = match checked.suspect {
        Some(_) => MemoryStatus::Quarantined,
        None => MemoryStatus::Active,
    };
    let memory = NewMemory {
        context: note.context.as_deref(),
        importance: note.importance,
        status,
        trust: note.trust(),
        pinned: note.pinned,
        expires: note.expires,
        agent: note.agent.as_deref(),
        session: note.session.as_deref(),
        events: &events,
        files: &files,
        commit: note.commit.as_deref(),
        ..NewMemory::new(
            &checked.id,
            &note.project,
            note.kind,
            &note.text,
            checked.at,
        )
    };
    let vector = checked.vector.as_deref();
    let added = group.add_memory(&memory, vector.map(|bytes| NewVector { model, bytes }))?;
    Ok(Remembered {
        id: added.id,
        new: added.new,
        status,
        suspect: checked.suspect.map(|what| what.reason().to_owned()),
    })
}

/// What is known already stands as it stood.
pub(super) fn as_known(reader: &Reader, mut kept: Remembered) -> Result<Remembered, Unanswered> {
    if !kept.new
        && let Some(known) = reader.memory(&kept.id)?
    {
        kept.status = known.status;
    }
    Ok(kept)
}

pub(super) fn forget(
    group: &mut Group<'_>,
    memory: &MemoryRow,
) -> Result<bool, becket_store::Error> {
    group.delete_thoroughly()?;
    unsay(group, &memory.text)?;
    group.forget_memory(&memory.id)
}

/// What is told to agents is recorded as the output of a hook of this name.
const TOLD_BY: &str = "recall";

/// Takes what a memory said out of the record of what agents were told.
pub(super) fn unsay(group: &mut Group<'_>, text: &str) -> Result<(), becket_store::Error> {
    group.reword_outputs(TOLD_BY, |told| without(told, text))
}

pub(super) fn forgotten(
    reader: &Reader,
    project: Option<&str>,
    id: &str,
) -> Result<Forgotten, Unanswered> {
    let memory = meant(reader, project, id)?;
    Ok(Forgotten {
        supersedes: reader.superseded_by(&memory.id)?,
        memory,
        traceless: false,
    })
}
