//! Tells the store what was told, once.
//!
//! Runs in the thread of the one who writes, inside a group: whether a request is an echo and what it
//! changes is settled before the next request is looked at, whoever sends it and however fast.

use std::sync::Arc;
use std::time::{Duration, Instant};

use becket_store::{Error, Group, Millis, Origin, ToolUse};

use super::clock::{Clock, Now};
use super::context::Slot;
use super::echo::Echoes;
use super::reply::Reply;
use super::told::{Told, Tool, What};
use crate::counters::Counters;

/// What is known from one request to the next.
pub(super) struct Memory {
    echoes: Echoes,
    clock: Clock,
    started: Instant,
    counters: Arc<Counters>,
    /// Groups that could not be kept, when last looked.
    failed: u64,
}

impl Memory {
    pub(super) fn new(counters: Arc<Counters>) -> Self {
        Self {
            echoes: Echoes::new(),
            clock: Clock::new(),
            started: Instant::now(),
            failed: counters.failed_commits.get(),
            counters,
        }
    }

    /// Tells the store, unless it is an echo, and gives the answer.
    pub(super) fn answer(&mut self, group: &mut Group<'_>, told: &Told) -> Result<Reply, Error> {
        let now = Now {
            wall: Millis::now(),
            steady: self.started.elapsed(),
        };
        self.answer_at(group, told, now)
    }

    fn answer_at(&mut self, group: &mut Group<'_>, told: &Told, now: Now) -> Result<Reply, Error> {
        self.take_back_what_was_lost();
        let (at, id) = self.clock.tick(now.wall);
        if told.session.is_empty() {
            // The event alone is worth keeping; there is nothing that it could be an echo in.
            tell(group, told, at, &id)?;
            return Ok(Reply::Heard);
        }
        if let Some(reply) = self.echo(group, told, now.steady)? {
            self.counters.oak_echoes.add(1);
            tracing::info!("Deduped {} of {:?}", told.what.name(), told.session);
            return Ok(reply);
        }
        let reply = tell(group, told, at, &id)?;
        self.echoes.answered(told, reply.clone(), now.steady);
        Ok(reply)
    }

    /// The batches of a group that was not committed never were. This thread commits, so that a failure is
    /// counted before the next request is seen.
    fn take_back_what_was_lost(&mut self) {
        let failed = self.counters.failed_commits.get();
        if failed != self.failed {
            self.failed = failed;
            self.echoes.take_back();
        }
    }

    fn echo(
        &mut self,
        group: &mut Group<'_>,
        told: &Told,
        now: Duration,
    ) -> Result<Option<Reply>, Error> {
        let What::Stop { response } = &told.what else {
            return Ok(self.echoes.find(told, now));
        };
        // A batch that is open was not ended by a stop before, whatever was answered then.
        if group.active_batch(&told.session)?.is_some() {
            return Ok(None);
        }
        let known = self.echoes.find(told, now);
        // The second report of a stop may be the one that brings the answer.
        let news = |reply: &Reply| {
            response.is_some()
                && matches!(
                    reply,
                    Reply::Stopped {
                        answered: false,
                        ..
                    }
                )
        };
        Ok(known.filter(|reply| !news(reply)))
    }
}

fn tell(group: &mut Group<'_>, told: &Told, at: Millis, id: &str) -> Result<Reply, Error> {
    // Many a client says where it is when it starts, and not again.
    let known = match &told.project {
        None if !told.session.is_empty() => group.project_of(&told.session)?,
        _ => None,
    };
    let origin = Origin {
        id,
        at,
        agent: &told.agent,
        session: &told.session,
        project: told.project.as_deref().or(known.as_deref()),
        transcript: told.transcript.as_deref(),
        generation: told.generation.as_deref(),
    };
    let heard = |_| Reply::Heard;
    match &told.what {
        What::SessionStart { source, parent } => group
            .session_start(&origin, source.as_deref(), parent.as_deref())
            .map(|started| Reply::SessionStarted {
                session: started.session_id,
                project: origin.project.map(str::to_owned),
                context: Slot::default(),
            }),
        What::Prompt(text) => group
            .prompt_submit(&origin, text)
            .map(|prompted| Reply::Prompted {
                batch: prompted.batch_id,
                context: Slot::default(),
            }),
        What::PreTool(tool) => group.pre_tool_use(&origin, &call(tool), None).map(heard),
        What::PostTool { tool, output } => group
            .post_tool_use(&origin, &call(tool), output.clone())
            .map(|_| Reply::ToolUsed(Slot::default())),
        What::ToolFailure { tool, error } => group
            .post_tool_use_failure(&origin, &call(tool), error)
            .map(|_| Reply::Heard),
        What::Stop { response } => {
            group
                .stop(&origin, response.as_deref())
                .map(|stopped| Reply::Stopped {
                    batch: stopped.batch_id,
                    stats: stopped.stats,
                    answered: response.is_some(),
                })
        }
        What::SessionEnd { reason } => {
            group
                .session_end(&origin, reason.as_deref())
                .map(|ended| Reply::SessionEnded {
                    stats: ended.stats,
                    memories: ended.memories,
                })
        }
        What::SubagentStart {
            id,
            kind,
            description,
        } => group
            .subagent_start(&origin, id, kind, description)
            .map(heard),
        What::SubagentStop {
            id,
            kind,
            response,
            transcript,
        } => group
            .subagent_stop(
                &origin,
                id,
                kind,
                response.as_deref(),
                transcript.as_deref(),
            )
            .map(heard),
        What::PreCompact { trigger } => group.pre_compact(&origin, trigger.as_deref()).map(heard),
        What::Thought(text) => group.agent_thought(&origin, text).map(heard),
        What::Response(text) => group.response(&origin, text).map(heard),
        What::Notice { kind, message } => {
            group.notify(&origin, kind.as_deref(), message).map(heard)
        }
    }
}

fn call(tool: &Tool) -> ToolUse<'_> {
    ToolUse {
        tool: &tool.name,
        input: tool.input.clone(),
        call_id: tool.id.as_deref(),
        duration: None,
    }
}

#[cfg(test)]
mod tests;
