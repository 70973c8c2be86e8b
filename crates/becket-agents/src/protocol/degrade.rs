//! Degradation: what is left of a decision at an event that cannot express all of it.
//!
//! This is the only place with the rule. Whatever an agent cannot express becomes stricter, never looser:
//! a question that cannot be asked is a denial where that prevents the action, and so is a rewrite that
//! cannot be made; where nothing can be prevented, Becket informs the person and the model. Every part that
//! is not expressed is a sentence in [`AgentReply::lost`]. Start at [`degrade`]; the laws are tested in
//! `laws` over all capabilities and all decisions.

mod texts;

use becket_model::{Decision, Verdict};
use serde_json::{Map, Value};

use super::capability::{
    AllowCap, AskCap, ContextCap, DenyCap, EventCaps, HaltCap, MessageCap, ReplyLimits, RewriteCap,
};
use super::tools::RewrittenInput;
use crate::reply_text::{NO_REASON, non_blank, with_rewrite};

/// A reply that the agent can express. A wire writes all of it and adds nothing.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct AgentReply {
    pub(crate) act: ReplyAct,
    /// Text for the model.
    pub(crate) context: Option<String>,
    /// Text for the person.
    pub(crate) message: Option<String>,
    /// What the model sees instead of the tool's output.
    pub(crate) output: Option<Value>,
    /// Whether the event is left out of the agent's log.
    pub(crate) quiet: bool,
    /// Why a hook wants the turn to end, also where the agent cannot end it: another host that reads the same
    /// reply may.
    pub(crate) halt: Option<String>,
    /// What could not be expressed.
    pub(crate) lost: Vec<String>,
}

/// The part of a reply that decides.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) enum ReplyAct {
    /// The agent's own rules decide.
    #[default]
    Silence,
    Allow {
        reason: Option<String>,
        rewrite: Option<Map<String, Value>>,
    },
    /// The agent asks the person.
    Ask {
        reason: Option<String>,
        rewrite: Option<Map<String, Value>>,
    },
    /// The input is another one, and the agent's own rules decide.
    Rewrite(Map<String, Value>),
    /// It does not happen.
    Deny { reason: String, turn: TurnEffect },
    /// It has happened, and the model reads why it should not have.
    Note { reason: String },
    /// The turn ends. What the event announced is not denied, because it cannot be.
    EndTurn { reason: String },
    /// The agent does not stop.
    KeepGoing { instruction: String },
}

/// Whether a denial is meant to end the turn as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnEffect {
    GoesOn,
    Ends,
}

/// An agent at one of its events.
#[derive(Clone, Copy)]
pub(crate) struct ReplyPoint<'a> {
    /// The agent's name in sentences.
    pub(crate) title: &'static str,
    /// The event's name, as the agent writes it.
    pub(crate) event: &'a str,
    pub(crate) caps: &'a EventCaps,
    pub(crate) limits: &'a ReplyLimits,
}

/// Translates a rewritten input to the agent's keys.
pub(crate) trait InputTranslator {
    /// The rewritten input, or the start of a sentence that says why the agent cannot take it.
    fn rewritten(&self, input: &Value) -> Result<RewrittenInput, String>;

    /// The rewritten input as a denial shows it to the model, which knows the agent's keys.
    fn shown(&self, input: &Value) -> Value {
        input.clone()
    }

    /// The tool's output, which the payload has under this key.
    fn sent_output(&self, key: &str) -> Option<&Value> {
        let _ = key;
        None
    }
}

/// The reply to a decision at an event.
pub(crate) fn degrade(
    point: &ReplyPoint<'_>,
    decision: &Decision,
    translator: &dyn InputTranslator,
) -> AgentReply {
    let mut degrading = Degrading {
        point,
        for_model: None,
        for_person: None,
        lost: Vec::new(),
    };
    let wanted = degrading.wanted(decision, translator);
    let act = degrading.act(wanted);
    let act = degrading.keep_going(act, decision);
    let output = degrading.output(&act, decision, translator);
    let (act, context) = degrading.context(act, decision);
    let message = degrading.message(&act, context.is_some(), decision);
    let quiet = degrading.quiet(decision);
    let halt = degrading.halt_reason(decision);
    AgentReply {
        act,
        context,
        message,
        output,
        quiet,
        halt,
        lost: degrading.lost,
    }
}

/// The verdict with what belongs to it.
struct WantedAct {
    verdict: Verdict,
    reason: Option<String>,
    rewrite: Option<Map<String, Value>>,
}

struct Degrading<'a> {
    point: &'a ReplyPoint<'a>,
    /// Text for the model in addition to the decision's own context.
    for_model: Option<String>,
    /// Text for the person in addition to the decision's own message.
    for_person: Option<String>,
    lost: Vec<String>,
}

impl Degrading<'_> {
    fn wanted(&mut self, decision: &Decision, translator: &dyn InputTranslator) -> WantedAct {
        let mut wanted = WantedAct {
            verdict: decision.verdict,
            reason: non_blank(decision.reason.as_ref()).map(str::to_owned),
            rewrite: None,
        };
        // A denied call has no input, so a rewrite together with a denial is ignored.
        if let Some(input) = &decision.updated_input
            && !decision.verdict.blocks()
        {
            self.rewrite(&mut wanted, input, translator);
        }
        wanted.reason = wanted.reason.map(|reason| self.short(&reason));
        wanted
    }

    fn rewrite(&mut self, wanted: &mut WantedAct, input: &Value, translator: &dyn InputTranslator) {
        match self.rewritten(wanted.verdict, input, translator) {
            Ok(rewritten) => {
                self.lost.extend(rewritten.kept_sentence());
                wanted.rewrite = rewritten.input;
            }
            Err(why) if self.point.caps.deny.prevents() => {
                self.lose(format!("{why}, so it is refused instead."));
                wanted.reason =
                    Some(self.reason_with(wanted.reason.as_deref(), &translator.shown(input)));
                wanted.verdict = Verdict::Deny;
            }
            Err(why) => {
                self.lose(format!("{why}; the rewrite is dropped."));
                // The approval applies to the rewritten input only.
                if wanted.verdict == Verdict::Allow {
                    wanted.verdict = Verdict::NoOpinion;
                }
            }
        }
    }

    fn rewritten(
        &self,
        verdict: Verdict,
        input: &Value,
        translator: &dyn InputTranslator,
    ) -> Result<RewrittenInput, String> {
        let ReplyPoint { title, event, .. } = self.point;
        let rewritten = translator.rewritten(input);
        // A rewrite that changes nothing needs no capability.
        if let Ok(same @ RewrittenInput { input: None, .. }) = rewritten {
            return Ok(same);
        }
        match self.point.caps.rewrite {
            RewriteCap::Cannot => Err(format!("{title} takes no rewritten input at {event}")),
            RewriteCap::WithAllow if verdict != Verdict::Allow => Err(format!(
                "{title} takes a rewritten input at {event} only with an allow"
            )),
            _ => rewritten.and_then(|rewritten| self.within_limits(rewritten)),
        }
    }

    fn within_limits(&self, rewritten: RewrittenInput) -> Result<RewrittenInput, String> {
        let (Some(limit), Some(input)) = (&self.point.limits.rewrite, &rewritten.input) else {
            return Ok(rewritten);
        };
        let why = if input.values().map(depth).max().unwrap_or(0) >= limit.depth {
            format!("that is nested {} levels deep", limit.depth)
        } else if serde_json::to_string(input).map_or(usize::MAX, |json| json.len()) > limit.bytes {
            format!("of more than {} bytes", limit.bytes)
        } else {
            return Ok(rewritten);
        };
        let title = self.point.title;
        Err(format!("A rewritten input {why} would not reach {title}"))
    }

    /// A reason that shows the input that a hook wants.
    fn reason_with(&self, reason: Option<&str>, input: &Value) -> String {
        with_rewrite(reason, input, self.point.limits.rewrite_shown)
    }

    fn act(&mut self, wanted: WantedAct) -> ReplyAct {
        let WantedAct {
            verdict,
            reason,
            rewrite,
        } = wanted;
        let why = |reason: Option<String>| reason.unwrap_or_else(|| NO_REASON.to_owned());
        match verdict {
            Verdict::NoOpinion => rewrite.map_or(ReplyAct::Silence, ReplyAct::Rewrite),
            Verdict::Allow => self.allow(reason, rewrite),
            Verdict::Ask => self.ask(reason, rewrite),
            Verdict::Deny => self.deny(why(reason), TurnEffect::GoesOn),
            Verdict::Halt => self.halt(why(reason)),
        }
    }

    fn allow(&mut self, reason: Option<String>, rewrite: Option<Map<String, Value>>) -> ReplyAct {
        let ReplyPoint { title, event, .. } = self.point;
        match self.point.caps.allow {
            AllowCap::Skips => return ReplyAct::Allow { reason, rewrite },
            AllowCap::Ignored(caveat) => {
                self.lose(caveat.to_owned());
                return ReplyAct::Allow { reason, rewrite };
            }
            AllowCap::Cannot => self.lose(format!(
                "{title} takes no approval at {event}; its own rules decide."
            )),
            AllowCap::Silence => {}
        }
        rewrite.map_or(ReplyAct::Silence, ReplyAct::Rewrite)
    }

    fn ask(&mut self, reason: Option<String>, rewrite: Option<Map<String, Value>>) -> ReplyAct {
        let ReplyPoint { title, event, .. } = self.point;
        match self.point.caps.ask {
            AskCap::Native => ReplyAct::Ask { reason, rewrite },
            AskCap::Dialog(who) => {
                if reason.is_some() || !who.is_empty() {
                    self.lose(format!(
                        "{title} asks at {event} by itself{who}, without the hook's reason."
                    ));
                }
                rewrite.map_or(ReplyAct::Silence, ReplyAct::Rewrite)
            }
            AskCap::Cannot if self.point.caps.deny.prevents() => {
                self.lose(format!(
                    "{title} cannot ask at {event}, so it is refused instead."
                ));
                let reason = match rewrite {
                    Some(input) => {
                        let reason = self.reason_with(reason.as_deref(), &Value::Object(input));
                        Some(self.short(&reason))
                    }
                    None => reason,
                };
                self.deny(
                    reason.unwrap_or_else(|| NO_REASON.to_owned()),
                    TurnEffect::GoesOn,
                )
            }
            AskCap::Cannot => {
                self.lose(format!("{title} cannot ask at {event}."));
                let reason = reason.as_deref().unwrap_or("no reason was given");
                self.for_person = Some(format!(
                    "A hook wanted to ask you about this {event}, which {title} cannot do: {reason}"
                ));
                rewrite.map_or(ReplyAct::Silence, ReplyAct::Rewrite)
            }
        }
    }

    fn deny(&mut self, reason: String, turn: TurnEffect) -> ReplyAct {
        let ReplyPoint { title, event, .. } = self.point;
        match self.point.caps.deny {
            DenyCap::Prevents => ReplyAct::Deny { reason, turn },
            DenyCap::EndsTurn(caveat) => {
                if turn == TurnEffect::GoesOn {
                    self.lose(caveat.to_owned());
                }
                ReplyAct::Deny { reason, turn }
            }
            DenyCap::PreventsBut(caveat) => {
                self.lose(caveat.to_owned());
                self.doubt(&reason);
                ReplyAct::Deny { reason, turn }
            }
            DenyCap::Perhaps => {
                self.lose(format!(
                    "Becket does not know {event}; it is refused if {title} lets a hook refuse it."
                ));
                self.doubt(&reason);
                ReplyAct::Deny { reason, turn }
            }
            DenyCap::KeepsGoing => ReplyAct::KeepGoing {
                instruction: reason,
            },
            DenyCap::KeepsGoingBut(caveat) => {
                self.lose(caveat.to_owned());
                ReplyAct::KeepGoing {
                    instruction: reason,
                }
            }
            DenyCap::Stops => {
                self.lose(format!("{title} cannot be kept going at {event}."));
                self.for_person = Some(format!(
                    "A hook wanted {title} to go on at {event}, which it cannot do: {reason}"
                ));
                ReplyAct::Silence
            }
            DenyCap::ReplacesResult => {
                self.already("the model reads the reason instead of the result");
                ReplyAct::Note { reason }
            }
            DenyCap::Notes(instead) => {
                self.already(instead);
                ReplyAct::Note { reason }
            }
            DenyCap::Done => ReplyAct::Silence,
            DenyCap::Cannot => {
                self.inform(&reason);
                ReplyAct::Silence
            }
        }
    }

    fn already(&mut self, instead: &str) {
        let event = self.point.event;
        self.lose(format!("At {event} it has happened already; {instead}."));
    }

    /// A denial that may not be enforced: the model reads that it applies all the same, and the reason where
    /// that is not next to it.
    fn doubt(&mut self, reason: &str) {
        let ReplyPoint { title, event, .. } = self.point;
        let refused = match self.point.caps.context {
            ContextCap::Given | ContextCap::GivenBut(_) => {
                format!("A hook that the person set up refused this {event}: {reason}\n")
            }
            _ => String::new(),
        };
        self.for_model = Some(format!(
            "{refused}{title} may not enforce this refusal of {event}. Do not go on with what was refused; tell the person."
        ));
    }

    /// Nothing can be prevented, so Becket informs the person and the model.
    fn inform(&mut self, reason: &str) {
        let ReplyPoint { title, event, .. } = self.point;
        self.lose(format!("{title} lets no hook refuse {event}."));
        self.for_person = Some(format!(
            "A hook refused this {event}, but {title} goes on regardless: {reason}"
        ));
        self.for_model = Some(format!(
            "A hook that the person set up refused this {event}: {reason}\n{title} cannot enforce that here. Do not go on with what was refused; tell the person."
        ));
    }

    fn halt(&mut self, reason: String) -> ReplyAct {
        let EventCaps { deny, halt, .. } = *self.point.caps;
        if let HaltCap::EndsTurnBut(caveat) | HaltCap::StopsBut(caveat) = halt {
            self.lose(caveat.to_owned());
        }
        match halt {
            HaltCap::Cannot => self.halt_in_vain(reason),
            _ if deny.prevents() => self.deny(reason, TurnEffect::Ends),
            HaltCap::EndsTurn | HaltCap::EndsTurnBut(_) => self.end_turn(reason),
            HaltCap::Stops | HaltCap::StopsBut(_) => self.let_stop(&reason),
            HaltCap::WithDeny => self.halt_in_vain(reason),
        }
    }

    fn end_turn(&mut self, reason: String) -> ReplyAct {
        if matches!(
            self.point.caps.deny,
            DenyCap::ReplacesResult | DenyCap::Notes(_)
        ) {
            self.already("the turn is ended");
        }
        ReplyAct::EndTurn { reason }
    }

    fn let_stop(&mut self, reason: &str) -> ReplyAct {
        let ReplyPoint { title, event, .. } = self.point;
        let message = self.point.caps.message;
        if !matches!(message, MessageCap::Shown | MessageCap::ShownAlone) {
            self.lose(format!(
                "{title} ends the turn at {event} by itself, without the hook's reason."
            ));
        }
        self.for_person = Some(match self.point.caps.halt {
            HaltCap::StopsBut(_) => self.unended(reason),
            _ => format!("A hook ended the turn: {reason}"),
        });
        ReplyAct::Silence
    }

    fn unended(&self, reason: &str) -> String {
        let ReplyPoint { title, event, .. } = self.point;
        format!("A hook wanted to end the turn at {event}, which {title} cannot do: {reason}")
    }

    fn halt_in_vain(&mut self, reason: String) -> ReplyAct {
        let ReplyPoint { title, event, .. } = self.point;
        self.lose(format!("{title} cannot end the turn at {event}."));
        if !self.point.caps.deny.keeps_going() {
            return self.deny(reason, TurnEffect::GoesOn);
        }
        // A denial would do the very opposite.
        self.for_person = Some(self.unended(&reason));
        ReplyAct::Silence
    }

    fn keep_going(&mut self, act: ReplyAct, decision: &Decision) -> ReplyAct {
        let ReplyPoint { title, event, .. } = self.point;
        let Some(instruction) = non_blank(decision.keep_going.as_ref()) else {
            return act;
        };
        let instruction = self.short(instruction);
        match act {
            act if decision.verdict == Verdict::Halt => {
                self.lose("The turn is ended, so the instruction to keep going is dropped.".into());
                act
            }
            ReplyAct::KeepGoing { instruction: said } if said != NO_REASON => ReplyAct::KeepGoing {
                instruction: format!("{said}\n{instruction}"),
            },
            ReplyAct::KeepGoing { .. } => ReplyAct::KeepGoing { instruction },
            ReplyAct::Silence if self.point.caps.deny.keeps_going() => {
                if let DenyCap::KeepsGoingBut(caveat) = self.point.caps.deny {
                    self.lose(caveat.to_owned());
                }
                ReplyAct::KeepGoing { instruction }
            }
            act if self.point.caps.deny == DenyCap::Stops => {
                self.lose(format!("{title} cannot be kept going at {event}."));
                act
            }
            act => {
                self.lose(format!("At {event} there is nothing to keep going."));
                act
            }
        }
    }

    fn lose(&mut self, sentence: String) {
        if !self.lost.contains(&sentence) {
            self.lost.push(sentence);
        }
    }
}

impl ReplyAct {
    /// The act with another line in its reason or instruction.
    fn with_more(mut self, text: &str) -> Self {
        if let Self::Deny { reason: said, .. }
        | Self::Note { reason: said }
        | Self::EndTurn { reason: said }
        | Self::KeepGoing { instruction: said } = &mut self
        {
            said.push('\n');
            said.push_str(text);
        }
        self
    }
}

fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}
