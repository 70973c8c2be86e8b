//! Follows recorded events, so that the index reflects what agents changed.
//!
//! The files of a tool call are indexed again. After a turn with shell commands, whose files are unknown, the whole
//! project is rescanned. Only projects that the user indexed are followed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use becket_store::{CorpusKind, StoreReader, StreamedEvent};
use tokio_util::sync::CancellationToken;

use super::request::MemoryError;
use super::service::MemoryService;

/// Events within this time are handled together.
const DEBOUNCE: Duration = Duration::from_millis(250);
/// Events read per query.
const PAGE_SIZE: usize = 500;

/// The position in the event stream, and projects with unknown changes.
#[derive(Default)]
struct FollowState {
    /// The sequence number of the last event read.
    cursor: i64,
    /// Projects in which commands ran that may have changed any file.
    stale: BTreeSet<String>,
}

/// The pending work for a project.
#[derive(Default)]
struct ProjectUpdate {
    files: BTreeSet<String>,
    turn_ended: bool,
}

/// Follows events until the daemon stops.
pub(crate) async fn follow_events(memory: MemoryService, stop: CancellationToken) {
    let mut last_seq = memory.store().last_seq();
    let mut state = FollowState {
        cursor: *last_seq.borrow_and_update(),
        ..FollowState::default()
    };
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            changed = last_seq.changed() => if changed.is_err() { return },
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(DEBOUNCE) => {}
        }
        last_seq.mark_unchanged();
        let service = memory.clone();
        let work = tokio::task::spawn_blocking(move || {
            if let Err(error) = process_new_events(&service, &mut state) {
                tracing::warn!("cannot index changed files: {error}");
            }
            state
        });
        match work.await {
            Ok(after) => state = after,
            Err(_) => return,
        }
    }
}

fn process_new_events(service: &MemoryService, state: &mut FollowState) -> Result<(), MemoryError> {
    let reader = StoreReader::open(service.store().database_path())?;
    let mut updates: BTreeMap<String, ProjectUpdate> = BTreeMap::new();
    loop {
        let events = reader.events_since(state.cursor, PAGE_SIZE)?;
        let Some(last) = events.last() else { break };
        state.cursor = last.seq;
        for event in &events {
            record_event(&reader, event, state, &mut updates)?;
        }
    }
    for (project, update) in updates {
        let seq = |shelf| reader.corpus_seq(&project, shelf);
        let is_indexed = seq(CorpusKind::Code)? > 0;
        if !is_indexed && seq(CorpusKind::Memory)? == 0 {
            continue;
        }
        if is_indexed {
            service.project_used(&project);
        }
        let all = is_indexed && update.turn_ended && state.stale.remove(&project);
        let files = update.files.into_iter().filter(|_| is_indexed);
        let files: Vec<String> = files.collect();
        // A project that is missing or unreadable must not block the others.
        if let Err(error) = service.update_files(&project, &files, all) {
            tracing::debug!("`{project}`: {error}");
        }
    }
    Ok(())
}

fn record_event(
    reader: &StoreReader,
    event: &StreamedEvent,
    state: &mut FollowState,
    updates: &mut BTreeMap<String, ProjectUpdate>,
) -> Result<(), MemoryError> {
    let Some(project) = &event.project else {
        return Ok(());
    };
    let update = updates.entry(project.clone()).or_default();
    match event.kind.as_str() {
        "Stop" | "SessionEnd" => update.turn_ended = true,
        "PostToolUse" | "PostToolUseFailure" | "FileModified" => {
            let done = reader.activity(&event.id)?;
            let files = done.and_then(|done| done.files).unwrap_or_default();
            if files.is_empty() {
                state.stale.insert(project.clone());
            }
            update.files.extend(files.lines().map(str::to_owned));
        }
        _ => {}
    }
    Ok(())
}
