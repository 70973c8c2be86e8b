//! Sample events for tests, built so that they pass the hook's matcher, filter and condition.

use becket::model::plan::passes;
use becket::model::{AgentId, Event, EventData, EventKind, HookSpec, SessionId, ToolCall};
use serde_json::{Value, json};

/// Values that the user wants in the sample.
#[derive(Default)]
pub(crate) struct SampleOverrides {
    pub(crate) tool: Option<String>,
    pub(crate) input: Option<Value>,
}

/// Builds a sample event for a hook, with `cwd` as the working directory.
pub(crate) fn event(
    hook: &HookSpec,
    kind: &EventKind,
    cwd: &str,
    overrides: &SampleOverrides,
) -> Event {
    let hook = HookSpec {
        enabled: true,
        event: kind.clone(),
        ..hook.clone()
    };
    let mut all = samples(&hook, kind, cwd, overrides)
        .into_iter()
        .map(|data| {
            let mut event = Event::new(
                AgentId::new(becket::EMBEDDED),
                SessionId::new("becket-test"),
                data,
            );
            event.cwd = Some(cwd.to_owned());
            event
        });
    let first = all.next().expect("every event has a sample");
    if passes(&hook, &first) {
        return first;
    }
    all.find(|event| passes(&hook, event)).unwrap_or(first)
}

fn samples(
    hook: &HookSpec,
    kind: &EventKind,
    cwd: &str,
    overrides: &SampleOverrides,
) -> Vec<EventData> {
    if kind.is_tool() {
        return calls(hook, cwd, overrides)
            .into_iter()
            .map(|call| about_tool(kind, call))
            .collect();
    }
    let paths = || paths(hook, cwd).into_iter();
    let each = |words: &[&str], make: &dyn Fn(String) -> EventData| -> Vec<EventData> {
        words.iter().map(|word| make((*word).to_owned())).collect()
    };
    match kind {
        EventKind::FileModified => paths()
            .map(|path| EventData::FileModified {
                path,
                change: Some("modify".into()),
            })
            .collect(),
        EventKind::SessionStart => each(&["startup", "resume", "clear", "compact"], &|source| {
            EventData::SessionStart {
                source: Some(source),
            }
        }),
        EventKind::SessionEnd => each(
            &["other", "quit", "clear", "exit", "error", "logout"],
            &|reason| EventData::SessionEnd {
                reason: Some(reason),
            },
        ),
        EventKind::Notification => each(&["permission_prompt", "idle_prompt", "info"], &|kind| {
            EventData::Notification {
                kind: Some(kind),
                message: "a sample".into(),
            }
        }),
        EventKind::PreCompact => each(&["manual", "auto"], &|trigger| EventData::PreCompact {
            trigger: Some(trigger),
            instructions: None,
        }),
        EventKind::PostCompact => each(&["manual", "auto"], &|trigger| EventData::PostCompact {
            trigger: Some(trigger),
            summary: Some("a sample".into()),
        }),
        EventKind::Setup => each(&["init", "maintenance"], &|trigger| EventData::Setup {
            trigger: Some(trigger),
        }),
        EventKind::SubagentStart => each(&AGENTS, &|kind| EventData::SubagentStart {
            id: "agent-1".into(),
            kind,
            description: "a sample".into(),
        }),
        EventKind::SubagentStop => each(&AGENTS, &|kind| EventData::SubagentStop {
            id: "agent-1".into(),
            kind,
            active: false,
            success: true,
            error: None,
            last_message: Some("done".into()),
        }),
        other => vec![plain(other)],
    }
}

const AGENTS: [&str; 4] = ["general-purpose", "explore", "plan", "reviewer"];

/// Events without variants.
fn plain(kind: &EventKind) -> EventData {
    let text = || "a sample".to_owned();
    match kind {
        EventKind::UserPromptSubmit => EventData::UserPromptSubmit { prompt: text() },
        EventKind::Stop => EventData::Stop {
            active: false,
            last_message: Some(text()),
        },
        EventKind::StopFailure => EventData::StopFailure {
            error: text(),
            details: None,
        },
        EventKind::SessionError => EventData::SessionError {
            error: text(),
            code: None,
        },
        EventKind::AgentThought => EventData::AgentThought { text: text() },
        EventKind::AgentResponse => EventData::AgentResponse { text: text() },
        EventKind::PreModelRequest => EventData::PreModelRequest,
        EventKind::PostModelRequest => EventData::PostModelRequest,
        EventKind::TaskCreated => EventData::TaskCreated {
            id: "1".into(),
            subject: text(),
        },
        EventKind::TaskCompleted => EventData::TaskCompleted {
            id: "1".into(),
            subject: text(),
        },
        other => EventData::Other {
            name: other.name().into(),
            subject: None,
        },
    }
}

fn about_tool(kind: &EventKind, call: ToolCall) -> EventData {
    match kind {
        EventKind::PostToolUse => EventData::PostToolUse {
            call,
            response: json!({ "stdout": "hello\n" }),
            duration_ms: Some(100),
        },
        EventKind::PostToolUseFailure => EventData::PostToolUseFailure {
            call,
            error: "a sample".into(),
            interrupted: false,
            duration_ms: Some(100),
        },
        EventKind::PermissionRequest => EventData::PermissionRequest { call },
        EventKind::PermissionDenied => EventData::PermissionDenied {
            call,
            reason: Some("a sample".into()),
        },
        _ => EventData::PreToolUse { call },
    }
}

/// Calls of common tools whose input matches the hook's condition and filter.
fn calls(hook: &HookSpec, cwd: &str, overrides: &SampleOverrides) -> Vec<ToolCall> {
    let condition = hook.condition.as_ref().map(ToString::to_string);
    let named = condition.as_deref().and_then(|text| {
        let (tool, pattern) = text.strip_suffix(')')?.split_once('(')?;
        let text = match tool {
            "Bash" => example_command(pattern),
            _ => example_path(pattern),
        };
        Some((tool.to_owned(), text))
    });
    let command = match &named {
        Some((tool, pattern)) if tool == "Bash" => pattern.clone(),
        _ => "echo hello".to_owned(),
    };
    let mut calls = Vec::new();
    let mut files = paths(hook, cwd);
    if let Some((_, pattern)) = named.filter(|(tool, _)| tool != "Bash") {
        files.insert(0, pattern);
    }
    let tools: Vec<&str> = match &overrides.tool {
        Some(tool) => vec![tool],
        None => {
            let listed = hook.filter.tool.iter().map(String::as_str);
            let matched = hook.matcher.names().unwrap_or_default();
            listed
                .chain(matched.iter().map(String::as_str))
                .chain(TOOLS)
                .collect()
        }
    };
    for tool in tools {
        for file in &files {
            let input = overrides
                .input
                .clone()
                .unwrap_or_else(|| input(tool, &command, file));
            calls.push(ToolCall::new(tool, input).with_id(Some("call-1".into())));
        }
    }
    calls
}

const TOOLS: [&str; 11] = [
    "Bash",
    "Write",
    "Edit",
    "Read",
    "Delete",
    "Grep",
    "Glob",
    "WebFetch",
    "WebSearch",
    "Task",
    "mcp__server__tool",
];

fn input(tool: &str, command: &str, file: &str) -> Value {
    match becket::model::ToolCall::new(tool, Value::Null)
        .name
        .as_str()
    {
        "Bash" => json!({ "command": command }),
        "Write" => json!({ "file_path": file, "content": "a sample\n" }),
        "Edit" => json!({ "file_path": file, "old_string": "a", "new_string": "b" }),
        "Read" | "Delete" => json!({ "file_path": file }),
        "Grep" | "Glob" => json!({ "pattern": "sample" }),
        "WebFetch" => json!({ "url": "https://example.com/" }),
        "WebSearch" => json!({ "query": "a sample" }),
        "Task" => json!({ "description": "a sample", "prompt": "a sample" }),
        _ => json!({}),
    }
}

/// Files that pass the hook's path filter, or any file.
fn paths(hook: &HookSpec, cwd: &str) -> Vec<String> {
    let mut paths: Vec<String> = hook
        .filter
        .path
        .iter()
        .map(|glob| example_path(glob))
        .map(|path| {
            if path.starts_with('/') {
                path
            } else {
                format!("{cwd}/{path}")
            }
        })
        .collect();
    if paths.is_empty() {
        paths.push(format!("{cwd}/test/file.ts"));
    }
    paths
}

/// A command that matches a pattern, without words that the pattern does not need.
fn example_command(pattern: &str) -> String {
    let mut out = String::new();
    let mut rest = pattern;
    while let Some((before, behind)) = rest.split_once('*') {
        out.push_str(before);
        rest = behind.trim_start_matches('*');
        if out.is_empty() || out.ends_with(char::is_whitespace) {
            out.push_str("sample");
        } else if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
            out.push(' ');
        }
    }
    out + rest
}

/// A text that matches a glob, in common cases.
fn example_path(glob: &str) -> String {
    let mut out = String::new();
    let mut rest = glob;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '*' if rest.starts_with("**/") => &rest[3..],
            '*' => {
                out.push_str("sample");
                rest.trim_start_matches('*')
            }
            '?' => {
                out.push('a');
                after
            }
            '{' => {
                let (choices, behind) = after.split_once('}').unwrap_or((after, ""));
                out.push_str(choices.split(',').next().unwrap_or_default());
                behind
            }
            '[' => {
                let (choices, behind) = after.split_once(']').unwrap_or((after, ""));
                out.extend(choices.chars().find(|c| !matches!(c, '!' | '^')));
                behind
            }
            other => {
                out.push(other);
                after
            }
        };
    }
    out
}

#[cfg(test)]
mod tests {
    use becket::model::Level;
    use becket_agents::config::{ConfigFile, becket};

    use super::*;

    #[test]
    fn sample_event_passes_the_hooks_filters() {
        for lines in [
            "event = 'PreToolUse'",
            "event = 'PreToolUse'\nmatcher = 'Write|Edit'",
            "event = 'PreToolUse'\nmatcher = 'mcp__.*'",
            "event = 'PreToolUse'\nmatcher = 'mcp__github__create_issue'",
            "event = 'PreToolUse'\nmatcher = '^Web'",
            "event = 'PreToolUse'\nmatcher = 'run_shell_command'",
            "event = 'PreToolUse'\nif = 'Bash(git push *--force*)'",
            "event = 'PreToolUse'\nif = 'Bash(git push*--force*)'",
            "event = 'PreToolUse'\nif = 'Bash(npm test*)'",
            "event = 'PreToolUse'\nif = 'Bash(* --force)'",
            "event = 'PreToolUse'\nif = 'Write(*.json)'",
            "event = 'PostToolUse'\nfilter = { path = ['src/**/*.rs'], tool = ['Edit'] }",
            "event = 'PostToolUse'\nfilter = { path = ['**/*.{ts,tsx}'] }",
            "event = 'PermissionRequest'\nfilter = { tool = ['Read'] }",
            "event = 'FileModified'\nfilter = { path = ['migrations/**'] }",
            "event = 'SessionStart'\nmatcher = 'resume'",
            "event = 'SessionEnd'\nmatcher = 'clear'",
            "event = 'Notification'\nmatcher = 'idle_prompt'",
            "event = 'PreCompact'\nmatcher = 'auto'",
            "event = 'SubagentStop'\nmatcher = 'plan'",
            "event = 'Stop'",
            "event = 'MoonPhase'",
        ] {
            let text = format!("[[hook]]\n{lines}\ncommand = 'x'\n");
            let file = ConfigFile {
                path: "/w/becket.toml".as_ref(),
                level: Level::User,
                text: &text,
                root: None,
            };
            let hook = becket(&file).hooks.remove(0);
            let event = event(&hook, &hook.event, "/w", &SampleOverrides::default());
            assert_eq!(event.kind(), hook.event);
            assert!(passes(&hook, &event), "{lines}: {event:?}");
        }
    }
}
