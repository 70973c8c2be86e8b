//! An agent as data, and the adapter that follows from it.

use becket_model::{Decision, Event, EventData, EventKind, ToolCall, Verdict};
use serde_json::{Map, Value};

use super::capability::{
    AllowCap, AskCap, ContextCap, DenyCap, MessageCap, ReplyLimits, RewriteCap,
};
use super::degrade::{AgentReply, InputTranslator, ReplyPoint, degrade};
use super::event::{self, EventRow};
use super::tools::{RewrittenInput, ToolMap};
use super::wire::{ReplyWire, WirePoint};
use crate::adapter::{
    Adapter, Capabilities, ParseError, Recognition, Rendered, SenderClues, Support,
};
use crate::fields::PayloadFields;
use crate::tool_failure::FailureSignals;

/// An agent: its names, its events and what a hook can do at each, its tools, and its reply format.
///
/// A new agent is one static of this type, one line in [`crate::adapters`], and its fixtures. What a table
/// cannot say is a function in `AgentExceptions`.
pub struct AgentSpec {
    /// The id used with `--agent` and in records.
    pub(crate) id: &'static str,
    /// The display name.
    pub(crate) title: &'static str,
    /// The name in sentences, such as "Codex" for Codex CLI.
    pub(crate) short_title: &'static str,
    /// The version of the agent that the tables were checked against.
    pub(crate) checked_against: Option<&'static str>,
    pub(crate) events: &'static [EventRow],
    /// What is assumed of an event that a later version may add.
    pub(crate) unknown: &'static EventRow,
    /// The row for a reply to a payload whose event has no name; without one, [`Self::unknown`].
    pub(crate) nameless: Option<&'static str>,
    pub(crate) tools: ToolMap,
    /// Where a payload has the input of a call: the keys on the way to it. Where it has none there, the payload is
    /// parsed again.
    pub(crate) input_path: &'static [&'static str],
    /// How the agent's responses tell of a failure.
    pub(crate) failures: FailureSignals,
    pub(crate) limits: ReplyLimits,
    pub(crate) wire: &'static dyn ReplyWire,
    pub(crate) marks: &'static [SenderMark],
    /// What is supported only partly, and how.
    pub(crate) partly: &'static [(Feature, &'static str)],
    pub(crate) file_changes: FileChanges,
    /// See [`Adapter::injects_before_tools`].
    pub(crate) injects_before_tools: bool,
    /// See [`Adapter::may_report_twice`].
    pub(crate) may_report_twice: bool,
    /// See [`Adapter::merges_replies`].
    pub(crate) merges_replies: bool,
    pub(crate) exceptions: AgentExceptions,
}

/// Evidence that the agent sent a payload. All of it must hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SenderMark {
    /// Keys that the payload has.
    pub(crate) has: &'static [&'static str],
    /// Keys that the payload does not have.
    pub(crate) lacks: &'static [&'static str],
    /// Variables that are set. Without any, the payload itself is the evidence.
    pub(crate) env: &'static [&'static str],
}

/// A feature of a protocol, as documents list them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feature {
    Deny,
    Ask,
    Allow,
    Rewrite,
    BlockPrompt,
    ContextAtStart,
    ContextAtPrompt,
    ContextAfterTool,
    KeepGoing,
}

/// Which changes of files the agent itself reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileChanges {
    None,
    ButDeletions,
    All,
}

type ParsePayload = fn(&AgentSpec, Option<&str>, Map<String, Value>) -> Result<Event, ParseError>;
type TranslateInput = fn(&Event, &Value) -> Result<RewrittenInput, String>;

/// What the tables cannot say.
#[derive(Clone, Copy)]
pub(crate) struct AgentExceptions {
    /// Parses a payload, with the event's name from the command line.
    pub(crate) parse: ParsePayload,
    /// The data of an event whose payload does not have the family's shape; `None` for those that do.
    pub(crate) data: fn(PayloadFields<'_>, &EventRow) -> Option<EventData>,
    /// The row of an event whose payload makes it an exception.
    pub(crate) row: fn(&Event) -> Option<&'static EventRow>,
    /// Who sent a payload, judged by more than [`AgentSpec::marks`].
    pub(crate) recognises: fn(&SenderClues<'_>) -> Recognition,
    /// Another translation of a rewritten input than [`ToolMap`]'s.
    pub(crate) rewritten: Option<TranslateInput>,
    /// A last look at a reply, for what depends on the payload. It may only add to `lost`.
    pub(crate) review: fn(&EventRow, &Event, &mut AgentReply),
}

impl AgentExceptions {
    /// Claude's payloads, and no exceptions.
    pub(crate) const CLAUDE: Self = Self {
        parse: super::claude_payload::parse,
        data: |_, _| None,
        row: |_| None,
        recognises: |_| Recognition::No,
        rewritten: None,
        review: |_, _, _| {},
    };
}

impl SenderMark {
    fn recognition(&self, clues: &SenderClues<'_>) -> Recognition {
        let has = |key: &&str| clues.payload.contains_key(*key);
        let shaped = self.has.iter().all(has) && !self.lacks.iter().any(has);
        match shaped && self.env.iter().all(|name| (clues.has_env)(name)) {
            true if self.env.is_empty() => Recognition::Payload,
            true => Recognition::Environment,
            false => Recognition::No,
        }
    }
}

impl AgentSpec {
    /// The row of an event, by its name in any spelling.
    pub(crate) fn find(&self, name: &str) -> Option<&'static EventRow> {
        event::find(self.events, name)
    }

    /// The row that answers an event. The name that the agent gave decides, not the kind: a tool's end that
    /// reports failure is another kind for hooks, but the reply has to be one to the agent's event.
    pub(crate) fn row(&self, event: &Event) -> &'static EventRow {
        (self.exceptions.row)(event)
            .or_else(|| self.find(&event.native_name))
            .or_else(|| event::find_kind(self.events, &event.kind()))
            .unwrap_or(self.unknown)
    }

    /// The call as the agent sent it, whatever hooks made of its input on the way: a rewrite is measured by
    /// what would run without it.
    pub(crate) fn sent_call(&self, event: &Event) -> Option<ToolCall> {
        let sent = self.parse(Some(&event.native_name), event.raw.clone());
        let sent = sent.ok().and_then(|sent| sent.call().cloned());
        sent.or_else(|| event.call().cloned())
    }

    fn point<'a>(&'a self, row: &'static EventRow, name: &'a str) -> ReplyPoint<'a> {
        ReplyPoint {
            title: self.short_title,
            event: if row.is_unknown() { name } else { row.native },
            caps: &row.caps,
            limits: &self.limits,
        }
    }

    fn support(&self, feature: Feature) -> Support {
        let note = self.partly.iter().find(|(partly, _)| *partly == feature);
        match note {
            Some((_, how)) => Support::Partial(how),
            None if self.has(feature) => Support::Full,
            None => Support::Unsupported,
        }
    }

    fn has(&self, feature: Feature) -> bool {
        let caps = |kind| event::find_kind(self.events, kind).map(|row| &row.caps);
        let gives = |kind| {
            let given = |context| {
                !matches!(
                    context,
                    ContextCap::InReason | ContextCap::Cannot | ContextCap::GivenBut(_)
                )
            };
            caps(kind).is_some_and(|caps| given(caps.context))
        };
        let before = caps(&EventKind::PreToolUse);
        match feature {
            Feature::Deny => before.is_some_and(|caps| caps.deny.prevents()),
            Feature::Ask => before.is_some_and(|caps| caps.ask == AskCap::Native),
            Feature::Allow => before.is_some_and(|caps| caps.allow == AllowCap::Skips),
            Feature::Rewrite => before.is_some_and(|caps| caps.rewrite != RewriteCap::Cannot),
            Feature::BlockPrompt => {
                let blocks =
                    |deny: DenyCap| deny.prevents() && !matches!(deny, DenyCap::PreventsBut(_));
                caps(&EventKind::UserPromptSubmit).is_some_and(|caps| blocks(caps.deny))
            }
            Feature::ContextAtStart => gives(&EventKind::SessionStart),
            Feature::ContextAtPrompt => gives(&EventKind::UserPromptSubmit),
            Feature::ContextAfterTool => gives(&EventKind::PostToolUse),
            Feature::KeepGoing => {
                caps(&EventKind::Stop).is_some_and(|caps| caps.deny == DenyCap::KeepsGoing)
            }
        }
    }
}

impl Adapter for AgentSpec {
    fn id(&self) -> &'static str {
        self.id
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn recognises(&self, clues: &SenderClues<'_>) -> Recognition {
        let marked = self.marks.iter().map(|mark| mark.recognition(clues));
        let best = marked.max().unwrap_or(Recognition::No);
        best.max((self.exceptions.recognises)(clues))
    }

    fn parse(&self, hint: Option<&str>, payload: Map<String, Value>) -> Result<Event, ParseError> {
        (self.exceptions.parse)(self, hint, payload)
    }

    fn render(&self, event: &Event, decision: &Decision) -> Rendered {
        let row = self.row(event);
        let translator = CallTranslator {
            spec: self,
            row,
            event,
        };
        let point = self.point(row, &event.native_name);
        let mut reply = degrade(&point, decision, &translator);
        (self.exceptions.review)(row, event, &mut reply);
        let event = Some(event);
        self.wire.write(&WirePoint { row, event }, reply)
    }

    fn render_unparsed(
        &self,
        kind: Option<&EventKind>,
        verdict: Verdict,
        reason: &str,
    ) -> Rendered {
        let name = kind.map(EventKind::name);
        let row = name.or(self.nameless).and_then(|name| self.find(name));
        let row = row.unwrap_or(self.unknown);
        // An unread payload cannot be approved.
        let decision = Decision {
            verdict,
            reason: Some(reason.to_owned()),
            ..Decision::default()
        };
        let reply = if verdict > Verdict::Allow {
            let point = self.point(row, name.unwrap_or("this event"));
            degrade(&point, &decision, &NoInput)
        } else {
            AgentReply::default()
        };
        self.wire.write(&WirePoint { row, event: None }, reply)
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            deny: self.support(Feature::Deny),
            ask: self.support(Feature::Ask),
            allow: self.support(Feature::Allow),
            rewrite: self.support(Feature::Rewrite),
            block_prompt: self.support(Feature::BlockPrompt),
            context_at_start: self.support(Feature::ContextAtStart),
            context_at_prompt: self.support(Feature::ContextAtPrompt),
            context_after_tool: self.support(Feature::ContextAfterTool),
            keep_going: self.support(Feature::KeepGoing),
        }
    }

    fn accepts_context(&self, event: &Event, decision: &Decision) -> bool {
        let caps = &self.row(event).caps;
        let refused = decision.verdict.blocks()
            || decision.verdict == Verdict::Ask
                && caps.ask == AskCap::Cannot
                && caps.deny.prevents();
        let hides_message =
            caps.message == MessageCap::ShownAlone && decision.system_message.is_some();
        let given = matches!(
            caps.context,
            ContextCap::Given | ContextCap::GivenOrInReason | ContextCap::GivenUnlessDenied
        );
        given && !refused && !hides_message
    }

    fn is_guarded(&self, event: &str) -> bool {
        let kind = self.find(event).and_then(|row| row.kind);
        kind.is_some_and(EventKind::is_guarded) || EventKind::parse(event).is_guarded()
    }

    fn checked_against(&self) -> Option<&'static str> {
        self.checked_against
    }

    fn reports_file_changes(&self, tool: &str) -> bool {
        match self.file_changes {
            FileChanges::None => false,
            FileChanges::ButDeletions => tool != "Delete",
            FileChanges::All => true,
        }
    }

    fn injects_before_tools(&self) -> bool {
        self.injects_before_tools
    }

    fn may_report_twice(&self) -> bool {
        self.may_report_twice
    }

    fn merges_replies(&self) -> bool {
        self.merges_replies
    }

    #[cfg(test)]
    fn spec(&self) -> Option<&AgentSpec> {
        Some(self)
    }
}

/// Translates a rewritten input of an event's call.
struct CallTranslator<'a> {
    spec: &'a AgentSpec,
    row: &'static EventRow,
    event: &'a Event,
}

impl CallTranslator<'_> {
    /// The call under the agent's keys, as the agent sent it.
    fn native_input(&self, call: &ToolCall) -> Value {
        let tools = &self.spec.tools;
        match self.sent().filter(|sent| sent.is_object()) {
            Some(sent) => tools.native_input(call, Some(sent)),
            None => {
                let sent = self.spec.sent_call(self.event);
                tools.native_input(sent.as_ref().unwrap_or(call), None)
            }
        }
    }

    fn sent(&self) -> Option<&Value> {
        let mut path = self.spec.input_path.iter();
        let first = self.event.raw.get(*path.next()?)?;
        path.try_fold(first, |value, key| value.get(*key))
    }

    fn prompt(&self, input: &Value) -> Result<RewrittenInput, String> {
        let prompt = input.as_object().filter(|input| input.len() == 1);
        let prompt = prompt.filter(|input| input.get("prompt").is_some_and(Value::is_string));
        match prompt {
            Some(input) => Ok(RewrittenInput::whole(input.clone())),
            None => Err(format!(
                "{} takes only another `prompt` at {}",
                self.spec.short_title, self.row.native
            )),
        }
    }
}

impl InputTranslator for CallTranslator<'_> {
    fn rewritten(&self, input: &Value) -> Result<RewrittenInput, String> {
        let title = self.spec.short_title;
        if self.row.caps.rewrite == RewriteCap::Prompt {
            return self.prompt(input);
        }
        if let Some(rewritten) = self.spec.exceptions.rewritten {
            return rewritten(self.event, input);
        }
        let Some(call) = self.event.call() else {
            return Err(format!("{title} takes no rewritten input without a call"));
        };
        let tools = &self.spec.tools;
        let native = self.native_input(call);
        let rewritten = tools.rewritten(title, &call.native_name, &native, input)?;
        match (self.row.caps.rewrite, native) {
            (RewriteCap::Merges, Value::Object(native)) => rewritten.merged(title, &native),
            _ => Ok(rewritten),
        }
    }

    fn sent_output(&self, key: &str) -> Option<&Value> {
        self.event.raw.get(key)
    }

    /// A permission may have facts of its own, such as a diff, instead of the tool's input. They are no input, so the
    /// hook's words are shown as they are.
    fn shown(&self, input: &Value) -> Value {
        let Some(call) = self.event.call() else {
            return input.clone();
        };
        if self.sent().is_none() && self.event.kind() == EventKind::PermissionRequest {
            return input.clone();
        }
        let (tools, title) = (&self.spec.tools, self.spec.short_title);
        let native = self.native_input(call);
        match tools.rewritten(title, &call.native_name, &native, input) {
            Ok(RewrittenInput {
                input: Some(input), ..
            }) => Value::Object(input),
            _ => input.clone(),
        }
    }
}

/// There is no input to rewrite in a payload that could not be parsed.
struct NoInput;

impl InputTranslator for NoInput {
    fn rewritten(&self, _: &Value) -> Result<RewrittenInput, String> {
        Err("There is no input to rewrite".to_owned())
    }
}
