//! Context injected into a response.

use std::sync::Arc;
use std::time::Duration;

use becket_model::{ToolCall, is_file_tool};
use becket_recall::inject::{InjectionTrigger, StartSource};
use serde_json::Value;
use tokio::sync::OnceCell;

use super::event::{OakEvent, OakEventKind, OakTool};
use crate::inject::{ContextProvider, InjectedContext, InjectionRequest, InjectionScope};

/// How long the response waits for context.
const INJECTION_TIMEOUT: Duration = Duration::from_secs(2);

/// Filled for the first of several duplicate requests. All of them get the same context, because the agent uses only
/// one of the responses.
#[derive(Debug, Clone, Default)]
pub(super) struct ContextSlot(Arc<OnceCell<InjectedContext>>);

impl PartialEq for ContextSlot {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl ContextSlot {
    /// The context; empty if it was not filled.
    pub(super) fn context(&self) -> InjectedContext {
        self.0.get().cloned().unwrap_or_default()
    }

    /// Finds the context, unless another request did.
    pub(super) async fn fill(&self, provider: Arc<dyn ContextProvider>, event: Arc<OakEvent>) {
        let search = || async {
            let context =
                tokio::task::spawn_blocking(move || find_context(provider.as_ref(), &event));
            context.await.unwrap_or_default()
        };
        if tokio::time::timeout(INJECTION_TIMEOUT, self.0.get_or_init(search))
            .await
            .is_err()
        {
            tracing::warn!("no context injected: the search took too long");
        }
    }
}

fn find_context(provider: &dyn ContextProvider, event: &OakEvent) -> InjectedContext {
    let context_at = |moment| {
        provider.context(&InjectionRequest {
            session: &event.session,
            agent: &event.agent,
            scope: InjectionScope {
                project: event.project.as_deref(),
                ..InjectionScope::default()
            },
            moment,
        })
    };
    match &event.kind {
        OakEventKind::SessionStart { source, .. } => context_at(InjectionTrigger::SessionStart(
            StartSource::parse(source.as_deref()),
        )),
        OakEventKind::Prompt(text) => context_at(InjectionTrigger::Prompt(text)),
        OakEventKind::PostTool { tool, output } => {
            let call = call(tool);
            if !is_file_tool(&call.name) {
                return InjectedContext::default();
            }
            context_at(InjectionTrigger::FileTool {
                tool: &call.name,
                paths: &call.paths(),
                output: output.as_str().unwrap_or_default(),
                prompt: "",
            })
        }
        _ => InjectedContext::default(),
    }
}

/// The input may be an object, or an object as JSON text.
fn call(tool: &OakTool) -> ToolCall {
    let object = match &tool.input {
        Value::String(text) => serde_json::from_str(text).ok(),
        _ => None,
    };
    ToolCall::new(&tool.name, object.unwrap_or_else(|| tool.input.clone()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A provider that returns the event of its request as text.
    struct PointEcho;

    impl ContextProvider for PointEcho {
        fn context(&self, request: &InjectionRequest<'_>) -> InjectedContext {
            InjectedContext {
                text: Some(format!("{:?}", request.moment)),
                ..InjectedContext::default()
            }
        }
    }

    fn context_text(kind: OakEventKind) -> Option<String> {
        let event = OakEvent {
            session: "s".into(),
            agent: "claude".into(),
            generation: None,
            project: None,
            transcript: None,
            kind,
        };
        find_context(&PointEcho, &event).text
    }

    fn used(name: &str, input: Value) -> OakEventKind {
        OakEventKind::PostTool {
            tool: OakTool {
                name: name.into(),
                input,
                id: None,
            },
            output: json!("done"),
        }
    }

    #[test]
    fn oak_context_is_injected_at_starts_prompts_and_file_tools_only() {
        let start = |source: &str| OakEventKind::SessionStart {
            source: Some(source.into()),
            parent: None,
        };
        let file = |tool: &str| {
            format!(
                r#"FileTool {{ tool: "{tool}", paths: ["src/a.rs"], output: "done", prompt: "" }}"#
            )
        };
        for (kind, expected) in [
            (start("compact"), Some("SessionStart(Compact)".to_owned())),
            (start("startup"), Some("SessionStart(Startup)".to_owned())),
            (
                OakEventKind::Prompt("fix".into()),
                Some(r#"Prompt("fix")"#.to_owned()),
            ),
            (
                used("Read", json!({ "file_path": "src/a.rs" })),
                Some(file("Read")),
            ),
            (
                used("write_file", json!(r#"{"file_path":"src/a.rs"}"#)),
                Some(file("Write")),
            ),
            (used("Bash", json!({ "command": "cat src/a.rs" })), None),
            (
                OakEventKind::ToolFailure {
                    tool: OakTool {
                        name: "Edit".into(),
                        input: json!({ "file_path": "src/a.rs" }),
                        id: None,
                    },
                    error: "no".into(),
                },
                None,
            ),
            (OakEventKind::Stop { response: None }, None),
            (OakEventKind::SessionEnd { reason: None }, None),
        ] {
            assert_eq!(context_text(kind.clone()), expected, "{kind:?}");
        }
    }
}
