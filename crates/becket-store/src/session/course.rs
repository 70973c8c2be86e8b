//! Which prompt each event belongs to, and what is over.

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Mark, Position, Rest};
use crate::millis::Millis;
use crate::prompt::Source;

/// Work that follows a stop within this time belongs to the same prompt.
const AFTERWARDS: Duration = Duration::from_secs(60);

/// Another report of a compaction within this time is of the same one.
const COMPACTION: Duration = Duration::from_secs(30);

/// Why a batch is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Closed {
    Stop,
    Failure,
    Prompt,
    Restart,
    SessionEnd,
    Idle,
}

impl Closed {
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

/// What an event changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change {
    /// A batch begins, with the event.
    Open { number: u32, source: Source },
    /// The batch `id` is over.
    Close {
        id: String,
        at: Millis,
        last_at: Millis,
        by: Closed,
    },
    /// The batch `id` was heard of until then, and another begins.
    Heard { id: String, last_at: Millis },
    /// It is not over after all.
    Reopen { id: String },
    /// The event has its answer.
    Respond { id: String },
    /// The event has its plan.
    Plan { id: String },
    /// The event repeats its prompt.
    Repeat { id: String },
    /// The event tells the prompt that was only known to have been given.
    Tell { id: String, source: Source },
}

/// Where an event belongs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Placed {
    pub(crate) batch: Option<String>,
    pub(crate) duplicate_of: Option<String>,
    pub(crate) changes: Vec<Change>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Latest {
    id: String,
    last_at: Millis,
    closed: Option<(Millis, Closed)>,
    responded: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct LastPrompt {
    id: String,
    /// Of what was said, once somebody told.
    hash: Option<String>,
    /// Of what stands in its place, where telemetry does not tell.
    #[serde(default)]
    untold: Option<String>,
    #[serde(default)]
    lengths: Vec<u64>,
    generation: Option<String>,
    /// Nothing has happened since.
    fresh: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ended {
    pub(crate) at: Millis,
    pub(crate) reason: Option<String>,
    idle: bool,
}

/// How far a session has come.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Course {
    folded: Option<Position>,
    batches: u32,
    latest: Option<Latest>,
    /// The ids of batches that went on after they had been over.
    reopened: BTreeSet<String>,
    prompt: Option<LastPrompt>,
    compacting: Option<Position>,
    ended: Option<Ended>,
}

impl Course {
    /// Whether an event at `position` comes after all that were taken.
    pub(crate) fn is_before(&self, position: &Position) -> bool {
        self.folded.as_ref().is_none_or(|folded| folded < position)
    }

    pub(crate) fn ended(&self) -> Option<&Ended> {
        self.ended.as_ref()
    }

    /// The latest batch and when it was last heard of.
    pub(crate) fn latest(&self) -> Option<(&str, Millis)> {
        let latest = self.latest.as_ref()?;
        Some((&latest.id, latest.last_at))
    }

    /// Whether a batch was over for a while, and went on.
    pub(crate) fn was_reopened(&self, batch: &str) -> bool {
        self.reopened.contains(batch)
    }

    /// Takes the next event.
    pub(crate) fn step(&mut self, position: &Position, mark: Option<&Mark>) -> Placed {
        self.folded = Some(position.clone());
        let mut placed = Placed::default();
        match mark {
            None => {}
            Some(Mark::Start { source }) => self.start(source.as_deref(), &mut placed),
            Some(Mark::Prompt {
                hash,
                generation,
                source,
                untold,
                lengths,
            }) => {
                let given = Given {
                    hash,
                    generation: generation.as_ref(),
                    untold: *untold,
                    lengths,
                };
                self.prompt(position, &given, *source, &mut placed);
            }
            Some(Mark::Act { plan }) => {
                self.act(position, &mut placed);
                if *plan {
                    self.tell(&mut placed, |id| Change::Plan { id });
                }
            }
            Some(Mark::Respond) => self.respond(&mut placed),
            Some(Mark::Stop { responds, rest }) => {
                self.stop(position, *responds, *rest, &mut placed);
            }
            Some(Mark::Compact) => self.compact(position, &mut placed),
            Some(Mark::Compacted) => self.compacting = None,
            Some(Mark::End { reason }) => self.end(position, reason.as_deref(), &mut placed),
            Some(Mark::Idle { whole }) => self.idle(position, *whole, &mut placed),
        }
        if let Some(latest) = &mut self.latest {
            latest.last_at = latest.last_at.max(position.at);
            placed.batch = Some(latest.id.clone());
        }
        placed
    }

    /// Takes an event that came late and changes nothing but this: its batch was heard of, and if it
    /// is work, then its prompt is not the newest thing any more.
    pub(crate) fn touch(&mut self, batch: &str, at: Millis, mark: Option<&Mark>) {
        if let Some(latest) = self.latest.as_mut().filter(|latest| latest.id == batch) {
            latest.last_at = latest.last_at.max(at);
            if let (Some(prompt), Some(_)) = (&mut self.prompt, mark) {
                prompt.fresh = false;
            }
        }
    }

    fn tell(&self, placed: &mut Placed, change: impl FnOnce(String) -> Change) {
        if let Some(latest) = &self.latest {
            placed.changes.push(change(latest.id.clone()));
        }
    }

    fn start(&mut self, source: Option<&str>, placed: &mut Placed) {
        self.ended = None;
        match source {
            Some("compact") => self.compacting = None,
            // Whoever resumes has left: what was going on then is over.
            Some("resume") => self.close(None, Closed::Restart, placed),
            _ => {}
        }
    }

    /// A repetition is dropped while the first is still open: nothing has happened since, or both
    /// say that they are of one turn. Later it is a new prompt, whatever it says.
    fn prompt(
        &mut self,
        position: &Position,
        given: &Given<'_>,
        source: Source,
        placed: &mut Placed,
    ) {
        self.compacting = None;
        let repeated = self.prompt.as_mut().filter(|known| given.repeats(known));
        if let Some(first) = repeated {
            let id = first.id.clone();
            placed.duplicate_of = Some(id.clone());
            placed.changes.push(Change::Repeat { id: id.clone() });
            if !given.untold && first.hash.is_none() {
                placed.changes.push(Change::Tell { id, source });
            }
            given.join(first);
            return;
        }
        self.ended = None;
        self.close(None, Closed::Prompt, placed);
        self.open(position, source, placed);
        let mut first = LastPrompt {
            id: position.id.clone(),
            hash: None,
            untold: None,
            lengths: Vec::new(),
            generation: given.generation.cloned(),
            fresh: true,
        };
        given.join(&mut first);
        self.prompt = Some(first);
    }

    fn act(&mut self, position: &Position, placed: &mut Placed) {
        self.something_happened();
        let soon = |then: Millis| position.at.since(then) <= AFTERWARDS;
        if let Some(ended) = &self.ended {
            // What was under way when the agent ended is told a moment later.
            if !ended.idle && soon(ended.at) && self.latest.is_some() {
                return;
            }
            self.ended = None;
        }
        let closed = self.latest.as_ref().map(|latest| latest.closed);
        match closed {
            Some(None) => {}
            Some(Some((_, Closed::Idle | Closed::Restart))) => self.reopen(placed),
            Some(Some((at, Closed::Stop | Closed::Failure))) if soon(at) => self.reopen(placed),
            _ => self.open(position, Source::System, placed),
        }
    }

    fn respond(&mut self, placed: &mut Placed) {
        if let Some(latest) = &mut self.latest
            && (latest.closed.is_none() || !latest.responded)
        {
            latest.responded = true;
            self.tell(placed, |id| Change::Respond { id });
        }
    }

    fn stop(&mut self, position: &Position, responds: bool, rest: Rest, placed: &mut Placed) {
        self.something_happened();
        if responds {
            self.respond(placed);
        }
        let by = match rest {
            Rest::KeptGoing => return,
            Rest::Done => Closed::Stop,
            Rest::Failed => Closed::Failure,
        };
        self.close(Some(position.at), by, placed);
    }

    fn compact(&mut self, position: &Position, placed: &mut Placed) {
        self.something_happened();
        match &self.compacting {
            Some(first) if position.at.since(first.at) <= COMPACTION => {
                placed.duplicate_of = Some(first.id.clone());
            }
            _ => self.compacting = Some(position.clone()),
        }
    }

    fn end(&mut self, position: &Position, reason: Option<&str>, placed: &mut Placed) {
        self.something_happened();
        self.close(None, Closed::SessionEnd, placed);
        self.ended.get_or_insert(Ended {
            at: position.at,
            reason: reason.map(str::to_owned),
            idle: false,
        });
    }

    fn idle(&mut self, position: &Position, whole: bool, placed: &mut Placed) {
        self.close(None, Closed::Idle, placed);
        if whole {
            self.ended.get_or_insert(Ended {
                at: position.at,
                reason: Some("idle".into()),
                idle: true,
            });
        }
    }

    fn something_happened(&mut self) {
        if let Some(prompt) = &mut self.prompt {
            prompt.fresh = false;
        }
    }

    fn open(&mut self, position: &Position, source: Source, placed: &mut Placed) {
        if let Some(before) = &self.latest {
            placed.changes.push(Change::Heard {
                id: before.id.clone(),
                last_at: before.last_at,
            });
        }
        self.batches += 1;
        let number = self.batches;
        placed.changes.push(Change::Open { number, source });
        self.latest = Some(Latest {
            id: position.id.clone(),
            last_at: position.at,
            closed: None,
            responded: false,
        });
    }

    /// Without a time of its own, a batch ended when it was last heard of.
    fn close(&mut self, at: Option<Millis>, by: Closed, placed: &mut Placed) {
        let Some(latest) = self
            .latest
            .as_mut()
            .filter(|latest| latest.closed.is_none())
        else {
            return;
        };
        let at = at.unwrap_or(latest.last_at);
        latest.closed = Some((at, by));
        placed.changes.push(Change::Close {
            id: latest.id.clone(),
            at,
            last_at: latest.last_at.max(at),
            by,
        });
    }

    fn reopen(&mut self, placed: &mut Placed) {
        if let Some(latest) = &mut self.latest {
            latest.closed = None;
            let id = latest.id.clone();
            self.reopened.insert(id.clone());
            placed.changes.push(Change::Reopen { id });
        }
    }
}

/// A prompt as one event tells it.
struct Given<'g> {
    hash: &'g str,
    generation: Option<&'g String>,
    untold: bool,
    lengths: &'g [u64],
}

impl Given<'_> {
    /// Whether this is `known` once more. Of two that are told alike, the words say so. Telemetry that keeps the
    /// words to itself is of the prompt that a hook tells of, and the other way round: there is one of each.
    fn repeats(&self, known: &LastPrompt) -> bool {
        let of_one_turn = match (&known.generation, self.generation) {
            (Some(one), Some(other)) => Some(one == other),
            _ => None,
        };
        let alike = if self.untold {
            &known.untold
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

    fn join(&self, known: &mut LastPrompt) {
        let place = if self.untold {
            &mut known.untold
        } else {
            &mut known.hash
        };
        place.get_or_insert_with(|| self.hash.to_owned());
        if known.lengths.is_empty() {
            known.lengths = self.lengths.to_vec();
        }
    }
}
