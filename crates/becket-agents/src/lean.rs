//! What is left of a decision once everything that an agent cannot say leans to the safe side.
//!
//! An agent's table gives the [`LeanMeans`] it has at each event; [`At::lean`] turns a decision into an
//! [`LeanAnswer`] that these means can say, and lists what got lost. A question that cannot be put is a
//! refusal where refusing is possible, and so is a rewrite that cannot be made before something
//! happens; where neither is possible, Becket informs the user and the model. How an answer is written is
//! the business of each agent's folder.

use becket_model::{Decision, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::reply_text::{NO_REASON, join_lines, non_blank, with_rewrite};

/// One of an agent's events.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LeanNative {
    /// The agent's name for it.
    pub(crate) name: &'static str,
    /// Another name that the agent has for it.
    pub(crate) also: Option<&'static str>,
    /// The canonical name, where there is one.
    pub(crate) kind: Option<EventKind>,
    pub(crate) means: LeanMeans,
}

pub(crate) const fn native(
    name: &'static str,
    kind: Option<EventKind>,
    means: LeanMeans,
) -> LeanNative {
    LeanNative {
        name,
        also: None,
        kind,
        means,
    }
}

impl LeanNative {
    pub(crate) const fn or(self, also: &'static str) -> Self {
        // `Option<EventKind>` has a destructor, so the fields cannot be moved one by one.
        let mut this = self;
        this.also = Some(also);
        this
    }
}

/// The event of that name: the agent's own, the canonical one, or either in another spelling.
pub(crate) fn find<'t>(events: &'t [LeanNative], name: &str) -> Option<&'t LeanNative> {
    let kind = EventKind::parse(name);
    let by = |test: &dyn Fn(&LeanNative) -> bool| events.iter().find(|event| test(event));
    by(&|event| event.name == name || event.also == Some(name))
        .or_else(|| by(&|event| event.kind.as_ref() == Some(&kind)))
        .or_else(|| by(&|event| same(event.name, name)))
}

/// Whether two names differ in case and separators only.
fn same(a: &str, b: &str) -> bool {
    let letters = |name: &str| -> Vec<u8> {
        name.bytes()
            .filter(|b| !matches!(b, b'-' | b'_' | b':' | b'.' | b' '))
            .map(|b| b.to_ascii_lowercase())
            .collect()
    };
    letters(a) == letters(b)
}

/// What can be said at an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LeanMeans {
    pub(crate) deny: LeanDeny,
    pub(crate) ask: LeanAsk,
    pub(crate) allow: LeanAllow,
    pub(crate) halt: LeanHalt,
    pub(crate) rewrite: LeanRewrite,
    pub(crate) context: LeanContext,
    pub(crate) message: LeanMessage,
}

/// What a refusal does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeanDeny {
    /// It keeps the thing from happening.
    Prevents,
    /// It has happened; the words say what the refusal does instead.
    Note(&'static str),
    /// It makes the agent go on.
    KeepsGoing,
    /// Unknown; Becket refuses in case that works.
    Perhaps,
    /// Not possible; Becket informs the user and the model.
    Tell,
}

/// How a question is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeanAsk {
    /// The agent asks when told to.
    Native,
    /// The agent is about to ask; silence lets it.
    Dialog,
    /// It cannot be asked, but it can be refused.
    Deny,
    /// Neither ask nor refusal is possible; Becket informs the user.
    Tell,
}

/// What vouching does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeanAllow {
    /// The agent skips its own prompt.
    Native,
    /// There is no prompt; silence lets it happen.
    Silence,
    /// The agent's own prompt cannot be skipped.
    Cannot,
}

/// How the turn is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeanHalt {
    /// The agent has a word for it.
    Native,
    /// The refusal ends the turn as well.
    Deny,
    /// The agent is about to stop; silence lets it.
    Silence,
    /// The same; the words say what goes on.
    SilenceBut(&'static str),
    /// There is no way beyond the refusal.
    Cannot,
}

/// What becomes of a rewritten input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeanRewrite {
    /// It is taken.
    Takes,
    /// It is not taken, and what it was to change is still to come: it is refused.
    Refuses,
    /// It is not taken, and it is too late or makes no sense.
    Drops,
}

/// What becomes of text for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeanContext {
    /// It is given.
    Given,
    /// It is given, unless nothing reaches the model because it is refused.
    GivenUnlessRefused,
    /// It is given; the words say what else happens.
    GivenBut(&'static str),
    /// Only together with a reason that the model reads.
    WithReason,
    /// There is no way.
    Cannot,
}

/// What becomes of text for the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LeanMessage {
    /// It is shown.
    Shown,
    /// There is no way.
    Cannot,
}

/// The answer that an agent can express.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct LeanAnswer {
    /// Never [`Verdict::Ask`] or [`Verdict::Allow`] where the agent has no word for it.
    pub(crate) verdict: Verdict,
    /// Always there for a refusal and a halt.
    pub(crate) reason: Option<String>,
    /// In the agent's own keys.
    pub(crate) rewrite: Option<Map<String, Value>>,
    /// Text for the model.
    pub(crate) context: Option<String>,
    /// Text for the person.
    pub(crate) message: Option<String>,
    /// What the agent is to go on with.
    pub(crate) keep_going: Option<String>,
    /// What could not be said.
    pub(crate) lost: Vec<String>,
}

/// An agent at one of its events.
pub(crate) struct At<'a> {
    /// The agent's name for people.
    pub(crate) title: &'static str,
    /// The event's name, as the agent calls it.
    pub(crate) event: &'a str,
    pub(crate) means: LeanMeans,
}

/// Maps a rewritten input to the agent's keys, or says why it cannot.
pub(crate) type LeanBack<'a> = &'a dyn Fn(&Value) -> Result<Map<String, Value>, String>;

impl At<'_> {
    /// The decision, as far as it can be said.
    pub(crate) fn lean(&self, decision: &Decision, back: LeanBack<'_>) -> LeanAnswer {
        let mut told = LeanTold::default();
        let mut answer = LeanAnswer {
            verdict: decision.verdict,
            reason: non_blank(decision.reason.as_ref()).map(str::to_owned),
            ..LeanAnswer::default()
        };
        self.rewrite(&mut answer, decision, back);
        match answer.verdict {
            Verdict::NoOpinion => answer.reason = None,
            Verdict::Allow => self.allow(&mut answer),
            Verdict::Ask => self.ask(&mut answer, &mut told),
            Verdict::Deny => self.deny(&mut answer, &mut told),
            Verdict::Halt => self.halt(&mut answer, &mut told),
        }
        self.keep_going(&mut answer, decision);
        self.context(&mut answer, decision, told.model);
        self.message(&mut answer, decision, told.person);
        answer
    }

    fn rewrite(&self, answer: &mut LeanAnswer, decision: &Decision, back: LeanBack<'_>) {
        // A refused call has no input, so a rewrite together with a refusal is ignored.
        let Some(input) = &decision.updated_input else {
            return;
        };
        if answer.verdict.blocks() {
            return;
        }
        let (title, event) = (self.title, self.event);
        let none = format!("{title} takes no rewritten input at {event}");
        let why = match self.means.rewrite {
            LeanRewrite::Takes => match back(input) {
                Ok(input) => {
                    answer.rewrite = Some(input);
                    return;
                }
                Err(why) => why,
            },
            LeanRewrite::Refuses => none,
            LeanRewrite::Drops => {
                answer.lost.push(format!("{none}; the rewrite is dropped."));
                // The allow applies to the rewritten input only.
                if answer.verdict == Verdict::Allow {
                    answer.verdict = Verdict::NoOpinion;
                }
                return;
            }
        };
        answer
            .lost
            .push(format!("{why}, so it is refused instead."));
        answer.reason = Some(with_rewrite(answer.reason.as_deref(), input));
        answer.verdict = Verdict::Deny;
    }

    fn allow(&self, answer: &mut LeanAnswer) {
        match self.means.allow {
            LeanAllow::Native => return,
            LeanAllow::Silence => {}
            LeanAllow::Cannot => {
                let title = self.title;
                answer
                    .lost
                    .push(format!("{title} lets no hook skip its own prompt."));
            }
        }
        answer.verdict = Verdict::NoOpinion;
        answer.reason = None;
    }

    fn ask(&self, answer: &mut LeanAnswer, told: &mut LeanTold) {
        let (title, event) = (self.title, self.event);
        match self.means.ask {
            LeanAsk::Native => return,
            LeanAsk::Dialog => {
                if answer.reason.is_some() {
                    answer.lost.push(format!(
                        "{title} asks at {event} by itself, without the hook's reason."
                    ));
                }
            }
            LeanAsk::Deny => {
                answer.lost.push(format!(
                    "{title} cannot ask at {event}, so it is refused instead."
                ));
                answer.verdict = Verdict::Deny;
                return self.deny(answer, told);
            }
            LeanAsk::Tell => {
                answer.lost.push(format!("{title} cannot ask at {event}."));
                let reason = answer.reason.as_deref().unwrap_or("no reason was given");
                told.person = Some(format!(
                    "A hook wanted to ask you about this {event}, which {title} cannot do: {reason}"
                ));
            }
        }
        answer.verdict = Verdict::NoOpinion;
        answer.reason = None;
    }

    fn deny(&self, answer: &mut LeanAnswer, told: &mut LeanTold) {
        let (title, event) = (self.title, self.event);
        let reason = answer.reason.take().unwrap_or_else(|| NO_REASON.to_owned());
        match self.means.deny {
            LeanDeny::Prevents => {}
            LeanDeny::Note(instead) => {
                let already = format!("At {event} it has happened already; {instead}.");
                answer.lost.push(already);
            }
            LeanDeny::Perhaps => answer.lost.push(format!(
                "{event} is not an event that Becket knows; it is refused if it can be refused."
            )),
            LeanDeny::KeepsGoing => {
                answer.verdict = Verdict::NoOpinion;
                answer.keep_going = Some(reason);
                return;
            }
            LeanDeny::Tell => {
                answer
                    .lost
                    .push(format!("{title} lets no hook refuse {event}."));
                told.person = Some(format!(
                    "A hook refused this {event}, but {title} goes on regardless: {reason}"
                ));
                told.model = Some(format!(
                    "A hook that the person set up refused this {event}: {reason}\n{title} cannot enforce that here. Do not go on with what was refused; tell the person."
                ));
                answer.verdict = Verdict::NoOpinion;
                return;
            }
        }
        answer.reason = Some(reason);
    }

    fn halt(&self, answer: &mut LeanAnswer, told: &mut LeanTold) {
        match self.means.halt {
            LeanHalt::Native => {
                if matches!(self.means.deny, LeanDeny::Note(_)) {
                    let event = self.event;
                    let lost = format!("At {event} it has happened already; the turn is ended.");
                    answer.lost.push(lost);
                }
                answer.reason.get_or_insert_with(|| NO_REASON.to_owned());
            }
            LeanHalt::Silence | LeanHalt::SilenceBut(_) => {
                if let LeanHalt::SilenceBut(what) = self.means.halt {
                    answer.lost.push(format!("{} {what}.", self.title));
                }
                answer.verdict = Verdict::NoOpinion;
                answer.reason = None;
            }
            LeanHalt::Deny => {
                answer.verdict = Verdict::Deny;
                self.deny(answer, told);
            }
            LeanHalt::Cannot => {
                let (title, event) = (self.title, self.event);
                answer
                    .lost
                    .push(format!("{title} cannot end the turn at {event}."));
                answer.verdict = Verdict::Deny;
                self.deny(answer, told);
            }
        }
    }

    fn keep_going(&self, answer: &mut LeanAnswer, decision: &Decision) {
        let Some(instruction) = non_blank(decision.keep_going.as_ref()) else {
            return;
        };
        if decision.verdict == Verdict::Halt {
            let lost = "The turn is ended, so the instruction to keep going is dropped.";
            answer.lost.push(lost.into());
        } else if self.means.deny == LeanDeny::KeepsGoing {
            answer.keep_going = match answer.keep_going.take() {
                Some(reason) if reason != NO_REASON => Some(format!("{reason}\n{instruction}")),
                _ => Some(instruction.to_owned()),
            };
        } else {
            let event = self.event;
            answer
                .lost
                .push(format!("At {event} there is nothing to keep going."));
        }
    }

    fn context(&self, answer: &mut LeanAnswer, decision: &Decision, told: Option<String>) {
        let own = non_blank(decision.context.as_ref());
        let Some(text) = join_lines(own, told) else {
            return;
        };
        let (title, event) = (self.title, self.event);
        match self.means.context {
            // Of a result that is refused, the model sees only the reason.
            LeanContext::Given if matches!(self.means.deny, LeanDeny::Note(_)) => {
                match &mut answer.reason {
                    Some(reason) => *reason = format!("{reason}\n{text}"),
                    None => answer.context = Some(text),
                }
            }
            LeanContext::GivenUnlessRefused if answer.verdict.blocks() => {
                let lost = "What is refused takes no context.";
                answer.lost.push(lost.into());
            }
            LeanContext::Given | LeanContext::GivenUnlessRefused => answer.context = Some(text),
            LeanContext::GivenBut(what) => {
                answer.lost.push(format!("{title} {what}."));
                answer.context = Some(text);
            }
            LeanContext::WithReason => match (&mut answer.keep_going, &mut answer.reason) {
                (Some(reason), _) | (None, Some(reason)) => *reason = format!("{reason}\n{text}"),
                (None, None) if own.is_none() => {}
                (None, None) => answer.lost.push(format!(
                    "{title} takes context at {event} only with a refusal or a reason to keep going."
                )),
            },
            LeanContext::Cannot if own.is_none() => {}
            LeanContext::Cannot => answer
                .lost
                .push(format!("{title} takes no context at {event}.")),
        }
    }

    fn message(&self, answer: &mut LeanAnswer, decision: &Decision, told: Option<String>) {
        let own = non_blank(decision.system_message.as_ref());
        match self.means.message {
            LeanMessage::Shown => answer.message = join_lines(own, told),
            LeanMessage::Cannot if own.is_none() => {}
            LeanMessage::Cannot => {
                let (title, event) = (self.title, self.event);
                answer
                    .lost
                    .push(format!("{title} shows the person no message at {event}."));
            }
        }
    }
}

/// Texts for the user and the model in addition to the decision's own.
#[derive(Default)]
struct LeanTold {
    model: Option<String>,
    person: Option<String>,
}

/// A refusal or a question about a payload that could not be read; `None` where silence is the
/// answer, because an unread payload cannot be approved.
pub(crate) fn unread(verdict: Verdict, reason: &str) -> Option<Decision> {
    (verdict > Verdict::Allow).then(|| Decision {
        verdict,
        reason: Some(reason.to_owned()),
        ..Decision::default()
    })
}
