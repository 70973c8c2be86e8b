//! The manager: order, merging, failures, deadlines, cancellation.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use becket::model::Verdict;
use becket::{
    CancellationToken, Error, ExecutionContext, FnHook, HookContext, HookEvent, HookInput,
    HookManager, HookOutput,
};
use regex::Regex;
use serde_json::{Value, json};

fn bash() -> HookInput {
    HookInput::pre_tool_use("s", "Bash", json!({ "command": "ls" }))
}

/// A hook with a fixed output.
fn says(name: &str, output: HookOutput) -> FnHook {
    FnHook::new(name, [HookEvent::PreToolUse], move |_, _| {
        let output = output.clone();
        async move { Ok(output) }
    })
}

async fn merged(outputs: Vec<HookOutput>) -> HookOutput {
    let mut manager = HookManager::new();
    for (number, output) in outputs.into_iter().enumerate() {
        manager.register(says(&format!("hook-{number}"), output));
    }
    manager
        .execute(HookEvent::PreToolUse, bash(), &HookContext::new("s"))
        .await
        .unwrap()
}

#[tokio::test]
async fn outputs_merge_as_the_documented_table_says() {
    let allow = HookOutput::allow;
    // continue_execution: AND.
    assert!(merged(vec![allow(), allow()]).await.continue_execution);
    assert!(
        !merged(vec![allow(), HookOutput::block("no")])
            .await
            .continue_execution
    );
    assert!(
        !merged(vec![HookOutput::block("no"), allow()])
            .await
            .continue_execution
    );
    // stop_reason: latest non-None.
    let reasoned = |reason: &str| HookOutput {
        stop_reason: Some(reason.into()),
        ..allow()
    };
    assert_eq!(
        merged(vec![reasoned("one"), reasoned("two"), allow()])
            .await
            .stop_reason
            .as_deref(),
        Some("two")
    );
    assert_eq!(
        merged(vec![reasoned("one"), HookOutput::block("two")])
            .await
            .stop_reason
            .as_deref(),
        Some("two")
    );
    // suppress_logging: OR.
    assert!(!merged(vec![allow(), allow()]).await.suppress_logging);
    assert!(
        merged(vec![allow().suppress_logging(), allow()])
            .await
            .suppress_logging
    );
    // system_message: latest non-None.
    let messages = vec![
        allow().system_message("one"),
        allow(),
        allow().system_message("two"),
        allow(),
    ];
    assert_eq!(
        merged(messages).await.system_message.as_deref(),
        Some("two")
    );
    // updated_input: latest non-None.
    let inputs = vec![
        allow().updated_input(json!(1)),
        allow().updated_input(json!(2)),
        allow(),
    ];
    assert_eq!(merged(inputs).await.updated_input, Some(json!(2)));
    // additional_context: concatenated with a newline.
    let contexts = vec![allow().context("one"), allow(), allow().context("two")];
    assert_eq!(
        merged(contexts).await.additional_context.as_deref(),
        Some("one\ntwo")
    );
}

#[tokio::test]
async fn no_hooks_means_go_on_without_a_word() {
    assert_eq!(merged(vec![]).await, HookOutput::allow());
}

/// Hooks that log their names when they run.
fn noting(log: &Arc<Mutex<Vec<String>>>, name: &str, priority: i32) -> FnHook {
    let (log, noted) = (Arc::clone(log), name.to_owned());
    FnHook::new(name, [HookEvent::PreToolUse], move |_, _| {
        log.lock().unwrap().push(noted.clone());
        async { Ok(HookOutput::allow()) }
    })
    .priority(priority)
}

#[tokio::test]
async fn higher_priority_runs_first_and_ties_keep_registration_order() {
    let log = Arc::default();
    let mut manager = HookManager::new();
    for (name, priority) in [("a", 0), ("b", 10), ("c", 0), ("d", -5), ("e", 10)] {
        manager.register(noting(&log, name, priority));
    }
    manager
        .execute(HookEvent::PreToolUse, bash(), &HookContext::new("s"))
        .await
        .unwrap();
    assert_eq!(*log.lock().unwrap(), ["b", "e", "a", "c", "d"]);
    assert_eq!(manager.hook_names(), ["b", "e", "a", "c", "d"]);
}

#[tokio::test]
async fn a_block_ends_the_chain_and_its_reason_is_the_answer() {
    let log = Arc::default();
    let mut manager = HookManager::new();
    manager.register(noting(&log, "after", 0));
    manager.register(says("guard", HookOutput::block("stop here")).priority(5));
    let output = manager
        .execute(HookEvent::PreToolUse, bash(), &HookContext::new("s"))
        .await
        .unwrap();
    assert_eq!(output.stop_reason.as_deref(), Some("stop here"));
    assert!(log.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_later_hook_sees_the_input_as_rewritten_so_far() {
    let seen: Arc<Mutex<Option<Value>>> = Arc::default();
    let witness = Arc::clone(&seen);
    let mut manager = HookManager::new();
    manager.register(
        says(
            "rewriter",
            HookOutput::allow().updated_input(json!({ "command": "ls -l" })),
        )
        .priority(1),
    );
    manager.register(FnHook::new(
        "witness",
        [HookEvent::PreToolUse],
        move |input, _| {
            *witness.lock().unwrap() = input.data.tool_input().cloned();
            async { Ok(HookOutput::allow()) }
        },
    ));
    let output = manager
        .execute(HookEvent::PreToolUse, bash(), &HookContext::new("s"))
        .await
        .unwrap();
    assert_eq!(*seen.lock().unwrap(), Some(json!({ "command": "ls -l" })));
    assert_eq!(output.updated_input, Some(json!({ "command": "ls -l" })));
}

#[tokio::test]
async fn a_tool_matcher_is_an_unanchored_regex_and_is_ignored_where_there_is_no_tool() {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    let mut manager = HookManager::new();
    let events = [HookEvent::PreToolUse, HookEvent::SessionStart];
    let hook = FnHook::new("edits", events, move |_, _| {
        counted.fetch_add(1, Ordering::SeqCst);
        async { Ok(HookOutput::allow()) }
    });
    manager.register(hook.matcher(Regex::new("Edit|Write").unwrap()));
    let ctx = HookContext::new("s");
    for (tool, expected) in [("MultiEdit", 1), ("Bash", 1), ("Write", 2)] {
        let input = HookInput::pre_tool_use("s", tool, json!({}));
        manager
            .execute(HookEvent::PreToolUse, input, &ctx)
            .await
            .unwrap();
        assert_eq!(count.load(Ordering::SeqCst), expected, "{tool}");
    }
    manager
        .execute(HookEvent::SessionStart, HookInput::session_start("s"), &ctx)
        .await
        .unwrap();
    assert_eq!(count.load(Ordering::SeqCst), 3);
}

/// One input for every event of the documented table, and whether a hook can block it.
fn table() -> Vec<(HookEvent, HookInput, bool)> {
    vec![
        (HookEvent::PreToolUse, bash(), true),
        (
            HookEvent::PostToolUse,
            HookInput::post_tool_use("s", "Bash", "ok"),
            false,
        ),
        (
            HookEvent::PostToolUseFailure,
            HookInput::post_tool_use_failure("s", "Bash", "bad"),
            false,
        ),
        (
            HookEvent::UserPromptSubmit,
            HookInput::user_prompt_submit("s", "hi"),
            true,
        ),
        (HookEvent::Stop, HookInput::stop("s"), false),
        (
            HookEvent::SubagentStart,
            HookInput::subagent_start("s", "a", "t", "d"),
            true,
        ),
        (
            HookEvent::SubagentStop,
            HookInput::subagent_stop("s", "a", true, None),
            false,
        ),
        (HookEvent::PreCompact, HookInput::pre_compact("s"), false),
        (HookEvent::SessionStart, HookInput::session_start("s"), true),
        (HookEvent::SessionEnd, HookInput::session_end("s"), false),
    ]
}

#[tokio::test]
async fn errors_panics_and_timeouts_fail_closed_exactly_where_blocking_is_possible() {
    for (event, input, can_block) in table() {
        assert_eq!(event.can_block(), can_block, "{event}");
        assert_eq!(input.event_type(), event);
        let broken: Vec<(FnHook, &str)> = vec![
            (
                FnHook::new("bad", [event.clone()], |_, _| async {
                    Err(Error::new("out of order"))
                }),
                "out of order",
            ),
            (
                FnHook::new("bad", [event.clone()], |_, _| async { panic!("boom") }),
                "boom",
            ),
            (
                FnHook::new("bad", [event.clone()], |_, _| async {
                    std::future::pending::<()>().await;
                    unreachable!()
                })
                .timeout(0),
                "did not finish",
            ),
        ];
        for (hook, word) in broken {
            let mut manager = HookManager::new();
            manager.register(hook);
            let output = manager
                .execute(event.clone(), input.clone(), &HookContext::new("s"))
                .await
                .unwrap();
            assert_eq!(output.continue_execution, !can_block, "{event} {word}");
            if can_block {
                let reason = output.stop_reason.unwrap();
                assert!(
                    reason.contains("bad") && reason.contains(word),
                    "{event}: {reason}"
                );
            }
        }
    }
}

#[tokio::test]
async fn a_failing_hook_does_not_keep_others_from_running_where_nothing_can_be_blocked() {
    let mut manager = HookManager::new();
    manager.register(
        FnHook::new("bad", [HookEvent::PostToolUse], |_, _| async {
            Err(Error::new("no"))
        })
        .priority(1),
    );
    manager.register(FnHook::new(
        "good",
        [HookEvent::PostToolUse],
        |_, _| async { Ok(HookOutput::allow().context("still here")) },
    ));
    let input = HookInput::post_tool_use("s", "Bash", "ok");
    let output = manager
        .execute(HookEvent::PostToolUse, input, &HookContext::new("s"))
        .await
        .unwrap();
    assert_eq!(output.additional_context.as_deref(), Some("still here"));
}

#[tokio::test]
async fn cancelling_the_token_ends_a_hook_that_would_run_for_ever() {
    let mut manager = HookManager::new();
    manager.register(FnHook::new("slow", [HookEvent::PreToolUse], |_, _| async {
        std::future::pending::<()>().await;
        Ok(HookOutput::allow())
    }));
    let token = CancellationToken::new();
    let ctx = HookContext::new("s").with_cancellation(token.clone());
    let started = Instant::now();
    let (result, ()) = tokio::join!(
        manager.execute(HookEvent::PreToolUse, bash(), &ctx),
        async { token.cancel() }
    );
    assert!(matches!(result, Err(Error::Cancelled)), "{result:?}");
    assert!(started.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn a_token_cancelled_before_the_start_runs_nothing() {
    let log = Arc::default();
    let mut manager = HookManager::new();
    manager.register(noting(&log, "never", 0));
    let ctx = HookContext::new("s");
    ctx.cancellation_token.cancel();
    let result = manager.execute(HookEvent::PreToolUse, bash(), &ctx).await;
    assert!(matches!(result, Err(Error::Cancelled)));
    assert!(log.lock().unwrap().is_empty());
}

#[tokio::test]
async fn hooks_can_be_taken_out_by_name() {
    let mut manager = HookManager::new();
    manager.register(says("a", HookOutput::block("a")));
    manager.register(says("a", HookOutput::block("a")));
    manager.register(says("b", HookOutput::allow()));
    assert!(manager.has_hook("a"));
    assert!(manager.unregister("a"));
    assert!(!manager.unregister("a"));
    assert_eq!(manager.hook_names(), ["b"]);
    let output = manager
        .execute(HookEvent::PreToolUse, bash(), &HookContext::new("s"))
        .await
        .unwrap();
    assert!(output.continue_execution);
}

#[tokio::test]
async fn a_decision_says_who_said_what() {
    let mut manager = HookManager::new();
    manager.register(says("careful", HookOutput::ask("are you sure?")));
    manager.register(says("silent", HookOutput::allow()));
    let decision = manager
        .decide(HookEvent::PreToolUse, bash(), &HookContext::new("s"))
        .await
        .unwrap();
    assert_eq!(decision.verdict, Verdict::Ask);
    let said: Vec<_> = decision
        .hook_runs
        .iter()
        .map(|s| (s.hook.as_str(), s.outcome.verdict))
        .collect();
    assert_eq!(
        said,
        [("careful", Verdict::Ask), ("silent", Verdict::NoOpinion)]
    );
}

#[tokio::test]
async fn a_tool_can_fire_subagent_events_and_the_answer_counts() {
    let mut manager = HookManager::new();
    manager.register(FnHook::new(
        "no-subagents",
        [HookEvent::SubagentStart],
        |_, _| async { Ok(HookOutput::block("subagents are off")) },
    ));
    let ctx = ExecutionContext::new(()).hooks(Arc::new(manager), "s");
    let input = HookInput::subagent_start("s", "a1", "explore", "look around");
    let output = ctx
        .fire_hook(HookEvent::SubagentStart, input)
        .await
        .unwrap();
    assert_eq!(output.stop_reason.as_deref(), Some("subagents are off"));
    let alone = ExecutionContext::new(());
    let output = alone
        .fire_hook(
            HookEvent::SubagentStart,
            HookInput::subagent_start("s", "a", "t", "d"),
        )
        .await
        .unwrap();
    assert!(output.continue_execution);
}

#[test]
fn saying_nothing_blocks_nothing() {
    assert_eq!(HookOutput::default(), HookOutput::allow());
    let parsed: HookOutput = serde_json::from_str("{}").unwrap();
    assert!(parsed.continue_execution);
}
