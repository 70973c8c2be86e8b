//! What was recorded of a job.

use becket_store::{
    ActivityFilter, ActivityRow, BatchDetail, BatchRow, Error, Extraction, Reader, Scope,
    SessionHead, What,
};

use super::queue::is_end;
use crate::rules;
use crate::turn::{CHANGING, ChangedTogether, Material, Step, Turn, Worked};

/// As many turns before are looked at.
const BEFORE: u32 = 10;

/// As many turns of a session are told of.
const MOST_TURNS: usize = 200;

/// As many changes of a project are looked at, for each tool, and as many commands.
const MOST_CHANGES: usize = 500;

/// What a job is about.
pub(super) enum Loaded {
    /// It was recorded, and is not any more.
    Gone,
    /// It is not over.
    Active,
    Turn(Box<LoadedTurn>),
    Session(Box<LoadedSession>),
}

pub(super) struct LoadedTurn {
    pub(super) session: SessionHead,
    pub(super) batch: BatchRow,
    pub(super) material: Material,
}

impl LoadedTurn {
    pub(super) fn project(&self) -> Option<&str> {
        self.session.project.as_deref()
    }
}

pub(super) struct LoadedSession {
    pub(super) session: SessionHead,
    pub(super) turns: Vec<Turn>,
    /// Summaries of it that are known.
    pub(super) summaries: Vec<String>,
}

pub(super) fn load(reader: &Reader, job: &Extraction) -> Result<Loaded, Error> {
    let Some(session) = reader.session_head(&job.session)? else {
        return Ok(Loaded::Gone);
    };
    if is_end(&job.batch, &job.session) {
        return load_session(reader, session);
    }
    let Some(batch) = reader.batch(&job.batch)? else {
        return Ok(Loaded::Gone);
    };
    if batch.status == "active" {
        return Ok(Loaded::Active);
    }
    load_turn(reader, session, batch)
}

fn load_turn(reader: &Reader, session: SessionHead, batch: BatchRow) -> Result<Loaded, Error> {
    let from = batch.number.saturating_sub(BEFORE).max(1);
    let most = usize::try_from(BEFORE).unwrap_or(10) + 1;
    let (mut details, _) = reader.turns(&session.id, from, most)?;
    details.retain(|detail| detail.batch.number <= batch.number);
    let Some(own) = details.pop().filter(|detail| detail.batch.id == batch.id) else {
        return Ok(Loaded::Gone);
    };
    let mut material = Material {
        turn: turn(&session, &own),
        earlier: details
            .iter()
            .map(|detail| turn(&session, detail))
            .collect(),
        stats: own.stats,
        history: Vec::new(),
        worked: Vec::new(),
        project: session.project.clone(),
    };
    if let Some(project) = session
        .project
        .as_deref()
        .filter(|_| material.turn.changed_files().len() > 1)
    {
        material.history = history(reader, project, &batch.id)?;
    }
    if let Some(project) = session
        .project
        .as_deref()
        .filter(|project| rules::may_tell(&material.turn, Some(project)))
    {
        material.worked = worked(reader, project, &batch.id)?;
    }
    Ok(Loaded::Turn(Box::new(LoadedTurn {
        session,
        batch,
        material,
    })))
}

fn load_session(reader: &Reader, session: SessionHead) -> Result<Loaded, Error> {
    use becket_store::{MemoryFilter, MemoryKind, MemoryStatus};
    let (details, _) = reader.turns(&session.id, 1, MOST_TURNS)?;
    let filter = MemoryFilter {
        kind: Some(MemoryKind::SessionSummary),
        status: Some(MemoryStatus::Active),
        session: Some(&session.id),
        limit: 10,
        ..MemoryFilter::default()
    };
    let summaries = reader
        .memories(&filter)?
        .into_iter()
        .map(|row| row.id)
        .collect();
    let turns = details
        .iter()
        .map(|detail| turn(&session, detail))
        .collect();
    Ok(Loaded::Session(Box::new(LoadedSession {
        session,
        turns,
        summaries,
    })))
}

/// A turn with what its subagents did, in order of time. A subagent's prompts are an agent's, also where it has a session
/// of its own.
fn turn(session: &SessionHead, detail: &BatchDetail) -> Turn {
    let own = detail.entries.iter();
    let entries = own.chain(
        detail
            .subagents
            .iter()
            .flat_map(|subagent| &subagent.entries),
    );
    let mut rows: Vec<&ActivityRow> = entries
        .filter_map(|entry| match &entry.what {
            What::Activity(row) => Some(row.as_ref()),
            _ => None,
        })
        .collect();
    rows.sort_by(|one, two| (one.at, &one.id).cmp(&(two.at, &two.id)));
    let mut turn = Turn::new(&detail.batch, rows);
    turn.by_person &= session.parent_reason.as_deref() != Some("subagent");
    turn
}

/// Which commands worked in the turns of a project, but for one turn.
fn worked(reader: &Reader, project: &str, but: &str) -> Result<Vec<Worked>, Error> {
    let rows = succeeded(reader, project, "Bash")?;
    let worked = rows.into_iter().filter_map(|row| {
        Some(Worked {
            command: Step::new(&row)?.command?,
            session: row.session,
            batch: row.batch.filter(|batch| batch != but)?,
        })
    });
    Ok(worked.collect())
}

/// The latest uses of a tool in a project that worked.
fn succeeded(reader: &Reader, project: &str, tool: &str) -> Result<Vec<ActivityRow>, Error> {
    let filter = ActivityFilter {
        scope: Scope {
            project: Some(project),
            ..Scope::default()
        },
        tool: Some(tool),
        success: Some(true),
        limit: MOST_CHANGES,
        ..ActivityFilter::default()
    };
    Ok(reader.activities(&filter)?.items)
}

/// Which files the turns of a project changed, but for one turn.
fn history(reader: &Reader, project: &str, but: &str) -> Result<Vec<ChangedTogether>, Error> {
    let mut turns: Vec<ChangedTogether> = Vec::new();
    for tool in CHANGING {
        for row in succeeded(reader, project, tool)? {
            let Some(batch) = row.batch.filter(|batch| batch != but) else {
                continue;
            };
            let at = turns
                .iter()
                .position(|turn| turn.batch == batch)
                .unwrap_or_else(|| {
                    turns.push(ChangedTogether {
                        session: row.session.clone(),
                        batch,
                        files: Vec::new(),
                    });
                    turns.len() - 1
                });
            for file in row.files.as_deref().unwrap_or_default().lines() {
                if !turns[at].files.iter().any(|known| known == file) {
                    turns[at].files.push(file.to_owned());
                }
            }
        }
    }
    Ok(turns)
}
