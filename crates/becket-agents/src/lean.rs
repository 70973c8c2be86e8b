//! What is left of a decision once everything that an agent cannot say leans to the safe side.
//!
//! An agent's table gives the [`Means`] it has at each event; [`At::lean`] turns a decision into an
//! [`Answer`] that these means can say, and lists what got lost. A question that cannot be put is a
//! refusal where refusing is possible, and so is a rewrite that cannot be made before something
//! happens; what can be neither is told to everyone who can be reached. How an answer is written is
//! the business of each agent's folder.

use becket_model::{Decision, EventKind, Verdict};
use serde_json::{Map, Value};

use crate::text::{NO_REASON, filled, joined, with_rewrite};

/// One of an agent's events.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Native {
    /// The agent's name for it.
    pub(crate) name: &'static str,
    /// Another name that the agent has for it.
    pub(crate) also: Option<&'static str>,
    /// The canonical name, where there is one.
    pub(crate) kind: Option<EventKind>,
    pub(crate) means: Means,
}

pub(crate) const fn native(name: &'static str, kind: Option<EventKind>, means: Means) -> Native {
    Native {
        name,
        also: None,
        kind,
        means,
    }
}

impl Native {
    pub(crate) const fn or(self, also: &'static str) -> Self {
        // `Option<EventKind>` has a destructor, so the fields cannot be moved one by one.
        let mut this = self;
        this.also = Some(also);
        this
    }
}

/// The event of that name: the agent's own, the canonical one, or either in another spelling.
pub(crate) fn find<'t>(events: &'t [Native], name: &str) -> Option<&'t Native> {
    let kind = EventKind::parse(name);
    let by = |test: &dyn Fn(&Native) -> bool| events.iter().find(|event| test(event));
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
pub(crate) struct Means {
    pub(crate) deny: Deny,
    pub(crate) ask: Ask,
    pub(crate) allow: Allow,
    pub(crate) halt: Halt,
    pub(crate) rewrite: Rewrite,
    pub(crate) context: Context,
    pub(crate) message: Message,
}

/// What a refusal does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deny {
    /// It keeps the thing from happening.
    Prevents,
    /// It has happened; the words say what the refusal does instead.
    Note(&'static str),
    /// It makes the agent go on.
    KeepsGoing,
    /// Nobody knows; it is refused in case that helps.
    Perhaps,
    /// There is no way; everyone who can be reached is told.
    Tell,
}

/// How a question is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// The agent asks when told to.
    Native,
    /// The agent is about to ask; silence lets it.
    Dialog,
    /// It cannot be asked, but it can be refused.
    Deny,
    /// It can be neither asked nor refused; the person is told.
    Tell,
}

/// What vouching does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allow {
    /// The agent skips its own prompt.
    Native,
    /// There is no prompt; silence lets it happen.
    Silence,
    /// The agent's own prompt cannot be skipped.
    Cannot,
}

/// How the turn is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
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
pub(crate) enum Rewrite {
    /// It is taken.
    Takes,
    /// It is not taken, and what it was to change is still to come: it is refused.
    Refuses,
    /// It is not taken, and it is too late or makes no sense.
    Drops,
}

/// What becomes of text for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Context {
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
pub(crate) enum Message {
    /// It is shown.
    Shown,
    /// There is no way.
    Cannot,
}

/// What an agent is to be told, in its means.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Answer {
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
    pub(crate) means: Means,
}

/// Maps a rewritten input to the agent's keys, or says why it cannot.
pub(crate) type Back<'a> = &'a dyn Fn(&Value) -> Result<Map<String, Value>, String>;

impl At<'_> {
    /// The decision, as far as it can be said.
    pub(crate) fn lean(&self, decision: &Decision, back: Back<'_>) -> Answer {
        let mut told = Told::default();
        let mut answer = Answer {
            verdict: decision.verdict,
            reason: filled(decision.reason.as_ref()).map(str::to_owned),
            ..Answer::default()
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

    fn rewrite(&self, answer: &mut Answer, decision: &Decision, back: Back<'_>) {
        // A refused call has no input, so a rewrite beside a refusal is not worth a word.
        let Some(input) = &decision.updated_input else {
            return;
        };
        if answer.verdict.blocks() {
            return;
        }
        let (title, event) = (self.title, self.event);
        let none = format!("{title} takes no rewritten input at {event}");
        let why = match self.means.rewrite {
            Rewrite::Takes => match back(input) {
                Ok(input) => {
                    answer.rewrite = Some(input);
                    return;
                }
                Err(why) => why,
            },
            Rewrite::Refuses => none,
            Rewrite::Drops => {
                answer.lost.push(format!("{none}; the rewrite is dropped."));
                // Whoever vouched, vouched for the rewritten input.
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

    fn allow(&self, answer: &mut Answer) {
        match self.means.allow {
            Allow::Native => return,
            Allow::Silence => {}
            Allow::Cannot => {
                let title = self.title;
                answer
                    .lost
                    .push(format!("{title} lets no hook skip its own prompt."));
            }
        }
        answer.verdict = Verdict::NoOpinion;
        answer.reason = None;
    }

    fn ask(&self, answer: &mut Answer, told: &mut Told) {
        let (title, event) = (self.title, self.event);
        match self.means.ask {
            Ask::Native => return,
            Ask::Dialog => {
                if answer.reason.is_some() {
                    answer.lost.push(format!(
                        "{title} asks at {event} by itself, without the hook's reason."
                    ));
                }
            }
            Ask::Deny => {
                answer.lost.push(format!(
                    "{title} cannot ask at {event}, so it is refused instead."
                ));
                answer.verdict = Verdict::Deny;
                return self.deny(answer, told);
            }
            Ask::Tell => {
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

    fn deny(&self, answer: &mut Answer, told: &mut Told) {
        let (title, event) = (self.title, self.event);
        let reason = answer.reason.take().unwrap_or_else(|| NO_REASON.to_owned());
        match self.means.deny {
            Deny::Prevents => {}
            Deny::Note(instead) => {
                let already = format!("At {event} it has happened already; {instead}.");
                answer.lost.push(already);
            }
            Deny::Perhaps => answer.lost.push(format!(
                "{event} is not an event that Becket knows; it is refused if it can be refused."
            )),
            Deny::KeepsGoing => {
                answer.verdict = Verdict::NoOpinion;
                answer.keep_going = Some(reason);
                return;
            }
            Deny::Tell => {
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

    fn halt(&self, answer: &mut Answer, told: &mut Told) {
        match self.means.halt {
            Halt::Native => {
                if matches!(self.means.deny, Deny::Note(_)) {
                    let event = self.event;
                    let lost = format!("At {event} it has happened already; the turn is ended.");
                    answer.lost.push(lost);
                }
                answer.reason.get_or_insert_with(|| NO_REASON.to_owned());
            }
            Halt::Silence | Halt::SilenceBut(_) => {
                if let Halt::SilenceBut(what) = self.means.halt {
                    answer.lost.push(format!("{} {what}.", self.title));
                }
                answer.verdict = Verdict::NoOpinion;
                answer.reason = None;
            }
            Halt::Deny => {
                answer.verdict = Verdict::Deny;
                self.deny(answer, told);
            }
            Halt::Cannot => {
                let (title, event) = (self.title, self.event);
                answer
                    .lost
                    .push(format!("{title} cannot end the turn at {event}."));
                answer.verdict = Verdict::Deny;
                self.deny(answer, told);
            }
        }
    }

    fn keep_going(&self, answer: &mut Answer, decision: &Decision) {
        let Some(instruction) = filled(decision.keep_going.as_ref()) else {
            return;
        };
        if decision.verdict == Verdict::Halt {
            let lost = "The turn is ended, so the instruction to keep going is dropped.";
            answer.lost.push(lost.into());
        } else if self.means.deny == Deny::KeepsGoing {
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

    fn context(&self, answer: &mut Answer, decision: &Decision, told: Option<String>) {
        let own = filled(decision.context.as_ref());
        let Some(text) = joined(own, told) else {
            return;
        };
        let (title, event) = (self.title, self.event);
        match self.means.context {
            // Of a result that is refused, the model sees only the reason.
            Context::Given if matches!(self.means.deny, Deny::Note(_)) => {
                match &mut answer.reason {
                    Some(reason) => *reason = format!("{reason}\n{text}"),
                    None => answer.context = Some(text),
                }
            }
            Context::GivenUnlessRefused if answer.verdict.blocks() => {
                let lost = "What is refused takes no context.";
                answer.lost.push(lost.into());
            }
            Context::Given | Context::GivenUnlessRefused => answer.context = Some(text),
            Context::GivenBut(what) => {
                answer.lost.push(format!("{title} {what}."));
                answer.context = Some(text);
            }
            Context::WithReason => match (&mut answer.keep_going, &mut answer.reason) {
                (Some(reason), _) | (None, Some(reason)) => *reason = format!("{reason}\n{text}"),
                (None, None) if own.is_none() => {}
                (None, None) => answer.lost.push(format!(
                    "{title} takes context at {event} only with a refusal or a reason to keep going."
                )),
            },
            Context::Cannot if own.is_none() => {}
            Context::Cannot => answer
                .lost
                .push(format!("{title} takes no context at {event}.")),
        }
    }

    fn message(&self, answer: &mut Answer, decision: &Decision, told: Option<String>) {
        let own = filled(decision.system_message.as_ref());
        match self.means.message {
            Message::Shown => answer.message = joined(own, told),
            Message::Cannot if own.is_none() => {}
            Message::Cannot => {
                let (title, event) = (self.title, self.event);
                answer
                    .lost
                    .push(format!("{title} shows the person no message at {event}."));
            }
        }
    }
}

/// What is said to whom beside the decision's own words.
#[derive(Default)]
struct Told {
    model: Option<String>,
    person: Option<String>,
}

/// A refusal or a question about a payload that could not be read; `None` where silence is the
/// answer, because nobody can vouch for what was not read.
pub(crate) fn unread(verdict: Verdict, reason: &str) -> Option<Decision> {
    (verdict > Verdict::Allow).then(|| Decision {
        verdict,
        reason: Some(reason.to_owned()),
        ..Decision::default()
    })
}
