//! The parts of a reply that do not decide: replaced output, context, messages, the agent's log.

use becket_model::{Decision, Verdict};
use serde_json::Value;

use super::super::capability::{
    ContextCap, DenyCap, LogCap, MessageCap, OutputCap, TextExcess, TextUnit,
};
use super::{Degrading, InputTranslator, ReplyAct, ReplyPoint};
use crate::payload::clip;
use crate::reply_text::{NO_REASON, join_lines, non_blank};

/// Where a text for the model goes.
enum ContextPlace {
    Own,
    OwnBut(&'static str),
    InReason,
    /// Nowhere; the sentence says so.
    Nowhere(String),
}

impl Degrading<'_> {
    pub(super) fn output(
        &mut self,
        act: &ReplyAct,
        decision: &Decision,
        translator: &dyn InputTranslator,
    ) -> Option<Value> {
        let output = decision.updated_output.as_ref()?;
        let ReplyPoint { title, event, .. } = self.point;
        let hides_result = self.point.caps.deny == DenyCap::ReplacesResult;
        match act {
            ReplyAct::Deny { .. } => {
                self.lose("What is refused has no output to replace.".into());
                None
            }
            ReplyAct::Note { .. } if hides_result => {
                self.lose("The model reads the reason instead of the replaced output.".into());
                None
            }
            _ => match self.point.caps.output {
                OutputCap::InShapeOf(key) => {
                    let sent = translator.sent_output(key);
                    if sent.is_some_and(|sent| has_shape(output, sent)) {
                        return Some(output.clone());
                    }
                    self.keep_output(format!(
                        "{title} takes a replaced output at {event} only in the shape of the tool's own"
                    ))
                }
                OutputCap::Cannot => {
                    self.keep_output(format!("{title} takes no replaced output at {event}"))
                }
            },
        }
    }

    /// The model sees the tool's output, so Becket informs the person.
    fn keep_output(&mut self, why: String) -> Option<Value> {
        let event = self.point.event;
        let notice = format!("A hook wanted to replace a tool's output at this {event}. {why}.");
        self.for_person = join_lines(self.for_person.as_deref(), Some(notice));
        self.lose(why + ".");
        None
    }

    pub(super) fn context(
        &mut self,
        act: ReplyAct,
        decision: &Decision,
    ) -> (ReplyAct, Option<String>) {
        let own = non_blank(decision.context.as_ref());
        let Some(text) = join_lines(own, self.for_model.take()) else {
            return (act, None);
        };
        match self.context_place(&act) {
            ContextPlace::Own => (act, Some(self.context_text(text))),
            ContextPlace::OwnBut(caveat) => {
                self.lose(caveat.to_owned());
                (act, Some(self.context_text(text)))
            }
            ContextPlace::InReason => {
                let text = self.cut(text, self.point.limits.text);
                (act.with_more(&text), None)
            }
            ContextPlace::Nowhere(sentence) => {
                if own.is_some() {
                    self.lose(sentence);
                }
                (act, None)
            }
        }
    }

    fn context_place(&self, act: &ReplyAct) -> ContextPlace {
        use ReplyAct as A;
        let ReplyPoint { title, event, .. } = self.point;
        match (self.point.caps.context, act) {
            (ContextCap::GivenBut(_), A::Deny { .. } | A::EndTurn { .. } | A::KeepGoing { .. })
            | (ContextCap::Given, _) => ContextPlace::Own,
            (ContextCap::GivenBut(caveat), _) => ContextPlace::OwnBut(caveat),
            (ContextCap::GivenUnlessDenied, A::Deny { .. } | A::EndTurn { .. }) => {
                ContextPlace::Nowhere(format!(
                    "{title} gives the model no context with a refusal at {event}."
                ))
            }
            // The model reads an instruction, and all of these texts where the capability says so.
            (ContextCap::GivenOrInReason, A::Deny { .. } | A::Note { .. } | A::EndTurn { .. })
            | (ContextCap::InReason, A::Deny { .. } | A::Note { .. })
            | (_, A::KeepGoing { .. }) => ContextPlace::InReason,
            (ContextCap::GivenOrInReason | ContextCap::GivenUnlessDenied, _) => ContextPlace::Own,
            (ContextCap::InReason, _) => {
                let with = if self.point.caps.deny.keeps_going() {
                    "an instruction to keep going"
                } else {
                    "a refusal"
                };
                ContextPlace::Nowhere(format!(
                    "{title} takes context at {event} only with {with}."
                ))
            }
            (ContextCap::Cannot, _) => {
                ContextPlace::Nowhere(format!("{title} takes no context at {event}."))
            }
        }
    }

    /// Context as far as the agent passes it on.
    fn context_text(&mut self, text: String) -> String {
        let text = self.cut(text, self.point.limits.context_text);
        let limit = self.point.caps.context_limit;
        let Some(limit) = limit
            .or(self.point.limits.context)
            .filter(|l| !l.holds(&text))
        else {
            return text;
        };
        let (title, max) = (self.point.title, limit.max);
        let unit = match limit.unit {
            TextUnit::Bytes => "bytes",
            TextUnit::Utf16 => "characters",
        };
        match limit.excess {
            TextExcess::Agent(verb, then) => {
                self.lose(format!(
                    "{title} {verb} context of more than {max} {unit}{then}."
                ));
                text
            }
            TextExcess::CutHere => {
                self.lose(format!(
                    "{title} drops context of more than {max} {unit}; the rest is cut off."
                ));
                beginning(text.trim(), max)
            }
        }
    }

    pub(super) fn message(
        &mut self,
        act: &ReplyAct,
        context: bool,
        decision: &Decision,
    ) -> Option<String> {
        let own = non_blank(decision.system_message.as_ref());
        let text = join_lines(own, self.for_person.take())?;
        let ReplyPoint { title, event, .. } = self.point;
        let denied = matches!(act, ReplyAct::Deny { .. } | ReplyAct::Note { .. });
        let goes_on = matches!(act, ReplyAct::KeepGoing { .. });
        let alone = *act == ReplyAct::Silence && !context;
        let (taken, shown) = match self.point.caps.message {
            MessageCap::Shown => (true, true),
            MessageCap::ShownUnlessDenied => (!denied && !goes_on, !denied && !goes_on),
            MessageCap::ShownIfDenied => (true, denied),
            MessageCap::ShownAlone => (true, alone),
            MessageCap::Unseen => (true, false),
            MessageCap::Cannot => (false, false),
        };
        // Where the agent shows messages, it is news that it does not show a notice of Becket's own.
        if !shown && (own.is_some() || self.point.caps.message == MessageCap::ShownAlone) {
            let here = match self.point.caps.message {
                MessageCap::Cannot => "",
                _ => " with this answer",
            };
            self.lose(format!(
                "{title} shows the person no message at {event}{here}."
            ));
        }
        taken.then(|| self.short(&text))
    }

    pub(super) fn quiet(&mut self, decision: &Decision) -> bool {
        let can = self.point.caps.log == LogCap::Suppresses;
        if decision.suppress_logging && !can {
            let title = self.point.title;
            self.lose(format!("{title} cannot leave an event out of its log."));
        }
        decision.suppress_logging && can
    }

    pub(super) fn halt_reason(&self, decision: &Decision) -> Option<String> {
        let reason = non_blank(decision.reason.as_ref()).unwrap_or(NO_REASON);
        (decision.verdict == Verdict::Halt).then(|| self.short(reason))
    }

    /// A reason, a message or an instruction within the agent's limit.
    pub(super) fn short(&self, text: &str) -> String {
        match self.point.limits.text {
            Some(limit) => clip(text, limit).into_owned(),
            None => text.to_owned(),
        }
    }

    /// Context within a limit of Becket's own.
    fn cut(&mut self, text: String, limit: Option<usize>) -> String {
        let Some(limit) = limit else {
            return text;
        };
        let short = clip(&text, limit).into_owned();
        if short.len() != text.len() {
            self.lose(format!(
                "Context of more than {limit} characters is cut off here."
            ));
        }
        short
    }
}

/// Whether two values differ in texts, numbers and the number of list items only.
fn has_shape(value: &Value, model: &Value) -> bool {
    match (value, model) {
        (Value::Array(items), Value::Array(models)) => items
            .iter()
            .all(|item| models.iter().any(|model| has_shape(item, model))),
        (Value::Object(members), Value::Object(models)) => {
            members.len() == models.len()
                && members
                    .iter()
                    .all(|(key, member)| models.get(key).is_some_and(|m| has_shape(member, m)))
        }
        _ => std::mem::discriminant(value) == std::mem::discriminant(model),
    }
}

/// The beginning of a text in UTF-16 units, with an ellipsis.
fn beginning(text: &str, limit: usize) -> String {
    let mut units = 0;
    let fits = |c: &char| {
        units += c.len_utf16();
        units < limit
    };
    text.chars().take_while(fits).chain(['…']).collect()
}
