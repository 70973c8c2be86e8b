//! Which hooks run for an event, in which stages, and why the others do not.

use becket_model::matcher::MatchStyle;
use becket_model::plan::{explain, passes, select};
use becket_model::{
    Action, Condition, Dialect, EventData, EventKind, HookSpec, Matcher, SelectionReason,
};
use serde_json::json;

use crate::{before, event, hook};

fn stages(hooks: &[HookSpec]) -> Vec<Vec<String>> {
    let event = before("Bash", json!({ "command": "ls" }));
    let stages = select(hooks, &event).stages;
    let names = |stage: Vec<&HookSpec>| stage.iter().map(|hook| hook.name.clone()).collect();
    stages.into_iter().map(names).collect()
}

fn with(mut hook: HookSpec, change: impl FnOnce(&mut HookSpec)) -> HookSpec {
    change(&mut hook);
    hook
}

#[test]
fn hooks_share_a_stage_if_both_may_run_concurrently_at_one_priority() {
    let becket = |name| hook(name, Dialect::Becket);
    assert_eq!(stages(&[becket("a"), becket("b")]), [["a", "b"]]);
    let alone = |name| with(becket(name), |hook| hook.sequential = true);
    assert_eq!(
        stages(&[becket("a"), alone("b"), becket("c")]),
        [["a"], ["b"], ["c"]]
    );
    let urgent = with(becket("a"), |hook| hook.priority = 1);
    assert_eq!(stages(&[urgent, becket("b")]), [["a"], ["b"]]);
    for dialect in [
        Dialect::CodeAgent,
        Dialect::ClaudeAgent,
        Dialect::Autohand,
        Dialect::Copilot,
    ] {
        let one = |name| hook(name, dialect);
        assert_eq!(
            stages(&[becket("x"), one("a"), one("b"), becket("y")]),
            [["x"], ["a"], ["b"], ["y"]],
            "{dialect:?}"
        );
    }
    for dialect in [
        Dialect::Claude,
        Dialect::Cursor,
        Dialect::Gemini,
        Dialect::Codex,
    ] {
        let one = |name: &str| {
            with(hook(name, dialect), |hook| {
                hook.action = Action::Command {
                    command: name.into(),
                    args: None,
                }
            })
        };
        assert_eq!(stages(&[one("a"), one("b")]), [["a", "b"]], "{dialect:?}");
    }
}

#[test]
fn async_hooks_run_in_no_stage_and_separate_no_others() {
    let later = with(hook("later", Dialect::Becket), |hook| hook.is_async = true);
    let hooks = [
        hook("a", Dialect::Becket),
        later,
        hook("b", Dialect::Becket),
    ];
    assert_eq!(stages(&hooks), [["a", "b"]]);
    let event = before("Bash", json!({}));
    let plan = select(&hooks, &event);
    assert_eq!(plan.detached.len(), 1);
    let names: Vec<&str> = plan.hooks().map(|hook| hook.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "later"]);
}

#[test]
fn plan_is_empty_only_without_stages_and_without_detached_hooks() {
    let event = before("Bash", json!({}));
    let later = [with(hook("later", Dialect::Becket), |hook| {
        hook.is_async = true;
    })];
    let now = [hook("now", Dialect::Becket)];
    assert!(select(&[], &event).is_empty());
    assert!(!select(&later, &event).is_empty());
    assert!(!select(&now, &event).is_empty());
    let mut plan = select(&now, &event);
    plan.retain(|hook| hook.name != "now");
    assert!(plan.is_empty(), "a stage without hooks is no stage");
    let mut plan = select(&later, &event);
    plan.retain(|hook| hook.name == "later");
    assert!(!plan.is_empty());
    plan.retain(|_| false);
    assert!(plan.is_empty());
}

#[test]
fn every_hook_has_a_reason() {
    let becket = |name| hook(name, Dialect::Becket);
    let hooks = [
        becket("runs"),
        with(becket("fits"), |hook| hook.filter.tool.push("Bash".into())),
        with(becket("second"), |hook| hook.priority = -1),
        with(becket("later"), |hook| hook.is_async = true),
        with(becket("off"), |hook| hook.enabled = false),
        with(becket("other"), |hook| hook.event = EventKind::Stop),
        with(hook("native", Dialect::Cursor), |hook| {
            hook.native_event = Some("beforeReadFile".into());
        }),
        with(becket("matcher"), |hook| {
            hook.matcher = Matcher::parse("Write", MatchStyle::Names).expect("a name");
        }),
        with(becket("filter"), |hook| {
            hook.filter.tool.push("Write".into());
        }),
        with(becket("condition"), |hook| {
            hook.condition = Condition::parse("Bash(git *)");
        }),
        hook("first", Dialect::Claude),
        hook("twin", Dialect::Claude),
    ];
    let event = before("Bash", json!({ "command": "ls" }));
    let reasons = explain(&hooks, &event);
    let texts: Vec<String> = reasons
        .iter()
        .map(|(hook, why)| format!("{} {why}", hook.name))
        .collect();
    assert_eq!(
        texts,
        [
            "runs runs in stage 1",
            "fits runs in stage 1",
            "second runs in stage 2",
            "later runs in the background",
            "off is disabled",
            "other is for another event",
            "native is for another event",
            "matcher matcher does not match `Bash`",
            "filter filter does not match this event",
            "condition `if` condition does not match",
            "first runs in stage 3",
            "twin duplicate of `first`",
        ]
    );
    for (hook, why) in reasons {
        let runs = matches!(
            why,
            SelectionReason::Runs(_)
                | SelectionReason::RunsDetached
                | SelectionReason::Duplicate(_)
        );
        let is_other = hook.name == "other";
        assert_eq!(passes(hook, &event), runs || is_other, "{}", hook.name);
    }
}

#[test]
fn conditional_hook_on_an_event_without_a_tool_runs_except_in_claudes_dialect() {
    let stop = event(EventData::Stop {
        active: false,
        last_message: None,
    });
    for (dialect, runs) in [(Dialect::Becket, true), (Dialect::Claude, false)] {
        let hook = with(hook("h", dialect), |hook| {
            hook.event = EventKind::Stop;
            hook.condition = Condition::parse("Bash");
        });
        assert_eq!(passes(&hook, &stop), runs, "{dialect:?}");
    }
}

fn count(one: HookSpec, other: HookSpec) -> usize {
    stages(&[one, other]).iter().map(Vec::len).sum()
}

#[test]
fn claude_runs_a_handler_again_if_it_differs_in_action_condition_or_root() {
    let claude = |name| hook(name, Dialect::Claude);
    assert_eq!(count(claude("a"), claude("b")), 1);
    let changes: [fn(&mut HookSpec); 3] = [
        |hook| {
            hook.action = Action::Command {
                command: "other".into(),
                args: None,
            }
        },
        |hook| hook.condition = Condition::parse("Bash"),
        |hook| hook.root = Some("/plugin".into()),
    ];
    for change in changes {
        assert_eq!(count(claude("a"), with(claude("b"), change)), 2);
    }
    for dialect in [Dialect::Gemini, Dialect::Becket] {
        assert_eq!(count(hook("a", dialect), claude("b")), 2, "{dialect:?}");
    }
}

#[test]
fn gemini_runs_a_handler_again_under_another_given_name() {
    let named = |name: &str| {
        with(hook(name, Dialect::Gemini), |hook| {
            hook.source.key = "hooks[0]".into();
        })
    };
    // A name derived from the key is no given name.
    let derived = |key: &str| {
        with(hook(key, Dialect::Gemini), |hook| {
            hook.source.key = format!("hooks.{key}");
        })
    };
    assert_eq!(count(named("a"), named("a")), 1);
    assert_eq!(count(named("a"), named("b")), 2);
    assert_eq!(count(derived("x"), derived("y")), 1);
    assert_eq!(count(derived("x"), named("y")), 2);
    let other = with(named("a"), |hook| {
        hook.action = Action::Command {
            command: "other".into(),
            args: None,
        }
    });
    assert_eq!(count(named("a"), other), 2);
    assert_eq!(
        count(
            with(named("a"), |hook| hook.dialect = Dialect::Codex),
            named("a")
        ),
        2
    );
}

#[test]
fn dialects_without_that_rule_run_equal_handlers_twice() {
    for dialect in [Dialect::Becket, Dialect::Codex, Dialect::Cursor] {
        assert_eq!(
            count(hook("a", dialect), hook("a", dialect)),
            2,
            "{dialect:?}"
        );
    }
}
