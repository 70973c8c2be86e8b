//! What each dialect calls the events, in both directions.
//!
//! One table serves the readers of configuration, the contract with hook processes and the printing
//! of hooks in another dialect, so that none of them can know a name that the others do not.

use becket_model::{Dialect, EventKind};

/// A name and what it means. The first row of a kind is its usual name in that dialect.
pub(crate) struct EventNames {
    pub(crate) name: &'static str,
    /// More than one where the dialect has one event for several of ours.
    pub(crate) kinds: &'static [EventKind],
}

const fn row(name: &'static str, kinds: &'static [EventKind]) -> EventNames {
    EventNames { name, kinds }
}

use EventKind as E;

const AUTOHAND: &[EventNames] = &[
    row("pre-tool", &[E::PreToolUse]),
    // `tool_success` tells them apart.
    row("post-tool", &[E::PostToolUse, E::PostToolUseFailure]),
    row("file-modified", &[E::FileModified]),
    row("pre-prompt", &[E::UserPromptSubmit]),
    row("stop", &[E::Stop]),
    row("post-response", &[E::Stop]),
    row("session-start", &[E::SessionStart]),
    row("session-end", &[E::SessionEnd]),
    row("session-error", &[E::SessionError]),
    row("subagent-stop", &[E::SubagentStop]),
    row("permission-request", &[E::PermissionRequest]),
    row("notification", &[E::Notification]),
    row("context:compact", &[E::PostCompact]),
    row("task-completed", &[E::TaskCompleted]),
];

const CURSOR: &[EventNames] = &[
    row("preToolUse", &[E::PreToolUse]),
    row("postToolUse", &[E::PostToolUse]),
    row("postToolUseFailure", &[E::PostToolUseFailure]),
    row("beforeSubmitPrompt", &[E::UserPromptSubmit]),
    row("stop", &[E::Stop]),
    row("sessionStart", &[E::SessionStart]),
    row("sessionEnd", &[E::SessionEnd]),
    row("subagentStart", &[E::SubagentStart]),
    row("subagentStop", &[E::SubagentStop]),
    row("preCompact", &[E::PreCompact]),
    row("afterFileEdit", &[E::FileModified]),
    row("afterAgentResponse", &[E::AgentResponse]),
    row("afterAgentThought", &[E::AgentThought]),
    row("workspaceOpen", &[E::Setup]),
    row("beforeShellExecution", &[E::PreToolUse]),
    row("beforeMCPExecution", &[E::PreToolUse]),
    row("beforeReadFile", &[E::PreToolUse]),
    // They follow the tool whether it did well or not.
    row(
        "afterShellExecution",
        &[E::PostToolUse, E::PostToolUseFailure],
    ),
    row(
        "afterMCPExecution",
        &[E::PostToolUse, E::PostToolUseFailure],
    ),
];

const GEMINI: &[EventNames] = &[
    row("BeforeTool", &[E::PreToolUse]),
    row("AfterTool", &[E::PostToolUse, E::PostToolUseFailure]),
    row("BeforeAgent", &[E::UserPromptSubmit]),
    row("AfterAgent", &[E::Stop]),
    row("SessionStart", &[E::SessionStart]),
    row("SessionEnd", &[E::SessionEnd]),
    row("PreCompress", &[E::PreCompact]),
    row("Notification", &[E::Notification]),
    row("BeforeModel", &[E::PreModelRequest]),
    row("AfterModel", &[E::PostModelRequest]),
];

const CODEX: &[EventNames] = &[
    row("PreToolUse", &[E::PreToolUse]),
    row("PermissionRequest", &[E::PermissionRequest]),
    row("PostToolUse", &[E::PostToolUse]),
    row("UserPromptSubmit", &[E::UserPromptSubmit]),
    row("Stop", &[E::Stop]),
    row("SessionStart", &[E::SessionStart]),
    row("SessionEnd", &[E::SessionEnd]),
    row("SubagentStart", &[E::SubagentStart]),
    row("SubagentStop", &[E::SubagentStop]),
    row("PreCompact", &[E::PreCompact]),
    row("PostCompact", &[E::PostCompact]),
    row("PreModelRequest", &[E::PreModelRequest]),
    row("PostModelRequest", &[E::PostModelRequest]),
];

const COPILOT: &[EventNames] = &[
    row("preToolUse", &[E::PreToolUse]),
    row("permissionRequest", &[E::PermissionRequest]),
    row("postToolUse", &[E::PostToolUse]),
    row("postToolUseFailure", &[E::PostToolUseFailure]),
    row("userPromptSubmitted", &[E::UserPromptSubmit]),
    row("agentStop", &[E::Stop]),
    row("sessionStart", &[E::SessionStart]),
    row("sessionEnd", &[E::SessionEnd]),
    row("subagentStart", &[E::SubagentStart]),
    row("subagentStop", &[E::SubagentStop]),
    row("preCompact", &[E::PreCompact]),
    row("errorOccurred", &[E::SessionError]),
    row("notification", &[E::Notification]),
    // The case of the key chooses the payload: these get the one that Claude's hooks know.
    row("PreToolUse", &[E::PreToolUse]),
    row("PermissionRequest", &[E::PermissionRequest]),
    row("PostToolUse", &[E::PostToolUse]),
    row("PostToolUseFailure", &[E::PostToolUseFailure]),
    row("UserPromptSubmit", &[E::UserPromptSubmit]),
    row("Stop", &[E::Stop]),
    row("SessionStart", &[E::SessionStart]),
    row("SessionEnd", &[E::SessionEnd]),
    row("SubagentStart", &[E::SubagentStart]),
    row("SubagentStop", &[E::SubagentStop]),
    row("PreCompact", &[E::PreCompact]),
    row("ErrorOccurred", &[E::SessionError]),
    row("Notification", &[E::Notification]),
];

/// Events of agents that Becket has no word of its own for; hooks may stand on them all the same.
const FOREIGN: &[(Dialect, &[&str])] = &[
    (
        Dialect::Autohand,
        &[
            "pre-clear",
            "rate-limit",
            "pre-learn",
            "post-learn",
            "mode-change",
            "goal-written:completed",
            "team-created",
            "teammate-spawned",
            "teammate-idle",
            "task-assigned",
            "team-shutdown",
            "context:overflow",
            "context:warning",
            "context:critical",
            "automode:start",
            "automode:iteration",
            "automode:checkpoint",
            "automode:pause",
            "automode:resume",
            "automode:cancel",
            "automode:complete",
            "automode:error",
            "autoresearch:start",
            "autoresearch:pause",
            "autoresearch:init",
            "autoresearch:before",
            "autoresearch:run",
            "autoresearch:after",
            "autoresearch:log",
            "autoresearch:decision",
            "autoresearch:replay",
            "autoresearch:rescore",
            "autoresearch:prune",
            "autoresearch:complete",
            "autoresearch:error",
            "review:start",
            "review:end",
            "review:paused",
            "review:failed",
            "review:completed",
        ],
    ),
    (Dialect::Cursor, &["beforeTabFileRead", "afterTabFileEdit"]),
    (Dialect::Gemini, &["BeforeToolSelection"]),
    (Dialect::Codex, &["Interrupt"]),
    (
        Dialect::Copilot,
        &["userPromptTransformed", "preMcpToolCall", "PreMcpToolCall"],
    ),
];

fn table(dialect: Dialect) -> &'static [EventNames] {
    match dialect {
        Dialect::Becket | Dialect::Claude | Dialect::CodeAgent | Dialect::ClaudeAgent => &[],
        Dialect::Autohand => AUTOHAND,
        Dialect::Cursor => CURSOR,
        Dialect::Gemini => GEMINI,
        Dialect::Codex => CODEX,
        Dialect::Copilot => COPILOT,
    }
}

/// The row of a name, spelled exactly as its dialect does.
pub(crate) fn find(dialect: Dialect, name: &str) -> Option<&'static EventNames> {
    table(dialect).iter().find(|row| row.name == name)
}

/// The row of a kind's usual name, where the dialect has the event.
pub(crate) fn usual(dialect: Dialect, kind: &EventKind) -> Option<&'static EventNames> {
    table(dialect).iter().find(|row| row.kinds.contains(kind))
}

/// Whether a dialect has such an event though Becket has no word for it.
pub(crate) fn is_foreign(dialect: Dialect, name: &str) -> bool {
    FOREIGN
        .iter()
        .any(|(owner, names)| *owner == dialect && names.contains(&name))
}

/// Every name of a dialect, for suggestions.
pub(crate) fn all(dialect: Dialect) -> impl Iterator<Item = &'static str> {
    table(dialect).iter().map(|row| row.name)
}

/// How a dialect spells an event, whether its agent has it or not. An unknown name stays as
/// its agent wrote it.
pub(crate) fn spell(dialect: Dialect, kind: &EventKind) -> String {
    if let Some(row) = usual(dialect, kind) {
        return row.name.to_owned();
    }
    if !kind.is_known() {
        return kind.name().to_owned();
    }
    match dialect {
        Dialect::Becket
        | Dialect::Claude
        | Dialect::CodeAgent
        | Dialect::Gemini
        | Dialect::Codex => kind.name().to_owned(),
        Dialect::ClaudeAgent => kind.snake(),
        Dialect::Autohand => kind.kebab(),
        Dialect::Cursor | Dialect::Copilot => lower_camel(kind.name()),
    }
}

fn lower_camel(pascal: &str) -> String {
    let mut chars = pascal.chars();
    match chars.next() {
        Some(first) => first.to_ascii_lowercase().to_string() + chars.as_str(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back_as_the_kind_it_was_spelled_for() {
        for dialect in Dialect::ALL {
            for kind in EventKind::ALL {
                let name = spell(dialect, kind);
                let read = match find(dialect, &name) {
                    Some(row) => row.kinds.contains(kind),
                    None => EventKind::parse(&name) == *kind,
                };
                assert!(read, "{dialect:?} {name}");
            }
        }
    }

    #[test]
    fn the_general_spelling_of_a_name_agrees_with_the_tables() {
        for dialect in Dialect::ALL {
            for row in table(dialect) {
                let parsed = EventKind::parse(row.name);
                let own = !parsed.is_known() || parsed == row.kinds[0];
                assert!(own, "{dialect:?} {}", row.name);
            }
        }
    }
}
