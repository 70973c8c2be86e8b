//! A decision, as far as an agent has means for it at an event.
//!
//! What it has no means for comes back as sentences and leans to the safe side: a question that
//! cannot be put is a refusal where refusing is possible, and so is a rewrite that cannot be made
//! before something happens. Nothing becomes a quiet allow. How an [`Act`] is spelt is the agent's
//! own affair. Start at [`lean`].

use becket_model::{Decision, Verdict};
use serde_json::{Map, Value};

use super::tools::Rewritten;
use crate::reply_text::{NO_REASON, non_blank, with_rewrite_of};

/// How much of a rewritten input a refusal repeats: the smallest limit of an agent is 10 KiB.
const REWRITE_SHOWN: usize = 2_000;

/// What an agent lets a hook do at one of its events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ExchangeMeans {
    /// What the event is called in sentences.
    pub(crate) name: &'static str,
    pub(crate) refusal: Refusal,
    /// A sentence that belongs to every refusal here; for a note, its audience.
    pub(crate) caveat: Option<&'static str>,
    pub(crate) approval: Approval,
    pub(crate) context: ExchangeContext,
    /// Whether a hook can end the turn.
    pub(crate) halts: bool,
    /// Whether a tool's input can be replaced.
    pub(crate) rewrites: bool,
    /// Whether the person is shown a message.
    pub(crate) shows: bool,
}

/// What comes of a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It does not happen, and the model reads why.
    Prevents,
    /// It does not happen, and the whole run ends with it.
    EndsRun,
    /// The agent, coming to rest, goes on.
    KeepsGoing,
    /// The agent comes to rest whatever a hook says.
    Rest,
    /// It has happened; the model reads the reason.
    Note,
    /// The event is not known; the refusal is said and may be heard.
    Unknown,
    /// There is no way.
    Cannot,
}

/// What comes of an allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Approval {
    /// The agent skips its own question.
    Skips,
    /// The agent has a word for it that does nothing.
    Unheard,
    /// There is no word, and something waits for one.
    Cannot,
    /// Nothing waits for it; silence lets it happen.
    Needless,
}

/// What comes of text for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExchangeContext {
    /// The model reads it.
    Given,
    /// It is said, but the sentence tells who does not hear it.
    Unsure(&'static str),
    /// There is no way.
    Cannot,
}

impl ExchangeMeans {
    /// An event at which a hook can do nothing.
    pub(crate) const fn at(name: &'static str) -> Self {
        Self {
            name,
            refusal: Refusal::Cannot,
            caveat: None,
            approval: Approval::Needless,
            context: ExchangeContext::Cannot,
            halts: false,
            rewrites: false,
            shows: false,
        }
    }

    pub(crate) const fn refusal(self, refusal: Refusal) -> Self {
        Self { refusal, ..self }
    }

    pub(crate) const fn caveat(self, sentence: &'static str) -> Self {
        let caveat = Some(sentence);
        Self { caveat, ..self }
    }

    pub(crate) const fn approval(self, approval: Approval) -> Self {
        Self { approval, ..self }
    }

    pub(crate) const fn context(self, context: ExchangeContext) -> Self {
        Self { context, ..self }
    }

    pub(crate) const fn halts(self) -> Self {
        Self {
            halts: true,
            ..self
        }
    }

    pub(crate) const fn rewrites(self) -> Self {
        Self {
            rewrites: true,
            ..self
        }
    }

    pub(crate) const fn shows(self) -> Self {
        Self {
            shows: true,
            ..self
        }
    }
}

/// Who is answered, and at what.
#[derive(Clone, Copy)]
pub(crate) struct Occasion<'a> {
    /// The agent's name for people.
    pub(crate) agent: &'static str,
    /// The event's name.
    pub(crate) name: &'a str,
    pub(crate) means: &'a ExchangeMeans,
}

/// What is to be said.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ExchangeAnswer {
    pub(crate) act: Act,
    /// For the model.
    pub(crate) context: Option<String>,
    /// For the person.
    pub(crate) message: Option<String>,
    /// Whether the event is to be left out of the agent's log.
    pub(crate) quiet: bool,
    /// What the agent has no means for.
    pub(crate) lost: Vec<String>,
}

/// The part of an answer that decides.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Act {
    Silence,
    Allow {
        reason: Option<String>,
        rewrite: Option<Map<String, Value>>,
    },
    Rewrite(Map<String, Value>),
    Refuse {
        reason: String,
        turn: ExchangeTurn,
    },
    /// It has happened, and the turn ends.
    EndTurn {
        reason: String,
    },
    /// It has happened, and the model reads why it should not have.
    Note {
        reason: String,
    },
    /// The agent does not come to rest.
    GoOn {
        instruction: String,
    },
}

/// Whether a refusal ends the turn as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExchangeTurn {
    GoesOn,
    Ends,
}

/// The answer that the agent can express. `translate` puts a rewritten input in the agent's own words, or says
/// why that is impossible.
pub(crate) fn lean(
    occasion: Occasion<'_>,
    decision: &Decision,
    translate: &dyn Fn(&Value) -> Result<Rewritten, String>,
) -> ExchangeAnswer {
    let mut leaning = Leaning {
        occasion,
        told: None,
        lost: Vec::new(),
    };
    let settled = leaning.settle(decision, translate);
    let act = leaning.act(settled);
    let act = leaning.keep_going(act, decision);
    let (act, context) = leaning.context(act, non_blank(decision.context.as_ref()));
    let message = leaning.message(non_blank(decision.system_message.as_ref()));
    ExchangeAnswer {
        act,
        context,
        message,
        quiet: decision.suppress_logging,
        lost: leaning.lost,
    }
}

/// Two texts as one.
pub(crate) fn joined(first: Option<String>, second: Option<String>) -> Option<String> {
    match (first, second) {
        (Some(first), Some(second)) => Some(format!("{first}\n{second}")),
        (first, second) => first.or(second),
    }
}

struct ExchangeSettled {
    verdict: Verdict,
    reason: Option<String>,
    rewrite: Option<Map<String, Value>>,
}

struct Leaning<'a> {
    occasion: Occasion<'a>,
    /// For the model, in addition to the decision's own context.
    told: Option<String>,
    lost: Vec<String>,
}

impl Leaning<'_> {
    fn settle(
        &mut self,
        decision: &Decision,
        translate: &dyn Fn(&Value) -> Result<Rewritten, String>,
    ) -> ExchangeSettled {
        let mut settled = ExchangeSettled {
            verdict: decision.verdict,
            reason: non_blank(decision.reason.as_ref()).map(str::to_owned),
            rewrite: None,
        };
        // A refused call has no input, so a rewrite together with a refusal is ignored.
        if let Some(input) = &decision.updated_input
            && !decision.verdict.blocks()
        {
            self.settle_rewrite(&mut settled, input, translate);
        }
        if settled.verdict == Verdict::Ask {
            self.settle_question(&mut settled);
        }
        settled
    }

    fn settle_rewrite(
        &mut self,
        settled: &mut ExchangeSettled,
        input: &Value,
        translate: &dyn Fn(&Value) -> Result<Rewritten, String>,
    ) {
        let Occasion { agent, name, means } = self.occasion;
        let translated = if means.rewrites {
            translate(input)
        } else {
            Err(format!("{agent} takes no rewritten input at {name}"))
        };
        match translated {
            Ok(rewritten) => {
                self.lost.extend(rewritten.kept_sentence());
                settled.rewrite = Some(rewritten.input);
            }
            Err(why) if matches!(means.refusal, Refusal::Prevents | Refusal::EndsRun) => {
                self.lose(format!("{why}, so it is refused instead."));
                settled.reason = Some(with_rewrite_of(
                    settled.reason.as_deref(),
                    input,
                    REWRITE_SHOWN,
                ));
                settled.verdict = Verdict::Deny;
            }
            Err(why) => {
                self.lose(format!("{why}; the rewrite is dropped."));
                // The allow applies to the rewritten input only.
                if settled.verdict == Verdict::Allow {
                    settled.verdict = Verdict::NoOpinion;
                }
            }
        }
    }

    fn settle_question(&mut self, settled: &mut ExchangeSettled) {
        let Occasion { agent, name, means } = self.occasion;
        let refusable = matches!(
            means.refusal,
            Refusal::Prevents | Refusal::EndsRun | Refusal::Unknown
        );
        if refusable {
            self.lose(format!(
                "{agent} cannot ask at {name}, so it is refused instead."
            ));
            settled.verdict = Verdict::Deny;
        } else {
            self.lose(format!("{agent} cannot ask at {name}."));
            settled.verdict = Verdict::NoOpinion;
        }
    }

    fn act(&mut self, settled: ExchangeSettled) -> Act {
        let ExchangeSettled {
            verdict,
            reason,
            rewrite,
        } = settled;
        let why = || reason.clone().unwrap_or_else(|| NO_REASON.to_owned());
        match verdict {
            // A question was settled before, one way or the other.
            Verdict::NoOpinion | Verdict::Ask => rewrite.map_or(Act::Silence, Act::Rewrite),
            Verdict::Allow => self.allow(reason, rewrite),
            Verdict::Deny => self.refuse(why(), ExchangeTurn::GoesOn),
            Verdict::Halt => self.halt(why()),
        }
    }

    fn allow(&mut self, reason: Option<String>, rewrite: Option<Map<String, Value>>) -> Act {
        let Occasion { agent, means, .. } = self.occasion;
        match means.approval {
            Approval::Skips => Act::Allow { reason, rewrite },
            Approval::Unheard => {
                self.lose(format!(
                    "{agent} does not act on an approval yet; its own rules apply."
                ));
                Act::Allow { reason, rewrite }
            }
            Approval::Cannot => {
                self.lose(format!(
                    "{agent} takes no approval from a hook; its own rules apply."
                ));
                rewrite.map_or(Act::Silence, Act::Rewrite)
            }
            Approval::Needless => rewrite.map_or(Act::Silence, Act::Rewrite),
        }
    }

    fn refuse(&mut self, reason: String, turn: ExchangeTurn) -> Act {
        let Occasion { agent, name, means } = self.occasion;
        match means.refusal {
            Refusal::Prevents => {
                self.lost.extend(means.caveat.map(str::to_owned));
                Act::Refuse { reason, turn }
            }
            Refusal::EndsRun => {
                let more_than_meant = means.caveat.filter(|_| turn == ExchangeTurn::GoesOn);
                self.lost.extend(more_than_meant.map(str::to_owned));
                Act::Refuse { reason, turn }
            }
            Refusal::Unknown => {
                self.lose(format!(
                    "{name} is not an event that Becket knows; it is refused if it can be refused."
                ));
                Act::Refuse { reason, turn }
            }
            Refusal::KeepsGoing => {
                self.lost.extend(means.caveat.map(str::to_owned));
                Act::GoOn {
                    instruction: reason,
                }
            }
            Refusal::Note => {
                let told = means.caveat.unwrap_or("the model is told");
                self.lose(format!("At {name} it has happened already; {told}."));
                Act::Note { reason }
            }
            Refusal::Rest => {
                self.lose(format!("{agent} cannot be kept going at {name}."));
                Act::Silence
            }
            Refusal::Cannot => {
                self.lose(format!("{agent} lets no hook refuse {name}."));
                self.told = Some(format!(
                    "A hook that the person set up refused this {name}: {reason}\n{agent} cannot enforce that here. Do not go on with what was refused; tell the person."
                ));
                Act::Silence
            }
        }
    }

    fn halt(&mut self, reason: String) -> Act {
        let Occasion { agent, name, means } = self.occasion;
        match means.refusal {
            // The turn ends by itself.
            Refusal::KeepsGoing | Refusal::Rest => Act::Silence,
            Refusal::Note if means.halts => {
                self.lose(format!(
                    "At {name} it has happened already; the turn is ended."
                ));
                Act::EndTurn { reason }
            }
            _ if means.halts => self.refuse(reason, ExchangeTurn::Ends),
            _ => {
                self.lose(format!("{agent} cannot end the turn at {name}."));
                self.refuse(reason, ExchangeTurn::GoesOn)
            }
        }
    }

    fn keep_going(&mut self, act: Act, decision: &Decision) -> Act {
        let Occasion { agent, name, means } = self.occasion;
        let Some(instruction) = non_blank(decision.keep_going.as_ref()) else {
            return act;
        };
        match (means.refusal, act) {
            (Refusal::KeepsGoing | Refusal::Rest, act) if decision.verdict == Verdict::Halt => {
                self.lose("The turn is ended, so the instruction to keep going is dropped.".into());
                act
            }
            (Refusal::KeepsGoing, Act::GoOn { instruction: said }) if said != NO_REASON => {
                Act::GoOn {
                    instruction: format!("{said}\n{instruction}"),
                }
            }
            (Refusal::KeepsGoing, act) => {
                if !matches!(act, Act::GoOn { .. }) {
                    self.lost.extend(means.caveat.map(str::to_owned));
                }
                Act::GoOn {
                    instruction: instruction.to_owned(),
                }
            }
            (Refusal::Rest, act) => {
                // A refusal has said so already.
                if decision.verdict != Verdict::Deny {
                    self.lose(format!("{agent} cannot be kept going at {name}."));
                }
                act
            }
            (_, act) => {
                self.lose(format!("At {name} there is nothing to keep going."));
                act
            }
        }
    }

    fn context(&mut self, act: Act, own: Option<&str>) -> (Act, Option<String>) {
        let Occasion { agent, name, means } = self.occasion;
        let Some(text) = joined(own.map(str::to_owned), self.told.take()) else {
            return (act, None);
        };
        match act {
            Act::Refuse { .. } if means.refusal == Refusal::EndsRun => {
                self.lose("The run ends, so nobody reads the context.".into());
                (act, None)
            }
            Act::EndTurn { .. } => {
                self.lose("The run ends, so nobody reads the context.".into());
                (act, None)
            }
            // The reason of a refusal reaches the model, and what has no other way goes with it.
            Act::Refuse { reason, turn } => {
                let reason = format!("{reason}\n{text}");
                (Act::Refuse { reason, turn }, None)
            }
            Act::GoOn { instruction } => {
                let instruction = format!("{instruction}\n{text}");
                (Act::GoOn { instruction }, None)
            }
            act => match means.context {
                ExchangeContext::Given => (act, Some(text)),
                ExchangeContext::Unsure(sentence) => {
                    self.lose(sentence.to_owned());
                    (act, Some(text))
                }
                ExchangeContext::Cannot => {
                    if own.is_some() {
                        self.lose(format!("{agent} takes no context at {name}."));
                    }
                    (act, None)
                }
            },
        }
    }

    fn message(&mut self, own: Option<&str>) -> Option<String> {
        let Occasion { agent, name, means } = self.occasion;
        let own = own?;
        if !means.shows {
            self.lose(format!("{agent} shows the person no message at {name}."));
            return None;
        }
        Some(own.to_owned())
    }

    fn lose(&mut self, sentence: String) {
        self.lost.push(sentence);
    }
}
