//! A decision in the form that an agent of the family honours at each event.
//!
//! What its [`KinEventRow`] has no means for comes back in [`Rendered::lost`] and leans to the safe side: a
//! question that cannot be put is a refusal where refusing is possible, and so is a rewrite that
//! cannot be made before something happens. Every reply is one line of JSON or an exit code with
//! stderr, and short enough for the agent that cuts off the most (1 MiB). Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use super::events::{
    self, Cap, KinAllow, KinAsk, KinContext, KinDeny, KinEventRow, KinHalt, KinMessage, KinRewrite,
    Note, Unit,
};
use super::rewrite::KinPlace;
use super::{Exit2, Kin, Suppress};
use crate::adapter::Rendered;
use crate::claude::wire::{
    ClaudeBehaviorWire, ClaudeBlockWire, ClaudePermissionWire, ClaudeReplyWire, ClaudeSpecificWire,
};
use crate::payload::clip;
use crate::reply_text::{NO_REASON, join_lines, non_blank, with_rewrite};

/// A reason or a message is shortened to this many characters.
const REASON_LIMIT: usize = 16_000;

/// Context is shortened to this many characters, which no agent passes on whole anyway.
const CONTEXT_LIMIT: usize = 100_000;

/// Answers an event.
pub(super) fn render(kin: &Kin, event: &Event, decision: &Decision) -> Rendered {
    // The name that the agent gave decides, not the kind: a `PostToolUse` whose tool reported
    // failure is another kind for hooks, but the reply has to be one to `PostToolUse`.
    let find = |name: &str| events::find(kin.rows, name);
    let row = (kin.exception)(event)
        .or_else(|| find(&event.native_name))
        .or_else(|| find(event.kind().name()));
    let name = row.map_or(event.native_name.as_str(), |row| row.name);
    KinReply::new(kin, row, name, Some(event)).answer(decision)
}

/// Answers a payload that could not be read.
pub(super) fn render_unparsed(
    kin: &Kin,
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
    let Some(kind) = kind else {
        return refuse_nameless(kin, &decision);
    };
    let row = events::find(kin.rows, kind.name());
    let name = row.map_or(kind.name(), |row| row.name);
    KinReply::new(kin, row, name, None).answer(&decision)
}

/// Without the event's name no JSON can be written; exit code 2 blocks nearly everywhere.
fn refuse_nameless(kin: &Kin, decision: &Decision) -> Rendered {
    let reason = non_blank(decision.reason.as_ref()).unwrap_or(NO_REASON);
    Rendered {
        stderr: not_json(&clip(reason, REASON_LIMIT)) + "\n",
        exit: 2,
        lost: vec![format!(
            "The event's name is not known, so `{}` is said by exit code 2, which blocks where {} lets it.",
            decision.verdict, kin.title
        )],
        ..Rendered::default()
    }
}

/// A reply in the making.
struct KinReply<'a> {
    kin: &'a Kin,
    row: &'a KinEventRow,
    name: &'a str,
    event: Option<&'a Event>,
    wire: ClaudeReplyWire,
    stderr: String,
    exit: i32,
    /// For the model, in addition to the decision's own context.
    told_model: Option<String>,
    /// For the user, in addition to the decision's own message.
    told_person: Option<String>,
    lost: Vec<String>,
}

/// What is left of a decision once everything that the event cannot take leans safe.
struct KinSettled {
    verdict: Verdict,
    reason: Option<String>,
    rewrite: Option<Map<String, Value>>,
}

impl<'a> KinReply<'a> {
    fn new(
        kin: &'a Kin,
        row: Option<&'a KinEventRow>,
        name: &'a str,
        event: Option<&'a Event>,
    ) -> Self {
        Self {
            kin,
            row: row.unwrap_or(&KinEventRow::UNKNOWN),
            name,
            event,
            wire: ClaudeReplyWire::default(),
            stderr: String::new(),
            exit: 0,
            told_model: None,
            told_person: None,
            lost: Vec::new(),
        }
    }

    fn answer(mut self, decision: &Decision) -> Rendered {
        let KinSettled {
            verdict,
            reason,
            rewrite,
        } = self.settle(decision);
        let reason = reason.map(|reason| clip(&reason, REASON_LIMIT).into_owned());
        let reason = reason.as_deref();
        let context = non_blank(decision.context.as_ref());
        let (context, reason) = if context.is_some() && self.context_goes_with_reason(verdict) {
            let context = self.shortened(context, REASON_LIMIT);
            (None, join_lines(reason.or(Some(NO_REASON)), context))
        } else {
            (
                self.shortened(context, CONTEXT_LIMIT),
                reason.map(str::to_owned),
            )
        };
        let reason = reason.as_deref();
        match verdict {
            Verdict::NoOpinion => self.rewrite(rewrite),
            Verdict::Allow => self.allow(reason, rewrite),
            Verdict::Ask => self.ask(reason),
            Verdict::Deny => self.deny(reason.unwrap_or(NO_REASON), KinTurn::GoesOn),
            Verdict::Halt => self.halt(reason.unwrap_or(NO_REASON)),
        }
        self.keep_going(verdict, non_blank(decision.keep_going.as_ref()));
        self.context(context.as_deref());
        self.message(non_blank(decision.system_message.as_ref()));
        self.suppress(decision.suppress_logging);
        self.finish()
    }

    fn settle(&mut self, decision: &Decision) -> KinSettled {
        let mut settled = KinSettled {
            verdict: decision.verdict,
            reason: non_blank(decision.reason.as_ref()).map(str::to_owned),
            rewrite: None,
        };
        // A refused call has no input, so a rewrite together with a refusal is ignored.
        let wanted = decision.updated_input.as_ref();
        let wanted = wanted.filter(|_| !settled.verdict.blocks());
        if let Some(input) = wanted {
            self.settle_rewrite(&mut settled, input);
        }
        if settled.verdict == Verdict::Ask && self.row.ask == KinAsk::Deny {
            self.lose(format!(
                "{} cannot ask at {}, so it is refused instead.",
                self.kin.title, self.name
            ));
            settled.verdict = Verdict::Deny;
            if let Some(input) = settled.rewrite.take() {
                settled.reason = Some(with_rewrite(
                    settled.reason.as_deref(),
                    &Value::Object(input),
                ));
            }
        }
        settled
    }

    fn settle_rewrite(&mut self, settled: &mut KinSettled, input: &Value) {
        match self.place().takes(settled.verdict, input) {
            Ok(rewrite) => settled.rewrite = rewrite,
            Err(why) if self.row.precedes() => {
                self.lose(format!("{why}, so it is refused instead."));
                let shown = self.place().natively(input);
                settled.reason = Some(with_rewrite(settled.reason.as_deref(), &shown));
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

    fn place(&self) -> KinPlace<'a> {
        KinPlace {
            kin: self.kin,
            row: self.row,
            name: self.name,
            event: self.event,
        }
    }

    fn rewrite(&mut self, rewrite: Option<Map<String, Value>>) {
        if rewrite.is_none() {
            return;
        }
        let specific = self.specific();
        specific.updated_input = rewrite;
        if matches!(self.row.rewrite, KinRewrite::AllowWord(_)) {
            self.specific().permission_decision = Some(ClaudePermissionWire::Allow);
        }
    }

    fn allow(&mut self, reason: Option<&str>, rewrite: Option<Map<String, Value>>) {
        match (self.row.allow, self.row.deny) {
            (KinAllow::Said, KinDeny::Behavior) => {
                self.specific().decision = Some(ClaudeBehaviorWire::Allow {
                    updated_input: rewrite,
                });
            }
            (KinAllow::Said, _) => {
                self.permission(ClaudePermissionWire::Allow, reason);
                self.specific().updated_input = rewrite;
            }
            (KinAllow::Silent, _) => self.rewrite(rewrite),
            (KinAllow::Lost(why), _) => {
                self.lose(why.to_owned());
                self.rewrite(rewrite);
            }
        }
    }

    fn ask(&mut self, reason: Option<&str>) {
        let (title, name) = (self.kin.title, self.name);
        match self.row.ask {
            KinAsk::Native => self.permission(ClaudePermissionWire::Ask, reason),
            KinAsk::Dialog(who) => {
                if reason.is_some() || !who.is_empty() {
                    self.lose(format!(
                        "{title} asks at {name} by itself{who}, without the hook's reason."
                    ));
                }
            }
            KinAsk::Deny | KinAsk::Tell => {
                self.lose(format!("{title} cannot ask at {name}."));
                let reason = reason.unwrap_or("no reason was given");
                self.told_person = Some(format!(
                    "A hook wanted to ask you about this {name}, which {title} cannot do: {reason}"
                ));
            }
        }
    }

    fn permission(&mut self, decision: ClaudePermissionWire, reason: Option<&str>) {
        let specific = self.specific();
        specific.permission_decision = Some(decision);
        specific.permission_decision_reason = reason.map(str::to_owned);
    }

    fn deny(&mut self, reason: &str, turn: KinTurn) {
        match self.row.deny {
            KinDeny::Permission => self.permission(ClaudePermissionWire::Deny, Some(reason)),
            KinDeny::PermissionAndBlock => {
                self.permission(ClaudePermissionWire::Deny, Some(reason));
                self.block(reason);
            }
            KinDeny::Behavior => {
                self.specific().decision = Some(ClaudeBehaviorWire::Deny {
                    message: reason.to_owned(),
                    interrupt: None,
                });
            }
            KinDeny::Block | KinDeny::KeepGoing => self.block(reason),
            KinDeny::Stop(note) => {
                if turn == KinTurn::GoesOn {
                    self.lose(format!("{} {note}.", self.kin.title));
                }
                self.stop(reason);
            }
            KinDeny::After(note) => {
                self.after_the_fact(turn);
                match note {
                    Note::Block => self.block(reason),
                    Note::Stop => self.stop(reason),
                    Note::Exit2 => self.exit_2(reason),
                }
            }
            KinDeny::Exit2 => {
                if *self.row == KinEventRow::UNKNOWN {
                    self.lose(format!(
                        "{} is not an event that Becket knows; exit code 2 blocks it if it can be blocked.",
                        self.name
                    ));
                }
                self.exit_2(reason);
            }
            KinDeny::Moot => {}
            KinDeny::Tell => self.tell(reason),
        }
    }

    fn halt(&mut self, reason: &str) {
        let (title, name) = (self.kin.title, self.name);
        match self.row.halt {
            KinHalt::Stop => {
                if matches!(self.row.deny, KinDeny::After(_)) {
                    self.after_the_fact(KinTurn::Ends);
                }
                self.stop(reason);
            }
            KinHalt::StopAndDeny => {
                self.stop(reason);
                self.deny(reason, KinTurn::Ends);
            }
            KinHalt::Deny => self.deny(reason, KinTurn::Ends),
            KinHalt::Silence => {
                if self.row.message != KinMessage::Shown {
                    self.lose(format!(
                        "{title} ends the turn at {name} by itself, without the hook's reason."
                    ));
                }
                self.told_person = Some(format!("A hook ended the turn: {reason}"));
            }
            KinHalt::Cannot => {
                self.lose(format!("{title} cannot end the turn at {name}."));
                self.deny(reason, KinTurn::GoesOn);
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

    fn exit_2(&mut self, reason: &str) {
        self.exit = 2;
        self.stderr = not_json(reason);
    }

    fn after_the_fact(&mut self, turn: KinTurn) {
        let instead = match turn {
            KinTurn::Ends => "the turn is ended",
            KinTurn::GoesOn => "the model is told",
        };
        self.lose(format!(
            "At {} it has happened already; {instead}.",
            self.name
        ));
    }

    /// Nothing can be prevented, so Becket informs the user and the model.
    fn tell(&mut self, reason: &str) {
        let (title, name) = (self.kin.title, self.name);
        self.lose(format!("{title} lets no hook refuse {name}."));
        self.told_person = Some(format!(
            "A hook refused this {name}, but {title} goes on regardless: {reason}"
        ));
        self.told_model = Some(format!(
            "A hook that the person set up refused this {name}: {reason}\n{title} cannot enforce that here. Do not go on with what was refused; tell the person."
        ));
    }

    fn keep_going(&mut self, verdict: Verdict, instruction: Option<&str>) {
        let Some(instruction) = instruction else {
            return;
        };
        let instruction = clip(instruction, REASON_LIMIT);
        if verdict == Verdict::Halt {
            self.lose("The turn is ended, so the instruction to keep going is dropped.".into());
        } else if self.row.deny == KinDeny::KeepGoing {
            let reason = match self.wire.reason.take() {
                Some(said) if said != NO_REASON => format!("{said}\n{instruction}"),
                _ => instruction.into_owned(),
            };
            self.block(&reason);
        } else {
            self.lose(format!(
                "{} takes no instruction to keep going at {}.",
                self.kin.title, self.name
            ));
        }
    }

    fn shortened(&mut self, context: Option<&str>, limit: usize) -> Option<String> {
        let context = context?;
        let short = clip(context, limit);
        if short.len() != context.len() {
            self.lose(format!(
                "Context of more than {limit} characters is cut off here."
            ));
        }
        Some(short.into_owned())
    }

    /// Context that has no place of its own goes with a refusal whose reason the model reads.
    fn context_goes_with_reason(&self, verdict: Verdict) -> bool {
        let refused = verdict == Verdict::Deny
            || verdict == Verdict::Halt && matches!(self.row.halt, KinHalt::Deny | KinHalt::Cannot);
        let read = matches!(
            self.row.deny,
            KinDeny::Permission
                | KinDeny::PermissionAndBlock
                | KinDeny::Behavior
                | KinDeny::KeepGoing
                | KinDeny::After(_)
        );
        let homeless = matches!(
            self.row.context,
            KinContext::Cannot | KinContext::GivenUnlessRefused
        );
        refused && read && homeless
    }

    fn context(&mut self, own: Option<&str>) {
        let Some(text) = join_lines(own, self.told_model.take()) else {
            return;
        };
        match self.row.context {
            KinContext::Given | KinContext::GivenUnlessRefused => self.give(text),
            KinContext::Capped(cap) => {
                self.warn_of(cap, &text);
                self.give(text);
            }
            KinContext::Cannot if own.is_none() => {}
            KinContext::Cannot => self.lose(format!(
                "{} takes no context at {}.",
                self.kin.title, self.name
            )),
        }
    }

    fn warn_of(&mut self, cap: Cap, text: &str) {
        if cap.holds(text) {
            return;
        }
        let unit = match cap.unit {
            Unit::Bytes => "bytes",
            Unit::Utf16 => "characters",
        };
        self.lose(format!(
            "Context of more than {} {unit} {} by {}.",
            cap.limit, cap.fate, self.kin.title
        ));
    }

    fn give(&mut self, text: String) {
        self.specific().additional_context = Some(text);
    }

    fn message(&mut self, own: Option<&str>) {
        let Some(text) = join_lines(own, self.told_person.take()) else {
            return;
        };
        let read = self.row.message != KinMessage::Cannot && self.stdout_is_read();
        if read {
            self.wire.system_message = Some(clip(&text, REASON_LIMIT).into_owned());
        }
        let shown = read && self.row.message == KinMessage::Shown;
        if !shown && own.is_some() {
            self.lose(format!(
                "{} shows the person no message at {} with this answer.",
                self.kin.title, self.name
            ));
        }
    }

    fn suppress(&mut self, wanted: bool) {
        match self.kin.suppress {
            _ if !wanted => {}
            Suppress::Never => self.lose(format!(
                "{} cannot leave an event out of its log.",
                self.kin.title
            )),
            Suppress::Taken if self.row.message != KinMessage::Cannot && self.stdout_is_read() => {
                self.wire.suppress_output = Some(true);
            }
            Suppress::Taken => {}
        }
    }

    fn stdout_is_read(&self) -> bool {
        self.exit != 2 || self.kin.exit_2 == Exit2::StdoutToo
    }

    fn specific(&mut self) -> &mut ClaudeSpecificWire {
        let hook_event_name = self.row.name;
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
        let silent = self.wire == ClaudeReplyWire::default() || !self.stdout_is_read();
        let stdout = if silent {
            String::new()
        } else {
            let json = serde_json::to_string(&self.wire);
            json.expect("a reply is strings, flags and JSON") + "\n"
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
enum KinTurn {
    GoesOn,
    Ends,
}

/// A reason for stderr. Qwen reads JSON from there too, where a bare number or an object without a
/// decision is no refusal.
fn not_json(reason: &str) -> String {
    let looks = reason.trim_start().starts_with(['{', '[', '"']);
    if looks || serde_json::from_str::<Value>(reason).is_ok() {
        format!("Refused: {reason}")
    } else {
        reason.to_owned()
    }
}
