//! Writes events to the store, each once.
//!
//! Runs on the writer thread, inside a transaction: the next request is only handled after this one was checked for
//! duplicates and written, so there are no races.

use std::sync::Arc;
use std::time::{Duration, Instant};

use becket_store::{Error, EventOrigin, Millis, ToolUse, WriteTransaction};

use super::clock::{ClockReading, EventClock};
use super::context::ContextSlot;
use super::dedupe::RequestDeduper;
use super::event::{OakEvent, OakEventKind, OakTool};
use super::reply::OakReply;
use crate::counters::Counters;

/// The state between requests.
pub(super) struct OakRecorder {
    deduper: RequestDeduper,
    clock: EventClock,
    started: Instant,
    counters: Arc<Counters>,
    /// The number of failed commits at the last check.
    failed_commits: u64,
}

impl OakRecorder {
    pub(super) fn new(counters: Arc<Counters>) -> Self {
        Self {
            deduper: RequestDeduper::new(),
            clock: EventClock::new(),
            started: Instant::now(),
            failed_commits: counters.failed_commits.get(),
            counters,
        }
    }

    /// Writes the event, unless it is a duplicate, and returns the reply.
    pub(super) fn handle(
        &mut self,
        transaction: &mut WriteTransaction<'_>,
        event: &OakEvent,
    ) -> Result<OakReply, Error> {
        let now = ClockReading {
            wall: Millis::now(),
            monotonic: self.started.elapsed(),
        };
        self.handle_at(transaction, event, now)
    }

    fn handle_at(
        &mut self,
        transaction: &mut WriteTransaction<'_>,
        event: &OakEvent,
        now: ClockReading,
    ) -> Result<OakReply, Error> {
        self.clear_after_failed_commit();
        let (at, id) = self.clock.tick(now.wall);
        if event.session.is_empty() {
            // Without a session only the event is stored, and it cannot be a duplicate.
            write_event(transaction, event, at, &id)?;
            return Ok(OakReply::Acknowledged);
        }
        if let Some(reply) = self.find_duplicate(transaction, event, now.monotonic)? {
            self.counters.oak_duplicates.add(1);
            tracing::info!("Deduped {} of {:?}", event.kind.name(), event.session);
            return Ok(reply);
        }
        let reply = write_event(transaction, event, at, &id)?;
        self.deduper.remember(event, reply.clone(), now.monotonic);
        Ok(reply)
    }

    /// Forgets replies after a failed commit, because the ids in them do not exist. This thread also commits, so a failure is
    /// counted before the next request.
    fn clear_after_failed_commit(&mut self) {
        let failed_commits = self.counters.failed_commits.get();
        if failed_commits != self.failed_commits {
            self.failed_commits = failed_commits;
            self.deduper.clear();
        }
    }

    fn find_duplicate(
        &mut self,
        transaction: &mut WriteTransaction<'_>,
        event: &OakEvent,
        now: Duration,
    ) -> Result<Option<OakReply>, Error> {
        let OakEventKind::Stop { response } = &event.kind else {
            return Ok(self.deduper.find(event, now));
        };
        // While a turn is open, a stop is new: no earlier stop ended this turn, even if one was answered.
        if transaction.active_batch(&event.session)?.is_some() {
            return Ok(None);
        }
        let known = self.deduper.find(event, now);
        // The second report of a stop may be the one with the answer.
        let adds_response = |reply: &OakReply| {
            response.is_some()
                && matches!(
                    reply,
                    OakReply::Stopped {
                        answered: false,
                        ..
                    }
                )
        };
        Ok(known.filter(|reply| !adds_response(reply)))
    }
}

fn write_event(
    transaction: &mut WriteTransaction<'_>,
    event: &OakEvent,
    at: Millis,
    id: &str,
) -> Result<OakReply, Error> {
    // Many clients send the project only at the start of a session.
    let known = match &event.project {
        None if !event.session.is_empty() => transaction.project_of(&event.session)?,
        _ => None,
    };
    let origin = EventOrigin {
        id,
        at,
        agent: &event.agent,
        session: &event.session,
        project: event.project.as_deref().or(known.as_deref()),
        transcript: event.transcript.as_deref(),
        generation: event.generation.as_deref(),
    };
    let acknowledged = |_| OakReply::Acknowledged;
    match &event.kind {
        OakEventKind::SessionStart { source, parent } => transaction
            .session_start(&origin, source.as_deref(), parent.as_deref())
            .map(|started| OakReply::SessionStarted {
                session: started.session_id,
                project: origin.project.map(str::to_owned),
                context: ContextSlot::default(),
            }),
        OakEventKind::Prompt(text) => {
            transaction
                .prompt_submit(&origin, text)
                .map(|prompted| OakReply::Prompted {
                    batch: prompted.batch_id,
                    context: ContextSlot::default(),
                })
        }
        OakEventKind::PreTool(tool) => transaction
            .pre_tool_use(&origin, &tool_use(tool), None)
            .map(acknowledged),
        OakEventKind::PostTool { tool, output } => transaction
            .post_tool_use(&origin, &tool_use(tool), output.clone())
            .map(|_| OakReply::ToolUsed(ContextSlot::default())),
        OakEventKind::ToolFailure { tool, error } => transaction
            .post_tool_use_failure(&origin, &tool_use(tool), error)
            .map(|_| OakReply::Acknowledged),
        OakEventKind::Stop { response } => {
            transaction
                .stop(&origin, response.as_deref())
                .map(|stopped| OakReply::Stopped {
                    batch: stopped.batch_id,
                    stats: stopped.stats,
                    answered: response.is_some(),
                })
        }
        OakEventKind::SessionEnd { reason } => transaction
            .session_end(&origin, reason.as_deref())
            .map(|ended| OakReply::SessionEnded {
                stats: ended.stats,
                memories: ended.memories,
            }),
        OakEventKind::SubagentStart {
            id,
            kind,
            description,
        } => transaction
            .subagent_start(&origin, id, kind, description)
            .map(acknowledged),
        OakEventKind::SubagentStop {
            id,
            kind,
            response,
            transcript,
        } => transaction
            .subagent_stop(
                &origin,
                id,
                kind,
                response.as_deref(),
                transcript.as_deref(),
            )
            .map(acknowledged),
        OakEventKind::PreCompact { trigger } => transaction
            .pre_compact(&origin, trigger.as_deref())
            .map(acknowledged),
        OakEventKind::Thought(text) => transaction.agent_thought(&origin, text).map(acknowledged),
        OakEventKind::Response(text) => transaction.response(&origin, text).map(acknowledged),
        OakEventKind::Notice { kind, message } => transaction
            .notify(&origin, kind.as_deref(), message)
            .map(acknowledged),
    }
}

fn tool_use(tool: &OakTool) -> ToolUse<'_> {
    ToolUse {
        tool: &tool.name,
        input: tool.input.clone(),
        call_id: tool.id.as_deref(),
        duration: None,
    }
}

#[cfg(test)]
mod tests;
