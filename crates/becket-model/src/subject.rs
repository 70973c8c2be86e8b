//! The subject of an event: the text that a hook's matcher is tested against.
//!
//! Tool events are matched by the tool's name: the canonical name, the agent's own name, and the name that the
//! hook's dialect uses, so that a matcher written for one agent works the same with another. Other events have one
//! subject (a source, a reason, a type), and each dialect defines which events have one. Without a subject, every
//! matcher passes.

use std::borrow::Cow;

use crate::dialect::Dialect;
use crate::event::{Event, EventKind};
use crate::matcher::Matcher;
use crate::spec::HookSpec;
use crate::tool::{ToolCall, names_in};

/// The part of a hook that is matched against an event's subject.
#[derive(Debug, Clone, Copy)]
pub struct HookSelector<'h> {
    /// The dialect whose names the matcher uses.
    pub dialect: Dialect,
    /// The dialect's name for the event, as in [`HookSpec::native_event`].
    pub native_event: Option<&'h str>,
    /// The matcher.
    pub matcher: &'h Matcher,
}

impl<'h> From<&'h HookSpec> for HookSelector<'h> {
    fn from(hook: &'h HookSpec) -> Self {
        Self {
            dialect: hook.dialect,
            native_event: hook.native_event.as_deref(),
            matcher: &hook.matcher,
        }
    }
}

/// The subject that the hook's matcher rejected, if any.
pub(crate) fn refused<'e>(hook: HookSelector<'_>, event: &'e Event) -> Option<Cow<'e, str>> {
    if hook.matcher.is_all() {
        return None;
    }
    let subject = match event.call() {
        Some(call) => match line(hook, call) {
            Some(line) => Cow::Borrowed(line),
            None => return (!names(hook, call)).then_some(Cow::Borrowed(&*call.native_name)),
        },
        None => subject(hook.dialect, event)?,
    };
    (!hook.matcher.matches(&subject)).then_some(subject)
}

/// Whether the hook's matcher accepts the event. A matcher is not tested if the hook is not for the event at all.
pub fn passes(hook: HookSelector<'_>, event: &Event) -> bool {
    names_event(hook, event) && refused(hook, event).is_none()
}

/// Whether the hook's dialect uses its name for this event: Cursor's `beforeShellExecution` is not about files.
pub(crate) fn names_event(hook: HookSelector<'_>, event: &Event) -> bool {
    let Some(name) = hook.native_event else {
        return true;
    };
    let tool = event.call().map(|call| call.name.as_str());
    match name {
        "beforeShellExecution" | "afterShellExecution" => tool == Some("Bash"),
        "beforeReadFile" => tool == Some("Read"),
        "beforeMCPExecution" | "afterMCPExecution" => {
            tool.is_some_and(|name| name.starts_with("mcp__"))
        }
        _ => true,
    }
}

/// Whether a dialect matches a subject on this event. If not, its matchers have no effect.
pub fn has_subject(dialect: Dialect, event: &EventKind) -> bool {
    use EventKind as E;
    if event.is_tool() {
        return true;
    }
    match dialect {
        Dialect::ClaudeAgent => false,
        Dialect::Becket | Dialect::Claude | Dialect::CodeAgent => matches!(
            event,
            E::SessionStart
                | E::SessionEnd
                | E::Setup
                | E::PreCompact
                | E::PostCompact
                | E::Notification
                | E::SubagentStart
                | E::SubagentStop
                | E::StopFailure
                | E::Other(_)
        ),
        Dialect::Autohand => matches!(
            event,
            E::SessionStart
                | E::SessionEnd
                | E::Notification
                | E::SubagentStart
                | E::SubagentStop
                | E::Other(_)
        ),
        Dialect::Cursor => {
            constant(dialect, event).is_some()
                || matches!(event, E::SubagentStart | E::SubagentStop)
        }
        Dialect::Gemini => matches!(event, E::SessionStart | E::SessionEnd | E::PreCompact),
        Dialect::Codex => matches!(
            event,
            E::SessionStart
                | E::SessionEnd
                | E::PreCompact
                | E::PostCompact
                | E::SubagentStart
                | E::SubagentStop
        ),
        Dialect::Copilot => matches!(
            event,
            E::SubagentStart | E::SubagentStop | E::PreCompact | E::Notification
        ),
    }
}

fn subject(dialect: Dialect, event: &Event) -> Option<Cow<'_, str>> {
    let kind = event.kind();
    if !has_subject(dialect, &kind) {
        return None;
    }
    match constant(dialect, &kind) {
        Some(word) => Some(Cow::Borrowed(word)),
        None => event.subject().map(Cow::Borrowed),
    }
}

/// The subject of an event that is constant in a dialect, as for some of Cursor's events.
pub fn constant(dialect: Dialect, event: &EventKind) -> Option<&'static str> {
    match event {
        _ if dialect != Dialect::Cursor => None,
        EventKind::UserPromptSubmit => Some("UserPromptSubmit"),
        EventKind::Stop => Some("Stop"),
        EventKind::AgentResponse => Some("AgentResponse"),
        EventKind::AgentThought => Some("AgentThought"),
        EventKind::FileModified => Some("Write"),
        _ => None,
    }
}

/// Cursor's hooks on shell commands are matched by the command itself.
fn line<'e>(hook: HookSelector<'_>, call: &'e ToolCall) -> Option<&'e str> {
    match hook.native_event {
        Some("beforeShellExecution" | "afterShellExecution") => call.command(),
        _ => None,
    }
}

fn names(hook: HookSelector<'_>, call: &ToolCall) -> bool {
    let called = |canonical: &str| {
        let mut names = names_in(hook.dialect, canonical).into_iter();
        names.any(|name| hook.matcher.matches(&name))
    };
    let mut stands_for = call.stands_for().into_iter();
    call.names().iter().any(|name| hook.matcher.matches(name))
        || called(&call.name)
        || stands_for.any(|tool| hook.matcher.matches(tool) || called(tool))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::event::{AgentId, EventData, SessionId};
    use crate::matcher::MatchStyle;
    use crate::spec::{HookSource, Level};

    fn event(data: EventData) -> Event {
        Event::new(AgentId::new("claude"), SessionId::new("s"), data)
    }

    fn before(tool: &str, input: serde_json::Value) -> Event {
        event(EventData::PreToolUse {
            call: ToolCall::new(tool, input),
        })
    }

    fn hook(dialect: Dialect, native: Option<&str>, matcher: &str) -> HookSpec {
        let source = HookSource {
            level: Level::User,
            file: "f".into(),
            line: 1,
            key: "k".into(),
        };
        let mut hook = HookSpec::command("h", dialect, EventKind::PreToolUse, "x", source);
        hook.native_event = native.map(str::to_owned);
        hook.matcher = Matcher::parse(matcher, MatchStyle::Search).expect(matcher);
        hook
    }

    #[test]
    fn matcher_uses_its_dialects_tool_names_under_any_agent() {
        let patch = "*** Begin Patch\n*** Add File: a\n";
        for (dialect, matcher, tool, expected) in [
            (
                Dialect::Autohand,
                "^(run_command|delete_path)$",
                "Bash",
                true,
            ),
            (Dialect::Autohand, "^run_command$", "Write", false),
            (Dialect::Gemini, "run_shell_command", "Bash", true),
            (Dialect::Gemini, "^replace$", "Edit", true),
            (Dialect::Gemini, "^replace$", "MultiEdit", true),
            (
                Dialect::Gemini,
                "mcp_github_.*",
                "mcp__github__search",
                true,
            ),
            (Dialect::Cursor, "Shell", "Bash", true),
            (Dialect::Cursor, "^MCP:search$", "mcp__github__search", true),
            (Dialect::Cursor, "^Write$", "apply_patch", true),
            (Dialect::Codex, "^apply_patch$", "Edit", true),
            (Dialect::Codex, "^Edit$", "apply_patch", true),
            (Dialect::Copilot, "^bash$", "Bash", true),
            (Dialect::Copilot, "^create$", "Edit", false),
            (Dialect::Copilot, "^create$", "apply_patch", true),
            (Dialect::Becket, "^Write$", "apply_patch", true),
            (Dialect::Claude, "^(Write|Edit)$", "apply_patch", true),
            (Dialect::Claude, "^Edit$", "apply_patch", false),
            (Dialect::Claude, "run_shell_command", "Bash", false),
        ] {
            let event = before(tool, json!({ "command": patch }));
            assert_eq!(
                refused((&hook(dialect, None, matcher)).into(), &event).is_none(),
                expected,
                "{dialect:?} {matcher} on {tool}"
            );
        }
    }

    #[test]
    fn cursors_narrower_events_are_about_their_own_tools_and_the_command_line() {
        let shell = before("Bash", json!({ "command": "git push --force" }));
        let read = before("Read", json!({ "file_path": "a" }));
        let mcp = before("mcp__gh__x", json!({}));
        for (native, meant) in [
            ("beforeShellExecution", [true, false, false]),
            ("beforeReadFile", [false, true, false]),
            ("beforeMCPExecution", [false, false, true]),
        ] {
            let hook = hook(Dialect::Cursor, Some(native), "");
            let found = [&shell, &read, &mcp].map(|event| names_event((&hook).into(), event));
            assert_eq!(found, meant, "{native}");
        }
        for (matcher, expected) in [("--force$", true), ("Shell", false), ("curl|wget", false)] {
            let hook = hook(Dialect::Cursor, Some("beforeShellExecution"), matcher);
            assert_eq!(
                refused((&hook).into(), &shell).is_none(),
                expected,
                "{matcher}"
            );
        }
    }

    #[test]
    fn each_dialect_has_its_own_idea_of_which_events_have_a_subject() {
        let start = event(EventData::SessionStart {
            source: Some("resume".into()),
        });
        let stop = event(EventData::Stop {
            active: false,
            last_message: None,
        });
        let note = event(EventData::Notification {
            kind: Some("idle".into()),
            message: String::new(),
        });
        for (dialect, event, matcher, expected) in [
            (Dialect::Claude, &start, "startup", false),
            (Dialect::Autohand, &start, "startup", false),
            (Dialect::Autohand, &start, "^resume$", true),
            (Dialect::Autohand, &stop, "^nothing$", true),
            (Dialect::Cursor, &start, "startup", true),
            (Dialect::Cursor, &stop, "Stop", true),
            (Dialect::Cursor, &stop, "other", false),
            (Dialect::Gemini, &start, "startup", false),
            (Dialect::Gemini, &note, "ToolPermission", true),
            (Dialect::Codex, &start, "startup", false),
            (Dialect::Codex, &stop, "nothing", true),
            (Dialect::Copilot, &start, "startup", true),
            (Dialect::Copilot, &note, "shell_completed", false),
            (Dialect::ClaudeAgent, &start, "startup", true),
        ] {
            assert_eq!(
                refused((&hook(dialect, None, matcher)).into(), event).is_none(),
                expected,
                "{dialect:?} {matcher} on {}",
                event.kind()
            );
        }
    }
}
