//! A decision in the form that an agent of the family honours at each event.
//!
//! What its [`Row`] has no means for comes back in [`Rendered::lost`] and leans to the safe side: a
//! question that cannot be put is a refusal where refusing is possible, and so is a rewrite that
//! cannot be made before something happens. Every reply is one line of JSON or an exit code with
//! stderr, and short enough for the agent that cuts off the most (1 MiB). Start at [`render`].

use becket_model::{Decision, Event, EventKind, Verdict};
use serde_json::{Map, Value};

use super::events::{
    self, Allow, Ask, Cap, Context, Deny, Halt, Message, Note, Rewrite, Row, Unit,
};
use super::rewrite::Place;
use super::{Exit2, Kin, Suppress};
use crate::adapter::Rendered;
use crate::claude::wire::{BehaviorWire, BlockWire, PermissionWire, ReplyWire, SpecificWire};
use crate::payload::clip;
use crate::text::{NO_REASON, filled, joined, with_rewrite};

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
    Reply::new(kin, row, name, Some(event)).answer(decision)
}

/// Answers a payload that could not be read.
pub(super) fn render_unread(
    kin: &Kin,
    kind: Option<&EventKind>,
    verdict: Verdict,
    reason: &str,
) -> Rendered {
    // Nobody can vouch for what was not read.
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
    Reply::new(kin, row, name, None).answer(&decision)
}

/// Without the event's name no JSON can be written; exit code 2 blocks nearly everywhere.
fn refuse_nameless(kin: &Kin, decision: &Decision) -> Rendered {
    let reason = filled(decision.reason.as_ref()).unwrap_or(NO_REASON);
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
struct Reply<'a> {
    kin: &'a Kin,
    row: &'a Row,
    name: &'a str,
    event: Option<&'a Event>,
    wire: ReplyWire,
    stderr: String,
    exit: i32,
    /// For the model, beside the decision's own context.
    told_model: Option<String>,
    /// For the person, beside the decision's own message.
    told_person: Option<String>,
    lost: Vec<String>,
}

/// What is left of a decision once everything that the event cannot take leans safe.
struct Settled {
    verdict: Verdict,
    reason: Option<String>,
    rewrite: Option<Map<String, Value>>,
}

impl<'a> Reply<'a> {
    fn new(kin: &'a Kin, row: Option<&'a Row>, name: &'a str, event: Option<&'a Event>) -> Self {
        Self {
            kin,
            row: row.unwrap_or(&Row::UNKNOWN),
            name,
            event,
            wire: ReplyWire::default(),
            stderr: String::new(),
            exit: 0,
            told_model: None,
            told_person: None,
            lost: Vec::new(),
        }
    }

    fn answer(mut self, decision: &Decision) -> Rendered {
        let Settled {
            verdict,
            reason,
            rewrite,
        } = self.settle(decision);
        let reason = reason.map(|reason| clip(&reason, REASON_LIMIT).into_owned());
        let reason = reason.as_deref();
        let context = filled(decision.context.as_ref());
        let (context, reason) = if context.is_some() && self.context_goes_with_reason(verdict) {
            let context = self.shortened(context, REASON_LIMIT);
            (None, joined(reason.or(Some(NO_REASON)), context))
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
            Verdict::Deny => self.deny(reason.unwrap_or(NO_REASON), Turn::GoesOn),
            Verdict::Halt => self.halt(reason.unwrap_or(NO_REASON)),
        }
        self.keep_going(verdict, filled(decision.keep_going.as_ref()));
        self.context(context.as_deref());
        self.message(filled(decision.system_message.as_ref()));
        self.suppress(decision.suppress_logging);
        self.finish()
    }

    fn settle(&mut self, decision: &Decision) -> Settled {
        let mut settled = Settled {
            verdict: decision.verdict,
            reason: filled(decision.reason.as_ref()).map(str::to_owned),
            rewrite: None,
        };
        // A refused call has no input, so a rewrite beside a refusal is not worth a word.
        let wanted = decision.updated_input.as_ref();
        let wanted = wanted.filter(|_| !settled.verdict.blocks());
        if let Some(input) = wanted {
            self.settle_rewrite(&mut settled, input);
        }
        if settled.verdict == Verdict::Ask && self.row.ask == Ask::Deny {
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

    fn settle_rewrite(&mut self, settled: &mut Settled, input: &Value) {
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
                // Whoever vouched, vouched for the rewritten input.
                if settled.verdict == Verdict::Allow {
                    settled.verdict = Verdict::NoOpinion;
                }
            }
        }
    }

    fn place(&self) -> Place<'a> {
        Place {
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
        if matches!(self.row.rewrite, Rewrite::AllowWord(_)) {
            self.specific().permission_decision = Some(PermissionWire::Allow);
        }
    }

    fn allow(&mut self, reason: Option<&str>, rewrite: Option<Map<String, Value>>) {
        match (self.row.allow, self.row.deny) {
            (Allow::Said, Deny::Behavior) => {
                self.specific().decision = Some(BehaviorWire::Allow {
                    updated_input: rewrite,
                });
            }
            (Allow::Said, _) => {
                self.permission(PermissionWire::Allow, reason);
                self.specific().updated_input = rewrite;
            }
            (Allow::Silent, _) => self.rewrite(rewrite),
            (Allow::Lost(why), _) => {
                self.lose(why.to_owned());
                self.rewrite(rewrite);
            }
        }
    }

    fn ask(&mut self, reason: Option<&str>) {
        let (title, name) = (self.kin.title, self.name);
        match self.row.ask {
            Ask::Native => self.permission(PermissionWire::Ask, reason),
            Ask::Dialog(who) => {
                if reason.is_some() || !who.is_empty() {
                    self.lose(format!(
                        "{title} asks at {name} by itself{who}, without the hook's reason."
                    ));
                }
            }
            Ask::Deny | Ask::Tell => {
                self.lose(format!("{title} cannot ask at {name}."));
                let reason = reason.unwrap_or("no reason was given");
                self.told_person = Some(format!(
                    "A hook wanted to ask you about this {name}, which {title} cannot do: {reason}"
                ));
            }
        }
    }

    fn permission(&mut self, decision: PermissionWire, reason: Option<&str>) {
        let specific = self.specific();
        specific.permission_decision = Some(decision);
        specific.permission_decision_reason = reason.map(str::to_owned);
    }

    fn deny(&mut self, reason: &str, turn: Turn) {
        match self.row.deny {
            Deny::Permission => self.permission(PermissionWire::Deny, Some(reason)),
            Deny::PermissionAndBlock => {
                self.permission(PermissionWire::Deny, Some(reason));
                self.block(reason);
            }
            Deny::Behavior => {
                self.specific().decision = Some(BehaviorWire::Deny {
                    message: reason.to_owned(),
                    interrupt: None,
                });
            }
            Deny::Block | Deny::KeepGoing => self.block(reason),
            Deny::Stop(beside) => {
                if turn == Turn::GoesOn {
                    self.lose(format!("{} {beside}.", self.kin.title));
                }
                self.stop(reason);
            }
            Deny::After(note) => {
                self.after_the_fact(turn);
                match note {
                    Note::Block => self.block(reason),
                    Note::Stop => self.stop(reason),
                    Note::Exit2 => self.exit_2(reason),
                }
            }
            Deny::Exit2 => {
                if *self.row == Row::UNKNOWN {
                    self.lose(format!(
                        "{} is not an event that Becket knows; exit code 2 blocks it if it can be blocked.",
                        self.name
                    ));
                }
                self.exit_2(reason);
            }
            Deny::Moot => {}
            Deny::Tell => self.tell(reason),
        }
    }

    fn halt(&mut self, reason: &str) {
        let (title, name) = (self.kin.title, self.name);
        match self.row.halt {
            Halt::Stop => {
                if matches!(self.row.deny, Deny::After(_)) {
                    self.after_the_fact(Turn::Ends);
                }
                self.stop(reason);
            }
            Halt::StopAndDeny => {
                self.stop(reason);
                self.deny(reason, Turn::Ends);
            }
            Halt::Deny => self.deny(reason, Turn::Ends),
            Halt::Silence => {
                if self.row.message != Message::Shown {
                    self.lose(format!(
                        "{title} ends the turn at {name} by itself, without the hook's reason."
                    ));
                }
                self.told_person = Some(format!("A hook ended the turn: {reason}"));
            }
            Halt::Cannot => {
                self.lose(format!("{title} cannot end the turn at {name}."));
                self.deny(reason, Turn::GoesOn);
            }
        }
    }

    fn block(&mut self, reason: &str) {
        self.wire.decision = Some(BlockWire::Block);
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

    fn after_the_fact(&mut self, turn: Turn) {
        let instead = match turn {
            Turn::Ends => "the turn is ended",
            Turn::GoesOn => "the model is told",
        };
        self.lose(format!(
            "At {} it has happened already; {instead}.",
            self.name
        ));
    }

    /// Nothing can be prevented, so everyone who can be told is told.
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
        } else if self.row.deny == Deny::KeepGoing {
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
            || verdict == Verdict::Halt && matches!(self.row.halt, Halt::Deny | Halt::Cannot);
        let read = matches!(
            self.row.deny,
            Deny::Permission
                | Deny::PermissionAndBlock
                | Deny::Behavior
                | Deny::KeepGoing
                | Deny::After(_)
        );
        let homeless = matches!(
            self.row.context,
            Context::Cannot | Context::GivenUnlessRefused
        );
        refused && read && homeless
    }

    fn context(&mut self, own: Option<&str>) {
        let Some(text) = joined(own, self.told_model.take()) else {
            return;
        };
        match self.row.context {
            Context::Given | Context::GivenUnlessRefused => self.give(text),
            Context::Capped(cap) => {
                self.warn_of(cap, &text);
                self.give(text);
            }
            Context::Cannot if own.is_none() => {}
            Context::Cannot => self.lose(format!(
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
        let Some(text) = joined(own, self.told_person.take()) else {
            return;
        };
        let read = self.row.message != Message::Cannot && self.stdout_is_read();
        if read {
            self.wire.system_message = Some(clip(&text, REASON_LIMIT).into_owned());
        }
        let shown = read && self.row.message == Message::Shown;
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
            Suppress::Taken if self.row.message != Message::Cannot && self.stdout_is_read() => {
                self.wire.suppress_output = Some(true);
            }
            Suppress::Taken => {}
        }
    }

    fn stdout_is_read(&self) -> bool {
        self.exit != 2 || self.kin.exit_2 == Exit2::StdoutToo
    }

    fn specific(&mut self) -> &mut SpecificWire {
        let hook_event_name = self.row.name;
        self.wire
            .hook_specific_output
            .get_or_insert_with(|| SpecificWire {
                hook_event_name,
                ..SpecificWire::default()
            })
    }

    fn lose(&mut self, sentence: String) {
        self.lost.push(sentence);
    }

    fn finish(mut self) -> Rendered {
        if self.exit == 2 {
            self.stderr.push('\n');
        }
        let silent = self.wire == ReplyWire::default() || !self.stdout_is_read();
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
enum Turn {
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
