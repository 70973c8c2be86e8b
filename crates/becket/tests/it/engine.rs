//! The engine behind `trigger`, and configuration as data.

use std::sync::Arc;

use becket::{
    FnHook, HookConfigParser, HookContext, HookDecision, HookEvent, HookInput, HookMerger,
    HookOutput, HooksEngine,
};
use serde_json::json;

fn bash() -> HookInput {
    HookInput::pre_tool_use("s", "Bash", json!({ "command": "ls" }))
}

#[tokio::test]
async fn trigger_reports_every_hook_and_whether_the_action_is_allowed() {
    let mut engine = HooksEngine::new();
    let quiet = FnHook::new("quiet", [], |_, _| async { Ok(HookOutput::allow()) });
    let fails = FnHook::new("fails", [], |_, _| async {
        Err(becket::Error::new("broken"))
    });
    engine.register(HookEvent::PostToolUse, Arc::new(quiet));
    engine.register(HookEvent::PostToolUse, Arc::new(fails));
    let event = HookInput::post_tool_use("s", "Bash", "ok");
    let result = engine.trigger(event, &HookContext::new("s")).await.unwrap();
    assert!(result.allowed);
    let told: Vec<_> = result
        .results
        .iter()
        .map(|r| (r.hook_id.as_str(), r.success, r.decision))
        .collect();
    assert_eq!(
        told,
        [
            ("quiet", true, Some(HookDecision::Continue)),
            ("fails", false, Some(HookDecision::Continue))
        ]
    );
    assert!(result.results[1].error.as_ref().unwrap().contains("broken"));
}

#[tokio::test]
async fn a_hook_registered_for_one_event_is_taken_out_by_its_id() {
    let mut engine = HooksEngine::new();
    let no = || {
        Arc::new(FnHook::new("no", [], |_, _| async {
            Ok(HookOutput::block("no"))
        }))
    };
    let first = engine.register(HookEvent::PreToolUse, no());
    let second = engine.register(HookEvent::PreToolUse, no());
    assert_ne!(first, second);
    let ctx = HookContext::new("s");
    assert!(!engine.trigger(bash(), &ctx).await.unwrap().allowed);
    assert!(
        !engine.unregister(&HookEvent::Stop, &first),
        "another event's id"
    );
    assert!(engine.unregister(&HookEvent::PreToolUse, &first));
    assert!(
        !engine.unregister(&HookEvent::PreToolUse, &first),
        "already gone"
    );
    assert!(!engine.trigger(bash(), &ctx).await.unwrap().allowed);
    assert!(engine.unregister(&HookEvent::PreToolUse, &second));
    assert!(engine.trigger(bash(), &ctx).await.unwrap().allowed);
}

fn config(commands: &[(&str, &str)]) -> becket::HookConfig {
    let groups: Vec<_> = commands
        .iter()
        .map(|(matcher, command)| json!({ "matcher": matcher, "hooks": [{ "type": "command", "command": command }] }))
        .collect();
    HookConfigParser
        .parse(&json!({ "hooks": { "PreToolUse": groups } }))
        .unwrap()
}

fn commands(config: &becket::HookConfig) -> Vec<String> {
    let groups = config.hooks.iter().flat_map(|(_, groups)| groups);
    groups
        .flat_map(|g| {
            g.hooks
                .iter()
                .map(|h| format!("{} {}", g.matcher, h.command.clone().unwrap_or_default()))
        })
        .collect()
}

#[test]
fn project_hooks_come_first_identical_ones_once_and_order_is_kept_within_a_level() {
    let global = config(&[("Bash", "g1"), ("Bash", "same"), ("Write", "g2")]);
    let project = config(&[("Bash", "p1"), ("Bash", "same"), ("Bash", "p2")]);
    let merged = HookConfigParser.merge(&global, &project);
    assert_eq!(
        commands(&merged),
        ["Bash p1", "Bash same", "Bash p2", "Bash g1", "Write g2"]
    );
    assert_eq!(HookMerger.merge([&project, &global]), merged);
    assert_eq!(
        HookMerger.merge(std::iter::empty()),
        becket::HookConfig::default()
    );
}

#[test]
fn the_same_command_under_another_matcher_is_another_hook() {
    let merged = HookConfigParser.merge(&config(&[("Write", "x")]), &config(&[("Bash", "x")]));
    assert_eq!(commands(&merged), ["Bash x", "Write x"]);
}

#[test]
fn http_and_agent_hooks_are_not_taken_for_one_another() {
    let parse = |hooks: serde_json::Value| {
        HookConfigParser
            .parse(&json!({ "hooks": { "Stop": [{ "matcher": "", "hooks": hooks }] } }))
            .unwrap()
    };
    let one = parse(json!([
        { "type": "http", "url": "http://localhost/a" },
        { "type": "http", "url": "http://localhost/b" },
        { "type": "agent", "agent": "reviewer" }
    ]));
    let merged = HookConfigParser.merge(
        &one,
        &parse(json!([{ "type": "http", "url": "http://localhost/b" }])),
    );
    let kept: usize = merged
        .hooks
        .iter()
        .flat_map(|(_, groups)| groups)
        .map(|g| g.hooks.len())
        .sum();
    assert_eq!(kept, 3);
}

#[test]
fn validation_names_the_key_of_what_is_wrong() {
    let bad = HookConfigParser
        .parse(&json!({ "hooks": { "PreToolUse": [
            { "matcher": "Bash(", "hooks": [{ "type": "command", "command": "x" }] },
            { "matcher": "", "hooks": [{ "type": "command" }] }
        ] } }))
        .unwrap();
    let result = HookConfigParser.validate(&bad);
    assert!(!result.valid);
    assert!(
        result
            .errors
            .iter()
            .any(|e| e.contains("PreToolUse[0]") && e.contains("Bash(")),
        "{:?}",
        result.errors
    );
    assert!(
        result
            .errors
            .iter()
            .any(|e| e.contains("PreToolUse[1]") && e.contains("command")),
        "{:?}",
        result.errors
    );
}
