//! Following what agents do, so that what they change is found as it is now.
//!
//! A file that a call has touched is looked at again; after a turn in which commands ran, whose files nobody tells,
//! the whole project is. Only projects that a person has had indexed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use becket_store::{Reader, Shelf, StreamedEvent};
use tokio_util::sync::CancellationToken;

use super::ask::Unanswered;
use super::service::Remembering;

/// What comes within this is looked at together.
const TOGETHER: Duration = Duration::from_millis(250);
/// Events that are read at a time.
const AT_A_TIME: usize = 500;

/// What is known of the projects in which something happened.
#[derive(Default)]
struct Watched {
    /// The place up to which events were read.
    cursor: i64,
    /// Projects in which commands ran that may have changed anything.
    stale: BTreeSet<String>,
}

/// What is to be done for a project.
#[derive(Default)]
struct Todo {
    files: BTreeSet<String>,
    is_over: bool,
}

/// Follows until the daemon stops.
pub(crate) async fn follow(remembering: Remembering, stop: CancellationToken) {
    let mut latest = remembering.keeper().latest();
    let mut watched = Watched {
        cursor: *latest.borrow_and_update(),
        ..Watched::default()
    };
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            changed = latest.changed() => if changed.is_err() { return },
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(TOGETHER) => {}
        }
        latest.mark_unchanged();
        let service = remembering.clone();
        let look = tokio::task::spawn_blocking(move || {
            if let Err(error) = look(&service, &mut watched) {
                tracing::warn!("changed files could not be indexed: {error}");
            }
            watched
        });
        match look.await {
            Ok(after) => watched = after,
            Err(_) => return,
        }
    }
}

fn look(service: &Remembering, watched: &mut Watched) -> Result<(), Unanswered> {
    let reader = Reader::open(service.keeper().database())?;
    let mut todo: BTreeMap<String, Todo> = BTreeMap::new();
    loop {
        let events = reader.events_since(watched.cursor, AT_A_TIME)?;
        let Some(last) = events.last() else { break };
        watched.cursor = last.seq;
        for event in &events {
            note(&reader, event, watched, &mut todo)?;
        }
    }
    for (project, todo) in todo {
        let seq = |shelf| reader.shelf_seq(&project, shelf);
        let is_indexed = seq(Shelf::Code)? > 0;
        if !is_indexed && seq(Shelf::Memory)? == 0 {
            continue;
        }
        if is_indexed {
            service.used(&project);
        }
        let all = is_indexed && todo.is_over && watched.stale.remove(&project);
        let files = todo.files.into_iter().filter(|_| is_indexed);
        let files: Vec<String> = files.collect();
        // A project that is gone, or cannot be read now, is no reason to leave out the others.
        if let Err(error) = service.update(&project, &files, all) {
            tracing::debug!("`{project}`: {error}");
        }
    }
    Ok(())
}

fn note(
    reader: &Reader,
    event: &StreamedEvent,
    watched: &mut Watched,
    todo: &mut BTreeMap<String, Todo>,
) -> Result<(), Unanswered> {
    let Some(project) = &event.project else {
        return Ok(());
    };
    let todo = todo.entry(project.clone()).or_default();
    match event.kind.as_str() {
        "Stop" | "SessionEnd" => todo.is_over = true,
        "PostToolUse" | "PostToolUseFailure" | "FileModified" => {
            let done = reader.activity(&event.id)?;
            let files = done.and_then(|done| done.files).unwrap_or_default();
            if files.is_empty() {
                watched.stale.insert(project.clone());
            }
            todo.files.extend(files.lines().map(str::to_owned));
        }
        _ => {}
    }
    Ok(())
}
