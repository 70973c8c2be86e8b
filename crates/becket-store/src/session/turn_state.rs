//! The turn state machine: assigns events to batches (turns) and determines when they end.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{EventPosition, StopOutcome, TurnEffect};
use crate::millis::Millis;
use crate::prompt::PromptSource;

/// Activity within this time after a stop belongs to the same batch.
const REOPEN_WINDOW: Duration = Duration::from_secs(60);

/// A second report within this time is of the same compaction.
const COMPACTION_WINDOW: Duration = Duration::from_secs(30);

/// Why a batch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BatchEnd {
    Stop,
    Failure,
    Prompt,
    Restart,
    SessionEnd,
    Idle,
}

impl BatchEnd {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::Failure => "failure",
            Self::Prompt => "prompt",
            Self::Restart => "restart",
            Self::SessionEnd => "session_end",
            Self::Idle => "idle",
        }
    }
}

/// A change of a batch that follows from an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BatchChange {
    /// The event begins a new batch.
    Open { number: u32, source: PromptSource },
    /// The batch `id` ended.
    Close {
        id: String,
        at: Millis,
        last_at: Millis,
        by: BatchEnd,
    },
    /// The last event of batch `id`; a new batch follows.
    Touch { id: String, last_at: Millis },
    /// The batch continues after it had ended.
    Reopen { id: String },
    /// The event contains the batch's answer.
    SetResponse { id: String },
    /// The event contains the batch's plan.
    SetPlan { id: String },
    /// The event repeats the batch's prompt.
    CountRepeat { id: String },
    /// The event contains the prompt's text, which was redacted so far.
    SetSource { id: String, source: PromptSource },
}

/// The batch of an event, and the changes that follow from it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct EventPlacement {
    pub(crate) batch: Option<String>,
    pub(crate) duplicate_of: Option<String>,
    pub(crate) changes: Vec<BatchChange>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LatestBatch {
    id: String,
    last_at: Millis,
    closed: Option<(Millis, BatchEnd)>,
    responded: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LastPrompt {
    id: String,
    /// The hash of the text, once a report contains it.
    hash: Option<String>,
    /// The hash of the placeholder, if telemetry redacted the text.
    #[serde(default, rename = "untold")]
    redacted_hash: Option<String>,
    #[serde(default)]
    lengths: Vec<u64>,
    generation: Option<String>,
    /// No event has followed the prompt.
    fresh: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SessionEnd {
    pub(crate) at: Millis,
    pub(crate) reason: Option<String>,
    idle: bool,
}

/// The turn state of a session after the events applied so far. Stored as JSON in `sessions.course`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct TurnState {
    #[serde(rename = "folded")]
    applied_up_to: Option<EventPosition>,
    batches: u32,
    latest: Option<LatestBatch>,
    /// The ids of batches that continued after they had ended.
    reopened: BTreeSet<String>,
    prompt: Option<LastPrompt>,
    compacting: Option<EventPosition>,
    ended: Option<SessionEnd>,
}

impl TurnState {
    /// Whether `position` is after all applied events.
    pub(crate) fn precedes(&self, position: &EventPosition) -> bool {
        self.applied_up_to
            .as_ref()
            .is_none_or(|applied| applied < position)
    }

    pub(crate) fn ended(&self) -> Option<&SessionEnd> {
        self.ended.as_ref()
    }

    /// The latest batch and the time of its last event.
    pub(crate) fn latest(&self) -> Option<(&str, Millis)> {
        let latest = self.latest.as_ref()?;
        Some((&latest.id, latest.last_at))
    }

    /// Whether a batch continued after it had ended.
    pub(crate) fn was_reopened(&self, batch: &str) -> bool {
        self.reopened.contains(batch)
    }

    /// Applies the next event.
    pub(crate) fn apply(
        &mut self,
        position: &EventPosition,
        effect: Option<&TurnEffect>,
    ) -> EventPlacement {
        self.applied_up_to = Some(position.clone());
        let mut placement = EventPlacement::default();
        match effect {
            None => {}
            Some(TurnEffect::Start { source }) => self.start(source.as_deref(), &mut placement),
            Some(TurnEffect::Prompt {
                hash,
                generation,
                source,
                is_redacted,
                lengths,
            }) => {
                let given = PromptReport {
                    hash,
                    generation: generation.as_ref(),
                    is_redacted: *is_redacted,
                    lengths,
                };
                self.prompt(position, &given, *source, &mut placement);
            }
            Some(TurnEffect::Act { plan }) => {
                self.act(position, &mut placement);
                if *plan {
                    self.change_latest(&mut placement, |id| BatchChange::SetPlan { id });
                }
            }
            Some(TurnEffect::Respond) => self.respond(&mut placement),
            Some(TurnEffect::Stop {
                has_response,
                outcome,
            }) => {
                self.stop(position, *has_response, *outcome, &mut placement);
            }
            Some(TurnEffect::Compact) => self.compact(position, &mut placement),
            Some(TurnEffect::Compacted) => self.compacting = None,
            Some(TurnEffect::End { reason }) => {
                self.end(position, reason.as_deref(), &mut placement);
            }
            Some(TurnEffect::Idle { ends_session }) => {
                self.idle(position, *ends_session, &mut placement);
            }
        }
        if let Some(latest) = &mut self.latest {
            latest.last_at = latest.last_at.max(position.at);
            placement.batch = Some(latest.id.clone());
        }
        placement
    }

    /// Applies a late event that changes no more than this: the batch's last event may be later, and after an
    /// activity the prompt is no longer fresh.
    pub(crate) fn touch(&mut self, batch: &str, at: Millis, effect: Option<&TurnEffect>) {
        if let Some(latest) = self.latest.as_mut().filter(|latest| latest.id == batch) {
            latest.last_at = latest.last_at.max(at);
            if let (Some(prompt), Some(_)) = (&mut self.prompt, effect) {
                prompt.fresh = false;
            }
        }
    }

    fn change_latest(
        &self,
        placement: &mut EventPlacement,
        change: impl FnOnce(String) -> BatchChange,
    ) {
        if let Some(latest) = &self.latest {
            placement.changes.push(change(latest.id.clone()));
        }
    }

    fn start(&mut self, source: Option<&str>, placement: &mut EventPlacement) {
        self.ended = None;
        match source {
            Some("compact") => self.compacting = None,
            // A person who resumes had left: the interrupted turn is over.
            Some("resume") => self.close(None, BatchEnd::Restart, placement),
            _ => {}
        }
    }

    /// A repeated prompt is a duplicate while the first one is still open: no event has followed it, or both name
    /// the same turn. Later the same text is a new prompt.
    fn prompt(
        &mut self,
        position: &EventPosition,
        given: &PromptReport<'_>,
        source: PromptSource,
        placement: &mut EventPlacement,
    ) {
        self.compacting = None;
        let repeated = self.prompt.as_mut().filter(|known| given.repeats(known));
        if let Some(first) = repeated {
            let id = first.id.clone();
            placement.duplicate_of = Some(id.clone());
            placement
                .changes
                .push(BatchChange::CountRepeat { id: id.clone() });
            if !given.is_redacted && first.hash.is_none() {
                placement
                    .changes
                    .push(BatchChange::SetSource { id, source });
            }
            given.merge_into(first);
            return;
        }
        self.ended = None;
        self.close(None, BatchEnd::Prompt, placement);
        self.open(position, source, placement);
        let mut first = LastPrompt {
            id: position.id.clone(),
            hash: None,
            redacted_hash: None,
            lengths: Vec::new(),
            generation: given.generation.cloned(),
            fresh: true,
        };
        given.merge_into(&mut first);
        self.prompt = Some(first);
    }

    fn act(&mut self, position: &EventPosition, placement: &mut EventPlacement) {
        self.mark_prompt_stale();
        let soon = |then: Millis| position.at.since(then) <= REOPEN_WINDOW;
        if let Some(ended) = &self.ended {
            // Reports of work in progress may arrive shortly after the end of the session.
            if !ended.idle && soon(ended.at) && self.latest.is_some() {
                return;
            }
            self.ended = None;
        }
        let closed = self.latest.as_ref().map(|latest| latest.closed);
        match closed {
            Some(None) => {}
            Some(Some((_, BatchEnd::Idle | BatchEnd::Restart))) => self.reopen(placement),
            Some(Some((at, BatchEnd::Stop | BatchEnd::Failure))) if soon(at) => {
                self.reopen(placement);
            }
            _ => self.open(position, PromptSource::System, placement),
        }
    }

    fn respond(&mut self, placement: &mut EventPlacement) {
        if let Some(latest) = &mut self.latest
            && (latest.closed.is_none() || !latest.responded)
        {
            latest.responded = true;
            self.change_latest(placement, |id| BatchChange::SetResponse { id });
        }
    }

    fn stop(
        &mut self,
        position: &EventPosition,
        has_response: bool,
        outcome: StopOutcome,
        placement: &mut EventPlacement,
    ) {
        self.mark_prompt_stale();
        if has_response {
            self.respond(placement);
        }
        let by = match outcome {
            StopOutcome::KeptGoing => return,
            StopOutcome::Done => BatchEnd::Stop,
            StopOutcome::Failed => BatchEnd::Failure,
        };
        self.close(Some(position.at), by, placement);
    }

    fn compact(&mut self, position: &EventPosition, placement: &mut EventPlacement) {
        self.mark_prompt_stale();
        match &self.compacting {
            Some(first) if position.at.since(first.at) <= COMPACTION_WINDOW => {
                placement.duplicate_of = Some(first.id.clone());
            }
            _ => self.compacting = Some(position.clone()),
        }
    }

    fn end(
        &mut self,
        position: &EventPosition,
        reason: Option<&str>,
        placement: &mut EventPlacement,
    ) {
        self.mark_prompt_stale();
        self.close(None, BatchEnd::SessionEnd, placement);
        self.ended.get_or_insert(SessionEnd {
            at: position.at,
            reason: reason.map(str::to_owned),
            idle: false,
        });
    }

    fn idle(
        &mut self,
        position: &EventPosition,
        ends_session: bool,
        placement: &mut EventPlacement,
    ) {
        self.close(None, BatchEnd::Idle, placement);
        if ends_session {
            self.ended.get_or_insert(SessionEnd {
                at: position.at,
                reason: Some("idle".into()),
                idle: true,
            });
        }
    }

    fn mark_prompt_stale(&mut self) {
        if let Some(prompt) = &mut self.prompt {
            prompt.fresh = false;
        }
    }

    fn open(
        &mut self,
        position: &EventPosition,
        source: PromptSource,
        placement: &mut EventPlacement,
    ) {
        if let Some(before) = &self.latest {
            placement.changes.push(BatchChange::Touch {
                id: before.id.clone(),
                last_at: before.last_at,
            });
        }
        self.batches += 1;
        let number = self.batches;
        placement.changes.push(BatchChange::Open { number, source });
        self.latest = Some(LatestBatch {
            id: position.id.clone(),
            last_at: position.at,
            closed: None,
            responded: false,
        });
    }

    /// Without a time, the batch ended at its last event.
    fn close(&mut self, at: Option<Millis>, by: BatchEnd, placement: &mut EventPlacement) {
        let Some(latest) = self
            .latest
            .as_mut()
            .filter(|latest| latest.closed.is_none())
        else {
            return;
        };
        let at = at.unwrap_or(latest.last_at);
        latest.closed = Some((at, by));
        placement.changes.push(BatchChange::Close {
            id: latest.id.clone(),
            at,
            last_at: latest.last_at.max(at),
            by,
        });
    }

    fn reopen(&mut self, placement: &mut EventPlacement) {
        if let Some(latest) = &mut self.latest {
            latest.closed = None;
            let id = latest.id.clone();
            self.reopened.insert(id.clone());
            placement.changes.push(BatchChange::Reopen { id });
        }
    }
}

/// One event's report of a prompt.
struct PromptReport<'g> {
    hash: &'g str,
    generation: Option<&'g String>,
    is_redacted: bool,
    lengths: &'g [u64],
}

impl PromptReport<'_> {
    /// Whether this reports the prompt `known` again. Two reports of the same kind are compared by their hashes. A
    /// redacted telemetry report and a hook's report are assumed to be of the same prompt, because there is one of
    /// each.
    fn repeats(&self, known: &LastPrompt) -> bool {
        let of_one_turn = match (&known.generation, self.generation) {
            (Some(one), Some(other)) => Some(one == other),
            _ => None,
        };
        let alike = if self.is_redacted {
            &known.redacted_hash
        } else {
            &known.hash
        };
        match alike {
            Some(hash) => hash == self.hash && of_one_turn.unwrap_or(known.fresh),
            None => of_one_turn.unwrap_or(known.fresh && self.may_be_as_long_as(known)),
        }
    }

    fn may_be_as_long_as(&self, known: &LastPrompt) -> bool {
        let (one, other) = (self.lengths, &known.lengths);
        one.is_empty() || other.is_empty() || one.iter().any(|length| other.contains(length))
    }

    fn merge_into(&self, known: &mut LastPrompt) {
        let place = if self.is_redacted {
            &mut known.redacted_hash
        } else {
            &mut known.hash
        };
        place.get_or_insert_with(|| self.hash.to_owned());
        if known.lengths.is_empty() {
            known.lengths = self.lengths.to_vec();
        }
    }
}
