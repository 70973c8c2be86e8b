//! A decision in the form that Claude Code honours at each event.
//!
//! What the table in [`super::events`] has no means for comes back in [`Rendered::lost`] and leans to
//! the safe side: a question that cannot be put is a refusal where refusing is possible, and so is a
//! rewrite that cannot be made before something happens. A reply that Claude would reject as a whole
//! (and then proceed) is never written. Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use super::events::{
    self, ClaudeAsk, ClaudeContext, ClaudeDeny, ClaudeEvent, ClaudeHalt, ClaudeMessage,
};
use super::wire::{
    ClaudeActionWire, ClaudeBehaviorWire, ClaudeBlockWire, ClaudePermissionWire, ClaudeReplyWire,
    ClaudeSpecificWire,
};
use crate::adapter::Rendered;
use crate::reply_text::{NO_REASON, join_lines, non_blank, with_rewrite};

/// Longer context is put in a file by Claude, counted in UTF-16 units as JavaScript does.
const CONTEXT_LIMIT: usize = 10_000;

/// Answers an event.
pub(super) fn render(event: &Event, decision: &Decision) -> Rendered {
    // The name that Claude gave decides, not the kind: a `PostToolUse` whose tool reported failure
    // is another kind for hooks, but a reply under that name would be rejected.
    let subject = event.subject();
    let means = |name: &str| events::means(name, subject);
    match means(&event.native_name).or_else(|| means(event.kind().name())) {
        Some(native) => ClaudeReply::new(native, native.name).answer(decision),
        None => ClaudeReply::new(&events::UNKNOWN, &event.native_name).answer(decision),
    }
}

/// Answers a payload that could not be read.
pub(super) fn render_unparsed(
    kind: Option<&EventKind>,
    verdict: Verdict,
    reason: &str,
) -> Rendered {
    // An unread payload cannot be approved.
    if verdict <= Verdict::Allow {
        return Rendered::default();
    }
    let decision = Decision {
        verdict,
        reason: Some(reason.to_owned()),
        ..Decision::default()
    };
    match kind.map(|kind| (kind, events::find(kind.name()))) {
        Some((_, Some(native))) => ClaudeReply::new(native, native.name).answer(&decision),
        Some((kind, None)) => ClaudeReply::new(&events::UNKNOWN, kind.name()).answer(&decision),
        None => refuse_nameless(&decision),
    }
}

/// Without the event's name no JSON can be written; exit code 2 blocks nearly everywhere.
fn refuse_nameless(decision: &Decision) -> Rendered {
    let reason = non_blank(decision.reason.as_ref()).unwrap_or(NO_REASON);
    Rendered {
        stderr: format!("{reason}\n"),
        exit: 2,
        lost: vec![format!(
            "The event's name is not known, so `{}` is said by exit code 2, which blocks where Claude Code lets it.",
            decision.verdict
        )],
        ..Rendered::default()
    }
}

/// A reply in the making.
struct ClaudeReply<'a> {
    native: &'static ClaudeEvent,
    name: &'a str,
    wire: ClaudeReplyWire,
    /// Stdout for the events at which it is not JSON.
    plain: Option<String>,
    stderr: String,
    exit: i32,
    /// For the model, in addition to the decision's own context.
    told_model: Option<String>,
    /// For the user, in addition to the decision's own message.
    told_person: Option<String>,
    lost: Vec<String>,
}

impl<'a> ClaudeReply<'a> {
    fn new(native: &'static ClaudeEvent, name: &'a str) -> Self {
        Self {
            native,
            name,
            wire: ClaudeReplyWire::default(),
            plain: None,
            stderr: String::new(),
            exit: 0,
            told_model: None,
            told_person: None,
            lost: Vec::new(),
        }
    }

    fn answer(mut self, decision: &Decision) -> Rendered {
        let (verdict, reason, rewrite) = self.settle(decision);
        let reason = reason.as_deref();
        match verdict {
            Verdict::NoOpinion => self.rewrite(rewrite),
            Verdict::Allow => self.allow(reason, rewrite),
            Verdict::Ask => self.ask(reason, rewrite),
            Verdict::Deny => self.deny(reason.unwrap_or(NO_REASON), ClaudeTurn::GoesOn),
            Verdict::Halt => self.halt(reason.unwrap_or(NO_REASON)),
        }
        self.keep_going(verdict, non_blank(decision.keep_going.as_ref()));
        self.context(non_blank(decision.context.as_ref()));
        self.message(non_blank(decision.system_message.as_ref()));
        self.suppress(decision.suppress_logging);
        self.finish()
    }

    /// What is left of the decision once everything that this event cannot take leans safe.
    fn settle(
        &mut self,
        decision: &Decision,
    ) -> (Verdict, Option<String>, Option<Map<String, Value>>) {
        let mut verdict = decision.verdict;
        let mut reason = non_blank(decision.reason.as_ref()).map(str::to_owned);
        let mut rewrite = None;
        // A refused call has no input, so a rewrite together with a refusal is ignored.
        if let Some(input) = decision
            .updated_input
            .as_ref()
            .filter(|_| !verdict.blocks())
        {
            match self.takes_rewrite(verdict, input) {
                Ok(input) => rewrite = Some(input),
                Err(why) if self.precedes() => {
                    self.lose(format!("{why}, so it is refused instead."));
                    reason = Some(with_rewrite(reason.as_deref(), input));
                    verdict = Verdict::Deny;
                }
                Err(why) => {
                    self.lose(format!("{why}; the rewrite is dropped."));
                    // The allow applies to the rewritten input only.
                    if verdict == Verdict::Allow {
                        verdict = Verdict::NoOpinion;
                    }
                }
            }
        }
        if verdict == Verdict::Ask && self.native.ask == ClaudeAsk::Deny {
            self.lose(format!(
                "Claude Code cannot ask at {}, so it is refused instead.",
                self.name
            ));
            verdict = Verdict::Deny;
        }
        (verdict, reason, rewrite)
    }

    fn takes_rewrite(&self, verdict: Verdict, input: &Value) -> Result<Map<String, Value>, String> {
        match (self.name, input) {
            ("PermissionRequest", _) if verdict != Verdict::Allow => Err(
                "Claude Code takes a rewritten input at PermissionRequest only with an allow"
                    .to_owned(),
            ),
            ("PreToolUse" | "PermissionRequest", Value::Object(input)) => Ok(input.clone()),
            // Claude would reject the whole reply and run the original.
            ("PreToolUse" | "PermissionRequest", _) => {
                Err("Claude Code takes only an object as a rewritten input".to_owned())
            }
            (name, _) => Err(format!("Claude Code takes no rewritten input at {name}")),
        }
    }

    /// Whether what a hook wanted to change is still to come.
    fn precedes(&self) -> bool {
        matches!(
            self.name,
            "PreToolUse" | "PermissionRequest" | "UserPromptSubmit" | "UserPromptExpansion"
        )
    }

    fn rewrite(&mut self, rewrite: Option<Map<String, Value>>) {
        if rewrite.is_some() {
            self.specific().updated_input = rewrite;
        }
    }

    fn allow(&mut self, reason: Option<&str>, rewrite: Option<Map<String, Value>>) {
        match self.native.deny {
            ClaudeDeny::Permission => self.permission(ClaudePermissionWire::Allow, reason, rewrite),
            ClaudeDeny::Behavior => {
                self.specific().decision = Some(ClaudeBehaviorWire::Allow {
                    updated_input: rewrite,
                });
            }
            // The call was refused by Claude's own classifier; the model may try it once more.
            ClaudeDeny::Moot => self.specific().retry = Some(true),
            // Everywhere else silence lets it happen.
            _ => {}
        }
    }

    fn ask(&mut self, reason: Option<&str>, rewrite: Option<Map<String, Value>>) {
        match self.native.ask {
            ClaudeAsk::Native => self.permission(ClaudePermissionWire::Ask, reason, rewrite),
            ClaudeAsk::Dialog => {
                if reason.is_some() {
                    self.lose(format!(
                        "Claude Code asks at {} by itself, without the hook's reason.",
                        self.name
                    ));
                }
            }
            ClaudeAsk::Deny | ClaudeAsk::Tell => {
                self.lose(format!("Claude Code cannot ask at {}.", self.name));
                let reason = reason.unwrap_or("no reason was given");
                self.told_person = Some(format!(
                    "A hook wanted to ask you about this {}, which Claude Code cannot do: {reason}",
                    self.name
                ));
            }
        }
    }

    fn permission(
        &mut self,
        decision: ClaudePermissionWire,
        reason: Option<&str>,
        rewrite: Option<Map<String, Value>>,
    ) {
        let specific = self.specific();
        specific.permission_decision = Some(decision);
        specific.permission_decision_reason = reason.map(str::to_owned);
        specific.updated_input = rewrite;
    }

    fn deny(&mut self, reason: &str, turn: ClaudeTurn) {
        match self.native.deny {
            ClaudeDeny::Permission => {
                self.permission(ClaudePermissionWire::Deny, Some(reason), None);
            }
            ClaudeDeny::Behavior => {
                self.specific().decision = Some(ClaudeBehaviorWire::Deny {
                    message: reason.to_owned(),
                    interrupt: (turn == ClaudeTurn::Ends).then_some(true),
                });
            }
            ClaudeDeny::Decline => {
                self.specific().action = Some(ClaudeActionWire::Decline);
                self.wire.reason = Some(reason.to_owned());
            }
            ClaudeDeny::Block | ClaudeDeny::KeepGoing => self.block(reason),
            ClaudeDeny::Note => {
                self.after_the_fact(turn);
                self.block(reason);
            }
            ClaudeDeny::Exit2 => {
                if *self.native == events::UNKNOWN {
                    self.lose(format!(
                        "{} is not an event that Becket knows; exit code 2 blocks it if it can be blocked.",
                        self.name
                    ));
                }
                self.exit = 2;
                reason.clone_into(&mut self.stderr);
            }
            ClaudeDeny::Moot => {}
            ClaudeDeny::Tell => self.tell(reason),
        }
    }

    fn halt(&mut self, reason: &str) {
        match self.native.halt {
            ClaudeHalt::Stop => {
                if self.native.deny == ClaudeDeny::Note {
                    self.after_the_fact(ClaudeTurn::Ends);
                }
                self.stop(reason);
            }
            ClaudeHalt::StopAndDeny => {
                self.stop(reason);
                match self.native.deny {
                    // Exit code 2 would have Claude ignore `continue`.
                    ClaudeDeny::Exit2 => {
                        self.lose(format!(
                            "At {} Claude Code ends only the turn of a teammate that goes idle.",
                            self.name
                        ));
                        self.block(reason);
                    }
                    _ => self.deny(reason, ClaudeTurn::Ends),
                }
            }
            ClaudeHalt::Deny => self.deny(reason, ClaudeTurn::Ends),
            ClaudeHalt::Cannot => {
                self.lose(format!("Claude Code cannot end the turn at {}.", self.name));
                self.deny(reason, ClaudeTurn::GoesOn);
            }
        }
    }

    fn block(&mut self, reason: &str) {
        self.wire.decision = Some(ClaudeBlockWire::Block);
        self.wire.reason = Some(reason.to_owned());
    }

    fn stop(&mut self, reason: &str) {
        self.wire.go_on = Some(false);
        self.wire.stop_reason = Some(reason.to_owned());
    }

    fn after_the_fact(&mut self, turn: ClaudeTurn) {
        let instead = match (self.name, turn) {
            (_, ClaudeTurn::Ends) => "the turn is ended",
            ("PostToolBatch", ClaudeTurn::GoesOn) => "the agent is stopped before its next step",
            (_, ClaudeTurn::GoesOn) => "the model is told",
        };
        self.lose(format!(
            "At {} it has happened already; {instead}.",
            self.name
        ));
    }

    /// Nothing can be prevented, so Becket informs the user and the model.
    fn tell(&mut self, reason: &str) {
        let name = self.name;
        self.lose(format!("Claude Code lets no hook refuse {name}."));
        self.told_person = Some(format!(
            "A hook refused this {name}, but Claude Code goes on regardless: {reason}"
        ));
        self.told_model = Some(format!(
            "A hook that the person set up refused this {name}: {reason}\nClaude Code cannot enforce that here. Do not go on with what was refused; tell the person."
        ));
    }

    fn keep_going(&mut self, verdict: Verdict, instruction: Option<&str>) {
        let Some(instruction) = instruction else {
            return;
        };
        let reason = |said: Option<&str>| match said {
            Some(said) if verdict == Verdict::Deny && said != NO_REASON => {
                format!("{said}\n{instruction}")
            }
            _ => instruction.to_owned(),
        };
        match self.native.deny {
            _ if verdict == Verdict::Halt => {
                self.lose("The turn is ended, so the instruction to keep going is dropped.".into());
            }
            ClaudeDeny::KeepGoing => {
                let reason = reason(self.wire.reason.as_deref());
                self.block(&reason);
            }
            ClaudeDeny::Exit2 if self.name == "TeammateIdle" => {
                self.exit = 2;
                self.stderr = reason(Some(&self.stderr).filter(|s| !s.is_empty()).map(|s| &**s));
            }
            _ => self.lose(format!("At {} there is nothing to keep going.", self.name)),
        }
    }

    fn context(&mut self, own: Option<&str>) {
        let Some(text) = join_lines(own, self.told_model.take()) else {
            return;
        };
        match self.native.context {
            ClaudeContext::Given => self.give(text),
            ClaudeContext::GivenAndGoesOn => {
                if self.wire == ClaudeReplyWire::default() {
                    self.lose(format!(
                        "Claude Code goes on with its turn to read context that it is given at {}.",
                        self.name
                    ));
                }
                self.give(text);
            }
            ClaudeContext::Ignored if own.is_none() => {}
            ClaudeContext::Ignored => {
                self.lose(format!(
                    "Claude Code does not pass context on to the model at {}.",
                    self.name
                ));
                self.give(text);
            }
            ClaudeContext::Plain if self.wire == ClaudeReplyWire::default() => {
                self.plain = Some(text);
            }
            ClaudeContext::Cannot if self.exit == 2 => {
                self.stderr = format!("{}\n{text}", self.stderr);
            }
            ClaudeContext::Plain | ClaudeContext::Cannot if own.is_none() => {}
            ClaudeContext::Plain => {
                self.lose("Without a compaction there is no summary to put context into.".into());
            }
            ClaudeContext::Cannot => {
                self.lose(format!("Claude Code takes no context at {}.", self.name));
            }
        }
    }

    fn give(&mut self, text: String) {
        if text.len() > CONTEXT_LIMIT && text.encode_utf16().count() > CONTEXT_LIMIT {
            self.lose(format!(
                "Context of more than {CONTEXT_LIMIT} characters is put in a file by Claude Code; the model sees the first 2 KB."
            ));
        }
        self.specific().additional_context = Some(text);
    }

    fn message(&mut self, own: Option<&str>) {
        let Some(text) = join_lines(own, self.told_person.take()) else {
            return;
        };
        let shown = match self.native.message {
            ClaudeMessage::Cannot => false,
            // Claude does not read stdout with exit code 2.
            _ if self.exit == 2 => false,
            ClaudeMessage::Shown => {
                self.wire.system_message = Some(text);
                true
            }
            ClaudeMessage::Unseen => {
                self.wire.system_message = Some(text);
                false
            }
            ClaudeMessage::Plain => {
                self.plain = Some(text);
                true
            }
        };
        if !shown && own.is_some() {
            self.lose(format!(
                "Claude Code shows the person no message at {} with this answer.",
                self.name
            ));
        }
    }

    fn suppress(&mut self, wanted: bool) {
        let reads_json = matches!(
            self.native.message,
            ClaudeMessage::Shown | ClaudeMessage::Unseen
        );
        if wanted && reads_json {
            self.wire.suppress_output = Some(true);
        }
    }

    fn specific(&mut self) -> &mut ClaudeSpecificWire {
        let hook_event_name = self.native.name;
        self.wire
            .hook_specific_output
            .get_or_insert_with(|| ClaudeSpecificWire {
                hook_event_name,
                ..ClaudeSpecificWire::default()
            })
    }

    fn lose(&mut self, sentence: String) {
        self.lost.push(sentence);
    }

    fn finish(mut self) -> Rendered {
        if self.exit == 2 {
            self.stderr.push('\n');
        }
        let stdout = match self.plain {
            _ if self.exit == 2 => String::new(),
            _ if self.wire != ClaudeReplyWire::default() => {
                let json = serde_json::to_string(&self.wire);
                json.expect("a reply is strings, flags and JSON") + "\n"
            }
            Some(text) => plain(&text) + "\n",
            None => String::new(),
        };
        Rendered {
            stdout,
            stderr: self.stderr,
            exit: self.exit,
            lost: self.lost,
        }
    }
}

/// Whether a refusal is meant to end the turn as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ClaudeTurn {
    GoesOn,
    Ends,
}

/// Text that Claude would take for JSON gets a word in front.
fn plain(text: &str) -> String {
    if text.trim_start().starts_with('{') {
        format!("Note: {text}")
    } else {
        text.to_owned()
    }
}
