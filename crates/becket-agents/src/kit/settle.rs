//! What is left of a decision once everything that an event cannot take has leaned to the safe side.
//!
//! An adapter describes each of its events by [`KitMeans`]; [`KitScene::settle`] turns a decision into a
//! [`KitSettled`] one, all of which can be said there. A question that cannot be put is a refusal where
//! refusing is possible, and so is a rewrite that cannot be made before something happens; where
//! nothing can be refused, Becket informs the user and the model. Each such change is a sentence in
//! `lost`. How an agent says things is not known here.

use std::borrow::Cow;

use becket_model::{Decision, Verdict};
use serde_json::{Map, Value};

use crate::reply_text::{NO_REASON, join_lines, non_blank, with_rewrite};

/// What an agent takes from a hook at one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KitMeans {
    pub(crate) allow: KitAllow,
    pub(crate) refuse: Refuse,
    pub(crate) ask: KitAsk,
    pub(crate) halt: KitHalt,
    pub(crate) rewrite: KitRewrite,
    pub(crate) context: KitContext,
    pub(crate) message: KitMessage,
}

/// What becomes of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KitAllow {
    /// An allow can skip the agent's own prompt.
    Said,
    /// There is nothing to approve.
    Moot,
    /// The agent's own rules decide, whatever a hook thinks.
    Cannot,
}

/// What a refusal does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refuse {
    /// It prevents what the event announces.
    Prevents,
    /// It does so in some of the agent's forms only; the words, a clause, say where it does not.
    PreventsUnless(&'static str),
    /// It makes the agent go on, with the reason as its instruction.
    KeepsGoing,
    /// It is a note to the model after the fact.
    Notes,
    /// Not possible; Becket informs the user and the model.
    Tells,
}

/// What becomes of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KitAsk {
    /// The agent asks when told to.
    Native,
    /// The agent is about to ask; silence lets it.
    Dialog,
    /// There is no way.
    Cannot,
}

/// How the turn is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KitHalt {
    /// The refusal ends it as well.
    Refusal,
    /// The agent accepts the request, but does less; the sentence says what.
    InPart(&'static str),
    /// It is over anyway; silence lets it end.
    Over,
    /// There is no way beyond the refusal.
    Cannot,
}

/// Whether a tool's input can be replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KitRewrite {
    Taken,
    Cannot,
}

/// What becomes of text for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KitContext {
    /// It has a place of its own.
    Given,
    /// It can be a part of a refusal's reason, which the model reads.
    WithRefusal,
    /// There is no way.
    Cannot,
}

/// What becomes of text for the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KitMessage {
    Shown,
    /// Always accepted, but shown only with a refusal.
    WithRefusal,
    /// There is no way.
    Cannot,
}

/// One event of an agent, about to be answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KitScene<'a> {
    /// The agent's name for people.
    pub(crate) agent: &'static str,
    /// The event's name, as the agent writes it.
    pub(crate) event: &'a str,
    pub(crate) means: KitMeans,
    /// The longest context that the agent takes, in UTF-16 units as JavaScript counts.
    pub(crate) context_limit: Option<usize>,
}

/// A decision all of which can be said at its event.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct KitSettled {
    pub(crate) verdict: Verdict,
    /// Always present with `Deny` and `KitHalt`.
    pub(crate) reason: Option<String>,
    /// In the agent's own keys.
    pub(crate) rewrite: Option<Map<String, Value>>,
    pub(crate) context: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) keep_going: Option<String>,
    pub(crate) lost: Vec<String>,
}

impl KitSettled {
    /// The reason of a refusal.
    pub(crate) fn why(&self) -> &str {
        self.reason.as_deref().unwrap_or(NO_REASON)
    }

    pub(crate) fn refuses(&self) -> bool {
        self.verdict.blocks()
    }
}

/// A decision for a payload that could not be read. An unread payload cannot be approved.
pub(crate) fn unread(verdict: Verdict, reason: &str) -> Decision {
    if verdict <= Verdict::Allow {
        return Decision::default();
    }
    Decision {
        verdict,
        reason: Some(reason.to_owned()),
        ..Decision::default()
    }
}

impl<'a> KitScene<'a> {
    /// An event of an agent: by the name in the agent's table, or by the name that was given where the
    /// table does not know it.
    pub(crate) fn new(
        agent: &'static str,
        own: &'static str,
        given: &'a str,
        means: KitMeans,
    ) -> Self {
        Self {
            agent,
            event: if own.is_empty() { given } else { own },
            means,
            context_limit: None,
        }
    }

    /// Settles a decision. `to_native` translates a rewritten input into the agent's own keys: `None`
    /// if nothing changes, or why it cannot be done.
    pub(crate) fn settle(
        self,
        decision: &Decision,
        to_native: impl FnOnce(&Value) -> Result<Option<Map<String, Value>>, String>,
    ) -> KitSettled {
        let mut settling = Settling {
            scene: self,
            told_model: None,
            told_person: None,
            out: KitSettled {
                verdict: decision.verdict,
                reason: non_blank(decision.reason.as_ref()).map(str::to_owned),
                ..KitSettled::default()
            },
        };
        settling.rewrite(decision, to_native);
        settling.verdict();
        settling.keep_going(decision);
        settling.context(non_blank(decision.context.as_ref()));
        settling.message(non_blank(decision.system_message.as_ref()));
        settling.out
    }

    fn precedes(self) -> bool {
        matches!(
            self.means.refuse,
            Refuse::Prevents | Refuse::PreventsUnless(_)
        )
    }
}

struct Settling<'a> {
    scene: KitScene<'a>,
    /// For the model, in addition to the decision's own context.
    told_model: Option<String>,
    /// For the user, in addition to the decision's own message.
    told_person: Option<String>,
    out: KitSettled,
}

impl Settling<'_> {
    fn rewrite(
        &mut self,
        decision: &Decision,
        to_native: impl FnOnce(&Value) -> Result<Option<Map<String, Value>>, String>,
    ) {
        // A refused call has no input, so a rewrite together with a refusal is ignored.
        let Some(input) = decision
            .updated_input
            .as_ref()
            .filter(|_| !decision.verdict.blocks())
        else {
            return;
        };
        let KitScene { agent, event, .. } = self.scene;
        let native = match (to_native(input), self.scene.means.rewrite) {
            (Ok(None), _) => Ok(None),
            (native, KitRewrite::Taken) => native,
            (_, KitRewrite::Cannot) => Err(format!("{agent} takes no rewritten input at {event}")),
        };
        match native {
            Ok(native) => self.out.rewrite = native,
            Err(why) if self.scene.precedes() => {
                self.lose(format!("{why}, so it is refused instead."));
                self.out.reason = Some(with_rewrite(self.out.reason.as_deref(), input));
                self.out.verdict = Verdict::Deny;
            }
            Err(why) => {
                self.lose(format!("{why}; the rewrite is dropped."));
                // The allow applies to the rewritten input only.
                if self.out.verdict == Verdict::Allow {
                    self.out.verdict = Verdict::NoOpinion;
                }
            }
        }
    }

    fn verdict(&mut self) {
        match self.out.verdict {
            Verdict::NoOpinion => {}
            Verdict::Allow => self.allow(),
            Verdict::Ask => self.ask(),
            Verdict::Deny => self.refuse(),
            Verdict::Halt => self.halt(),
        }
        if self.out.refuses() {
            self.out.rewrite = None;
            self.out.reason.get_or_insert_with(|| NO_REASON.to_owned());
        }
    }

    fn allow(&mut self) {
        let KitScene { agent, event, .. } = self.scene;
        match self.scene.means.allow {
            KitAllow::Said => return,
            KitAllow::Moot => {}
            KitAllow::Cannot => self.lose(format!(
                "{agent} takes no approval at {event}; its own rules decide."
            )),
        }
        self.out.verdict = Verdict::NoOpinion;
    }

    fn ask(&mut self) {
        let KitScene { agent, event, .. } = self.scene;
        match self.scene.means.ask {
            KitAsk::Native => {}
            KitAsk::Dialog => {
                if self.out.reason.is_some() {
                    self.lose(format!(
                        "{agent} asks at {event} by itself, without the hook's reason."
                    ));
                }
                self.out.verdict = Verdict::NoOpinion;
            }
            KitAsk::Cannot if self.scene.precedes() => {
                self.lose(format!(
                    "{agent} cannot ask at {event}, so it is refused instead."
                ));
                self.out.verdict = Verdict::Deny;
                self.refuse();
            }
            KitAsk::Cannot => {
                self.lose(format!("{agent} cannot ask at {event}."));
                let reason = self.out.reason.as_deref().unwrap_or("no reason was given");
                self.told_person = Some(format!(
                    "A hook wanted to ask you about this {event}, which {agent} cannot do: {reason}"
                ));
                self.out.verdict = Verdict::NoOpinion;
            }
        }
    }

    fn refuse(&mut self) {
        let KitScene { agent, event, .. } = self.scene;
        match self.scene.means.refuse {
            Refuse::Prevents => {}
            Refuse::PreventsUnless(words) => {
                self.lose(format!("{agent} is told to refuse {event}, but {words}."));
                self.tell_model();
            }
            Refuse::KeepsGoing => {
                self.out.keep_going = Some(self.out.why().to_owned());
                self.out.verdict = Verdict::NoOpinion;
            }
            Refuse::Notes => self.lose(format!(
                "At {event} it has happened already; the model is told."
            )),
            Refuse::Tells => {
                self.lose(format!("{agent} lets no hook refuse {event}."));
                self.tell_model();
                self.told_person = Some(format!(
                    "A hook refused this {event}, which {agent} cannot be kept from: {}",
                    self.out.why()
                ));
                self.out.verdict = Verdict::NoOpinion;
            }
        }
    }

    fn tell_model(&mut self) {
        let KitScene { agent, event, .. } = self.scene;
        self.told_model = Some(format!(
            "A hook that the person set up refused this {event}: {}\n{agent} cannot enforce that here. Do not go on with what was refused; tell the person.",
            self.out.why()
        ));
    }

    fn halt(&mut self) {
        let KitScene { agent, event, .. } = self.scene;
        match self.scene.means.halt {
            KitHalt::Refusal if self.scene.precedes() => {
                self.out.verdict = Verdict::Deny;
                self.refuse();
            }
            KitHalt::InPart(words) => self.lose(words.to_owned()),
            KitHalt::Over => self.out.verdict = Verdict::NoOpinion,
            KitHalt::Refusal | KitHalt::Cannot => {
                self.lose(format!("{agent} cannot end the turn at {event}."));
                if self.scene.means.refuse == Refuse::KeepsGoing {
                    // Refusing would do the very opposite.
                    self.out.verdict = Verdict::NoOpinion;
                } else {
                    self.out.verdict = Verdict::Deny;
                    self.refuse();
                }
            }
        }
    }

    fn keep_going(&mut self, decision: &Decision) {
        let Some(instruction) = non_blank(decision.keep_going.as_ref()) else {
            return;
        };
        if decision.verdict == Verdict::Halt {
            self.lose("The turn is ended, so the instruction to keep going is dropped.".into());
        } else if self.scene.means.refuse == Refuse::KeepsGoing {
            let reason = self.out.keep_going.take().filter(|why| why != NO_REASON);
            self.out.keep_going = join_lines(reason.as_deref(), Some(instruction.to_owned()));
        } else {
            let event = self.scene.event;
            self.lose(format!(
                "{} cannot be kept going at {event}.",
                self.scene.agent
            ));
        }
    }

    fn context(&mut self, own: Option<&str>) {
        let Some(text) = join_lines(own, self.told_model.take()) else {
            return;
        };
        match self.scene.means.context {
            KitContext::Given => self.out.context = Some(self.within_limit(&text)),
            KitContext::WithRefusal if self.out.refuses() => {
                self.out.reason = join_lines(self.out.reason.as_deref(), own.map(str::to_owned));
            }
            KitContext::WithRefusal | KitContext::Cannot if own.is_none() => {}
            KitContext::WithRefusal | KitContext::Cannot => {
                let KitScene { agent, event, .. } = self.scene;
                self.lose(format!("{agent} takes no context at {event}."));
            }
        }
    }

    /// An agent that finds context too long drops all of it, so the rest is cut here instead.
    fn within_limit(&mut self, text: &str) -> String {
        let Some(limit) = self.scene.context_limit else {
            return text.to_owned();
        };
        match cut(text.trim(), limit) {
            Cow::Borrowed(text) => text.to_owned(),
            Cow::Owned(text) => {
                let agent = self.scene.agent;
                self.lose(format!(
                    "{agent} drops context of more than {limit} characters; the rest is cut off."
                ));
                text
            }
        }
    }

    fn message(&mut self, own: Option<&str>) {
        let Some(text) = join_lines(own, self.told_person.take()) else {
            return;
        };
        let message = self.scene.means.message;
        let shown = message == KitMessage::Shown
            || (message == KitMessage::WithRefusal && self.out.refuses());
        if message != KitMessage::Cannot {
            self.out.message = Some(text);
        }
        if !shown && own.is_some() {
            let KitScene { agent, event, .. } = self.scene;
            self.lose(format!(
                "{agent} shows the person no message at {event} with this answer."
            ));
        }
    }

    fn lose(&mut self, sentence: String) {
        self.out.lost.push(sentence);
    }
}

/// The text if it has at most `limit` UTF-16 units, else its beginning and an ellipsis.
fn cut(text: &str, limit: usize) -> Cow<'_, str> {
    if text.len() <= limit || text.encode_utf16().count() <= limit {
        return Cow::Borrowed(text);
    }
    let mut units = 0;
    let fits = |c: &char| {
        units += c.len_utf16();
        units < limit
    };
    Cow::Owned(text.chars().take_while(fits).chain(['…']).collect())
}

#[cfg(test)]
mod tests;
