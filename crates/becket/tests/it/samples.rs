//! The three sample hooks of the library's documentation, as people would write them.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use becket::{Hook, HookContext, HookEvent, HookEventData, HookInput, HookManager, HookOutput};
use serde_json::json;

struct SecurityHook {
    blocked_patterns: Vec<String>,
}

#[async_trait]
impl Hook for SecurityHook {
    fn name(&self) -> &'static str {
        "security-hook"
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::PreToolUse]
    }

    fn priority(&self) -> i32 {
        100
    }

    async fn execute(
        &self,
        input: HookInput,
        _ctx: &HookContext,
    ) -> Result<HookOutput, becket::Error> {
        if let Some(tool_name) = input.tool_name()
            && tool_name == "Bash"
            && let Some(tool_input) = input.data.tool_input()
            && let Some(cmd) = tool_input.get("command").and_then(|v| v.as_str())
        {
            for pattern in &self.blocked_patterns {
                if cmd.contains(pattern) {
                    return Ok(HookOutput::block(format!("Blocked: contains '{pattern}'")));
                }
            }
        }
        Ok(HookOutput::allow())
    }
}

#[derive(Default)]
struct LoggingHook {
    lines: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Hook for LoggingHook {
    fn name(&self) -> &'static str {
        "logging-hook"
    }

    fn events(&self) -> &[HookEvent] {
        &[
            HookEvent::PreToolUse,
            HookEvent::PostToolUse,
            HookEvent::PostToolUseFailure,
        ]
    }

    async fn execute(
        &self,
        input: HookInput,
        _ctx: &HookContext,
    ) -> Result<HookOutput, becket::Error> {
        let event = input.event_type().to_string();
        let tool = input.tool_name().unwrap_or_default();
        tracing::info!(event = %event, tool = %tool, "Hook event");
        self.lines.lock().unwrap().push(format!("{event} {tool}"));
        Ok(HookOutput::allow())
    }
}

#[derive(Default)]
struct SubagentMonitorHook {
    lines: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Hook for SubagentMonitorHook {
    fn name(&self) -> &'static str {
        "subagent-monitor"
    }

    fn events(&self) -> &[HookEvent] {
        &[HookEvent::SubagentStart, HookEvent::SubagentStop]
    }

    async fn execute(
        &self,
        input: HookInput,
        _ctx: &HookContext,
    ) -> Result<HookOutput, becket::Error> {
        let mut lines = self.lines.lock().unwrap();
        match &input.data {
            HookEventData::SubagentStart {
                subagent_id,
                subagent_type,
                description,
            } => {
                tracing::info!(id = %subagent_id, type_ = %subagent_type, desc = %description, "Subagent started");
                lines.push(format!("{subagent_id} {subagent_type} {description}"));
            }
            HookEventData::SubagentStop {
                subagent_id,
                success,
                error,
            } => {
                if *success {
                    lines.push(format!("{subagent_id} completed"));
                } else {
                    lines.push(format!("{subagent_id} failed {error:?}"));
                }
            }
            _ => {}
        }
        Ok(HookOutput::allow())
    }
}

#[tokio::test]
async fn the_security_hook_blocks_what_it_is_told_to_and_nothing_else() {
    let mut manager = HookManager::new();
    manager.register(SecurityHook {
        blocked_patterns: vec!["rm -rf".into(), "sudo".into()],
    });
    let ctx = HookContext::new("session-1");
    for (command, reason) in [
        ("ls", None),
        ("rm -rf /", Some("Blocked: contains 'rm -rf'")),
        ("sudo ls", Some("Blocked: contains 'sudo'")),
    ] {
        let input = HookInput::pre_tool_use("session-1", "Bash", json!({ "command": command }));
        let output = manager
            .execute(HookEvent::PreToolUse, input, &ctx)
            .await
            .unwrap();
        assert_eq!(output.stop_reason.as_deref(), reason, "{command}");
        assert_eq!(output.continue_execution, reason.is_none(), "{command}");
    }
}

#[tokio::test]
async fn the_logging_hook_hears_its_three_events_and_no_other() {
    let hook = LoggingHook::default();
    let lines = Arc::clone(&hook.lines);
    let mut manager = HookManager::new();
    manager.register_arc(Arc::new(hook));
    let ctx = HookContext::new("s");
    for (event, input) in [
        (
            HookEvent::PreToolUse,
            HookInput::pre_tool_use("s", "Bash", json!({})),
        ),
        (
            HookEvent::PostToolUse,
            HookInput::post_tool_use("s", "Bash", "output"),
        ),
        (
            HookEvent::PostToolUseFailure,
            HookInput::post_tool_use_failure("s", "Read", "no such file"),
        ),
        (HookEvent::SessionStart, HookInput::session_start("s")),
        (HookEvent::Stop, HookInput::stop("s")),
    ] {
        assert!(
            manager
                .execute(event, input, &ctx)
                .await
                .unwrap()
                .continue_execution
        );
    }
    assert_eq!(
        *lines.lock().unwrap(),
        [
            "pre_tool_use Bash",
            "post_tool_use Bash",
            "post_tool_use_failure Read"
        ]
    );
}

#[tokio::test]
async fn the_subagent_monitor_sees_ids_types_and_failures() {
    let hook = SubagentMonitorHook::default();
    let lines = Arc::clone(&hook.lines);
    let mut manager = HookManager::new();
    manager.register(hook);
    let ctx = HookContext::new("s");
    for (event, input) in [
        (
            HookEvent::SubagentStart,
            HookInput::subagent_start("s", "a1", "explore", "find the bug"),
        ),
        (
            HookEvent::SubagentStop,
            HookInput::subagent_stop("s", "a1", true, None),
        ),
        (
            HookEvent::SubagentStop,
            HookInput::subagent_stop("s", "a2", false, Some("out of tokens".into())),
        ),
    ] {
        manager.execute(event, input, &ctx).await.unwrap();
    }
    assert_eq!(
        *lines.lock().unwrap(),
        [
            "a1 explore find the bug",
            "a1 completed",
            "a2 failed Some(\"out of tokens\")"
        ]
    );
}
