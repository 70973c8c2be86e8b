//! Selects the hooks for an event, in order, and explains why the others do not run.

use crate::dialect::Dialect;
use crate::event::Event;
use crate::spec::HookSpec;
use crate::subject;

/// Why a hook runs or does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectionReason {
    /// It runs in this stage, from 0.
    Runs(usize),
    /// It runs detached: it is started, and not waited for.
    RunsDetached,
    /// It is disabled.
    Disabled,
    /// It is for another event.
    OtherEvent,
    /// Its matcher does not match the subject.
    MatcherMissed(String),
    /// Its filter rejects the event.
    FilterMissed,
    /// Its `if` condition does not match.
    ConditionMissed,
    /// This hook already runs the same handler.
    Duplicate(String),
}

impl std::fmt::Display for SelectionReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Runs(stage) => write!(f, "runs in stage {}", stage + 1),
            Self::RunsDetached => f.write_str("runs in the background"),
            Self::Disabled => f.write_str("is disabled"),
            Self::OtherEvent => f.write_str("is for another event"),
            Self::MatcherMissed(subject) => write!(f, "matcher does not match `{subject}`"),
            Self::FilterMissed => f.write_str("filter does not match this event"),
            Self::ConditionMissed => f.write_str("`if` condition does not match"),
            Self::Duplicate(of) => write!(f, "duplicate of `{of}`"),
        }
    }
}

/// The hooks to run for an event.
#[derive(Debug, Default)]
pub struct Plan<'h> {
    /// Stages in order; the hooks of one stage run concurrently.
    pub stages: Vec<Vec<&'h HookSpec>>,
    /// Hooks that are started and not waited for.
    pub detached: Vec<&'h HookSpec>,
}

impl<'h> Plan<'h> {
    /// Whether nothing runs.
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty() && self.detached.is_empty()
    }

    /// All hooks of the plan.
    pub fn hooks(&self) -> impl Iterator<Item = &'h HookSpec> {
        self.stages.iter().flatten().chain(&self.detached).copied()
    }

    /// Removes the hooks for which `keep` is false.
    pub fn retain(&mut self, mut keep: impl FnMut(&'h HookSpec) -> bool) {
        for stage in &mut self.stages {
            stage.retain(|hook| keep(hook));
        }
        self.stages.retain(|stage| !stage.is_empty());
        self.detached.retain(|hook| keep(hook));
    }
}

/// Selects hooks for an event, from hooks in running order.
pub fn select<'h>(hooks: &'h [HookSpec], event: &Event) -> Plan<'h> {
    let mut plan = Plan::default();
    walk(hooks, event, |hook, fate| match fate {
        SelectionReason::Runs(stage) if stage == plan.stages.len() => plan.stages.push(vec![hook]),
        SelectionReason::Runs(stage) => plan.stages[stage].push(hook),
        SelectionReason::RunsDetached => plan.detached.push(hook),
        _ => {}
    });
    plan
}

/// Makes the same selection, with a reason for every hook.
pub fn explain<'h>(hooks: &'h [HookSpec], event: &Event) -> Vec<(&'h HookSpec, SelectionReason)> {
    let mut fates = Vec::with_capacity(hooks.len());
    walk(hooks, event, |hook, fate| fates.push((hook, fate)));
    fates
}

fn walk<'h>(
    hooks: &'h [HookSpec],
    event: &Event,
    mut visit: impl FnMut(&'h HookSpec, SelectionReason),
) {
    let kind = event.kind();
    let mut chosen: Vec<&HookSpec> = Vec::new();
    let mut stages = 0;
    let mut last: Option<&HookSpec> = None;
    for hook in hooks {
        let fate = if hook.event == kind {
            rejection(hook, event).or_else(|| duplicate(&chosen, hook))
        } else {
            Some(SelectionReason::OtherEvent)
        };
        if let Some(fate) = fate {
            visit(hook, fate);
            continue;
        }
        chosen.push(hook);
        if hook.is_async {
            visit(hook, SelectionReason::RunsDetached);
            continue;
        }
        if !last.is_some_and(|last| share_a_stage(last, hook)) {
            stages += 1;
        }
        last = Some(hook);
        visit(hook, SelectionReason::Runs(stages - 1));
    }
}

/// Whether a hook accepts an event of its kind: it is enabled, and its matcher, filter and condition match.
pub fn passes(hook: &HookSpec, event: &Event) -> bool {
    rejection(hook, event).is_none()
}

fn share_a_stage(a: &HookSpec, b: &HookSpec) -> bool {
    let concurrent = |hook: &HookSpec| hook.dialect.runs_concurrently() && !hook.sequential;
    a.priority == b.priority && concurrent(a) && concurrent(b)
}

fn rejection(hook: &HookSpec, event: &Event) -> Option<SelectionReason> {
    if !hook.enabled {
        return Some(SelectionReason::Disabled);
    }
    if !subject::names_event(hook.into(), event) {
        return Some(SelectionReason::OtherEvent);
    }
    if let Some(subject) = subject::refused(hook.into(), event) {
        return Some(SelectionReason::MatcherMissed(subject.into_owned()));
    }
    if !hook.filter.is_empty() && !hook.filter.passes(event) {
        return Some(SelectionReason::FilterMissed);
    }
    (!condition_holds(hook, event)).then_some(SelectionReason::ConditionMissed)
}

fn condition_holds(hook: &HookSpec, event: &Event) -> bool {
    match (&hook.condition, event.call()) {
        (None, _) => true,
        (Some(condition), Some(call)) => condition.matches(call, event.cwd.as_deref()),
        // Claude never runs a conditional hook on an event without a tool; other dialects ignore `if` there.
        (Some(_), None) => hook.dialect != Dialect::Claude,
    }
}

/// Claude and Gemini run each handler once per event, even if several matcher groups name it.
fn duplicate(chosen: &[&HookSpec], hook: &HookSpec) -> Option<SelectionReason> {
    let twin = chosen.iter().find(|other| match hook.dialect {
        Dialect::Claude => {
            other.dialect == Dialect::Claude
                && other.action == hook.action
                && other.condition == hook.condition
                && other.root == hook.root
        }
        Dialect::Gemini => {
            other.dialect == Dialect::Gemini
                && other.action == hook.action
                && given_name(other) == given_name(hook)
        }
        _ => false,
    })?;
    Some(SelectionReason::Duplicate(twin.name.clone()))
}

/// The name from the definition, not one derived from its key.
fn given_name(hook: &HookSpec) -> Option<&str> {
    (!hook.source.key.ends_with(&hook.name)).then_some(&hook.name)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::event::{AgentId, EventData, EventKind, SessionId};
    use crate::filter::{Condition, Filter};
    use crate::matcher::{MatchStyle, Matcher};
    use crate::spec::{HookSource, Level};
    use crate::tool::ToolCall;

    fn event(data: EventData) -> Event {
        let mut event = Event::new(AgentId::new("demo"), SessionId::new("s"), data);
        event.cwd = Some("/w".into());
        event
    }

    fn bash(command: &str) -> Event {
        event(EventData::PreToolUse {
            call: ToolCall::new("Bash", json!({ "command": command })),
        })
    }

    fn hook(name: &str, dialect: Dialect, kind: EventKind, matcher: &str) -> HookSpec {
        let source = HookSource {
            level: Level::User,
            file: "f".into(),
            line: 1,
            key: name.into(),
        };
        let mut hook = HookSpec::command(name, dialect, kind, name, source);
        hook.matcher = Matcher::parse(matcher, MatchStyle::Names).expect(matcher);
        hook
    }

    fn stages(hooks: &[HookSpec], event: &Event) -> Vec<Vec<String>> {
        select(hooks, event)
            .stages
            .iter()
            .map(|s| s.iter().map(|h| h.name.clone()).collect())
            .collect()
    }

    #[test]
    fn concurrent_dialects_share_a_stage_per_priority_and_the_others_stand_alone() {
        let mut urgent = hook("urgent", Dialect::Becket, EventKind::PreToolUse, "");
        urgent.priority = 5;
        let hooks = [
            urgent,
            hook("a", Dialect::Becket, EventKind::PreToolUse, ""),
            hook("b", Dialect::Claude, EventKind::PreToolUse, "Bash"),
            hook("c", Dialect::CodeAgent, EventKind::PreToolUse, ""),
            hook("d", Dialect::ClaudeAgent, EventKind::PreToolUse, ""),
            hook("e", Dialect::Becket, EventKind::PreToolUse, ""),
            hook("f", Dialect::Cursor, EventKind::PreToolUse, ""),
            hook("g", Dialect::Gemini, EventKind::PreToolUse, ""),
            hook("h", Dialect::Codex, EventKind::PreToolUse, ""),
            hook("i", Dialect::Copilot, EventKind::PreToolUse, ""),
            hook("j", Dialect::Copilot, EventKind::PreToolUse, ""),
            hook("k", Dialect::Autohand, EventKind::PreToolUse, ""),
        ];
        assert_eq!(
            stages(&hooks, &bash("ls")),
            [
                vec!["urgent"],
                vec!["a", "b"],
                vec!["c"],
                vec!["d"],
                vec!["e", "f", "g", "h"],
                vec!["i"],
                vec!["j"],
                vec!["k"],
            ]
        );
    }

    #[test]
    fn a_sequential_hook_has_a_stage_of_its_own() {
        let mut hooks =
            ["a", "b", "c", "d"].map(|name| hook(name, Dialect::Gemini, EventKind::PreToolUse, ""));
        hooks[1].sequential = true;
        assert_eq!(
            stages(&hooks, &bash("ls")),
            [vec!["a"], vec!["b"], vec!["c", "d"]]
        );
    }

    #[test]
    fn gemini_runs_one_command_once_unless_it_has_another_name() {
        let mut twice = ["a", "a", "a"].map(|command| {
            let mut hook = hook(command, Dialect::Gemini, EventKind::PreToolUse, "");
            hook.source.key = "hooks.BeforeTool[0].hooks[0]".into();
            hook.name = "BeforeTool[0].hooks[0]".into();
            hook
        });
        twice[1].source.key = "hooks.BeforeTool[1].hooks[0]".into();
        twice[1].name = "BeforeTool[1].hooks[0]".into();
        assert_eq!(stages(&twice[..2], &bash("ls")).concat().len(), 1);
        twice[2].name = "mine".into();
        assert_eq!(stages(&twice, &bash("ls")).concat().len(), 2);
    }

    #[test]
    fn every_hook_gets_a_reason() {
        let mut off = hook("off", Dialect::Becket, EventKind::PreToolUse, "");
        off.enabled = false;
        let mut filtered = hook("filtered", Dialect::Becket, EventKind::PreToolUse, "");
        filtered.filter = Filter {
            tool: vec![],
            path: vec!["src/**".into()],
        };
        let mut conditional = hook("conditional", Dialect::Claude, EventKind::PreToolUse, "");
        conditional.condition = Condition::parse("Bash(git *)");
        let mut background = hook("background", Dialect::Becket, EventKind::PreToolUse, "");
        background.is_async = true;
        let hooks = [
            off,
            hook("later", Dialect::Becket, EventKind::Stop, ""),
            hook("write", Dialect::Becket, EventKind::PreToolUse, "Write"),
            filtered,
            conditional,
            background,
            hook("runs", Dialect::Becket, EventKind::PreToolUse, "Bash"),
        ];
        let fates: Vec<SelectionReason> = explain(&hooks, &bash("ls"))
            .into_iter()
            .map(|(_, fate)| fate)
            .collect();
        assert_eq!(
            fates,
            [
                SelectionReason::Disabled,
                SelectionReason::OtherEvent,
                SelectionReason::MatcherMissed("Bash".into()),
                SelectionReason::FilterMissed,
                SelectionReason::ConditionMissed,
                SelectionReason::RunsDetached,
                SelectionReason::Runs(0),
            ]
        );
    }

    #[test]
    fn matchers_test_the_subject_of_session_events_and_pass_where_there_is_none() {
        let start = event(EventData::SessionStart {
            source: Some("resume".into()),
        });
        let hooks = [
            hook(
                "startup",
                Dialect::Claude,
                EventKind::SessionStart,
                "startup",
            ),
            hook("resume", Dialect::Claude, EventKind::SessionStart, "resume"),
            hook(
                "library",
                Dialect::ClaudeAgent,
                EventKind::SessionStart,
                "Bash",
            ),
        ];
        assert_eq!(stages(&hooks, &start), [vec!["resume"], vec!["library"]]);
        let prompt = event(EventData::UserPromptSubmit {
            prompt: "hi".into(),
        });
        assert_eq!(
            stages(
                &[hook(
                    "p",
                    Dialect::Claude,
                    EventKind::UserPromptSubmit,
                    "nothing"
                )],
                &prompt
            ),
            [vec!["p"]]
        );
    }

    #[test]
    fn a_matcher_matches_the_native_or_the_canonical_name() {
        let event = event(EventData::PreToolUse {
            call: ToolCall::new("run_shell_command", json!({})),
        });
        for matcher in ["Bash", "run_shell_command"] {
            assert_eq!(
                stages(
                    &[hook("h", Dialect::Becket, EventKind::PreToolUse, matcher)],
                    &event
                )
                .len(),
                1,
                "{matcher}"
            );
        }
    }

    #[test]
    fn claude_runs_one_handler_once_however_many_groups_name_it() {
        let mut twice = [
            hook("x", Dialect::Claude, EventKind::PreToolUse, "Bash"),
            hook("x", Dialect::Claude, EventKind::PreToolUse, "Bash|Write"),
        ];
        assert_eq!(stages(&twice, &bash("ls")), [vec!["x"]]);
        twice[1].dialect = Dialect::CodeAgent;
        assert_eq!(stages(&twice, &bash("ls")).len(), 2);
    }
}
