//! Loads the recorded data of a job.

use becket_store::{
    ActivityFilter, ActivityRow, BatchDetail, BatchRow, EntryContent, Error, ExtractionJob,
    QueryScope, SessionHead, StoreReader,
};

use super::queue::is_session_end;
use crate::rules;
use crate::turn::{
    ChangedFiles, EDIT_TOOLS, LearningInput, RecordedStep, RecordedTurn, SucceededCommand,
};

/// How many earlier turns to load.
const EARLIER_TURNS: u32 = 10;

/// Maximum number of turns for a session summary.
const MAX_TURNS: usize = 200;

/// Maximum number of changes per tool, and of commands, of a project.
const MAX_ROWS: usize = 500;

/// The data of a job.
pub(super) enum LoadedJob {
    /// The record was deleted.
    Gone,
    /// The turn has not ended.
    Active,
    Turn(Box<LoadedTurn>),
    Session(Box<LoadedSession>),
}

pub(super) struct LoadedTurn {
    pub(super) session: SessionHead,
    pub(super) batch: BatchRow,
    pub(super) input: LearningInput,
}

impl LoadedTurn {
    pub(super) fn project(&self) -> Option<&str> {
        self.session.project.as_deref()
    }
}

pub(super) struct LoadedSession {
    pub(super) session: SessionHead,
    pub(super) turns: Vec<RecordedTurn>,
    /// Existing summaries of the session.
    pub(super) summaries: Vec<String>,
}

pub(super) fn load(reader: &StoreReader, job: &ExtractionJob) -> Result<LoadedJob, Error> {
    let Some(session) = reader.session_head(&job.session)? else {
        return Ok(LoadedJob::Gone);
    };
    if is_session_end(&job.batch, &job.session) {
        return load_session(reader, session);
    }
    let Some(batch) = reader.batch(&job.batch)? else {
        return Ok(LoadedJob::Gone);
    };
    if batch.status == "active" {
        return Ok(LoadedJob::Active);
    }
    load_turn(reader, session, batch)
}

fn load_turn(
    reader: &StoreReader,
    session: SessionHead,
    batch: BatchRow,
) -> Result<LoadedJob, Error> {
    let from = batch.number.saturating_sub(EARLIER_TURNS).max(1);
    let most = usize::try_from(EARLIER_TURNS).unwrap_or(10) + 1;
    let (mut details, _) = reader.turns(&session.id, from, most)?;
    details.retain(|detail| detail.batch.number <= batch.number);
    let Some(own) = details.pop().filter(|detail| detail.batch.id == batch.id) else {
        return Ok(LoadedJob::Gone);
    };
    let mut input = LearningInput {
        turn: turn(&session, &own),
        earlier: details
            .iter()
            .map(|detail| turn(&session, detail))
            .collect(),
        stats: own.stats,
        changed_files: Vec::new(),
        succeeded_commands: Vec::new(),
        project: session.project.clone(),
    };
    if let Some(project) = session
        .project
        .as_deref()
        .filter(|_| input.turn.changed_files().len() > 1)
    {
        input.changed_files = changed_files(reader, project, &batch.id)?;
    }
    if let Some(project) = session
        .project
        .as_deref()
        .filter(|project| rules::has_working_command(&input.turn, Some(project)))
    {
        input.succeeded_commands = succeeded_commands(reader, project, &batch.id)?;
    }
    Ok(LoadedJob::Turn(Box::new(LoadedTurn {
        session,
        batch,
        input,
    })))
}

fn load_session(reader: &StoreReader, session: SessionHead) -> Result<LoadedJob, Error> {
    use becket_store::{MemoryFilter, MemoryKind, MemoryStatus};
    let (details, _) = reader.turns(&session.id, 1, MAX_TURNS)?;
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
    Ok(LoadedJob::Session(Box::new(LoadedSession {
        session,
        turns,
        summaries,
    })))
}

/// A turn with the work of its subagents, in order of time. Prompts of a subagent never count as the user's, even in a
/// separate session.
fn turn(session: &SessionHead, detail: &BatchDetail) -> RecordedTurn {
    let own = detail.entries.iter();
    let entries = own.chain(
        detail
            .subagents
            .iter()
            .flat_map(|subagent| &subagent.entries),
    );
    let mut rows: Vec<&ActivityRow> = entries
        .filter_map(|entry| match &entry.what {
            EntryContent::Activity(row) => Some(row.as_ref()),
            _ => None,
        })
        .collect();
    rows.sort_by(|one, two| (one.at, &one.id).cmp(&(two.at, &two.id)));
    let mut turn = RecordedTurn::new(&detail.batch, rows);
    turn.by_person &= session.parent_reason.as_deref() != Some("subagent");
    turn
}

/// Commands that succeeded in the turns of a project, except one turn.
fn succeeded_commands(
    reader: &StoreReader,
    project: &str,
    but: &str,
) -> Result<Vec<SucceededCommand>, Error> {
    let rows = successful_uses(reader, project, "Bash")?;
    let worked = rows.into_iter().filter_map(|row| {
        Some(SucceededCommand {
            command: RecordedStep::new(&row)?.command?,
            session: row.session,
            batch: row.batch.filter(|batch| batch != but)?,
        })
    });
    Ok(worked.collect())
}

/// The latest successful calls of a tool in a project.
fn successful_uses(
    reader: &StoreReader,
    project: &str,
    tool: &str,
) -> Result<Vec<ActivityRow>, Error> {
    let filter = ActivityFilter {
        scope: QueryScope {
            project: Some(project),
            ..QueryScope::default()
        },
        tool: Some(tool),
        success: Some(true),
        limit: MAX_ROWS,
        ..ActivityFilter::default()
    };
    Ok(reader.activities(&filter)?.items)
}

/// Files that the turns of a project changed, except one turn.
fn changed_files(
    reader: &StoreReader,
    project: &str,
    but: &str,
) -> Result<Vec<ChangedFiles>, Error> {
    let mut turns: Vec<ChangedFiles> = Vec::new();
    for tool in EDIT_TOOLS {
        for row in successful_uses(reader, project, tool)? {
            let Some(batch) = row.batch.filter(|batch| batch != but) else {
                continue;
            };
            let at = turns
                .iter()
                .position(|turn| turn.batch == batch)
                .unwrap_or_else(|| {
                    turns.push(ChangedFiles {
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
