//! What a client is told beside its answer.

use std::sync::Arc;
use std::time::Duration;

use becket_model::{ToolCall, is_file_tool};
use becket_recall::inject::{Moment, Start};
use serde_json::Value;
use tokio::sync::OnceCell;

use super::told::{Told, Tool, What};
use crate::teller::{Around, Ask, Context, Teller};

/// An agent waits. What takes longer is not told.
const PATIENCE: Duration = Duration::from_secs(2);

/// Filled for the first of several echoes; all of them are told the same, because only one of them is listened to.
#[derive(Debug, Clone, Default)]
pub(super) struct Slot(Arc<OnceCell<Context>>);

impl PartialEq for Slot {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Slot {
    /// What is told; nothing unless it was filled.
    pub(super) fn context(&self) -> Context {
        self.0.get().cloned().unwrap_or_default()
    }

    /// Finds out what to tell, where somebody else has not.
    pub(super) async fn fill(&self, teller: Arc<dyn Teller>, told: Arc<Told>) {
        let find = || async {
            let context = tokio::task::spawn_blocking(move || context(teller.as_ref(), &told));
            context.await.unwrap_or_default()
        };
        if tokio::time::timeout(PATIENCE, self.0.get_or_init(find))
            .await
            .is_err()
        {
            tracing::warn!("what to tell was not found out in time");
        }
    }
}

fn context(teller: &dyn Teller, told: &Told) -> Context {
    let tell = |moment| {
        teller.tell(&Ask {
            session: &told.session,
            agent: &told.agent,
            around: Around {
                project: told.project.as_deref(),
                ..Around::default()
            },
            moment,
        })
    };
    match &told.what {
        What::SessionStart { source, .. } => {
            tell(Moment::SessionStart(Start::parse(source.as_deref())))
        }
        What::Prompt(text) => tell(Moment::Prompt(text)),
        What::PostTool { tool, output } => {
            let call = call(tool);
            if !is_file_tool(&call.name) {
                return Context::default();
            }
            tell(Moment::FileTool {
                tool: &call.name,
                paths: &call.paths(),
                output: output.as_str().unwrap_or_default(),
                prompt: "",
            })
        }
        _ => Context::default(),
    }
}

/// An input may be an object or the text of one.
fn call(tool: &Tool) -> ToolCall {
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

    /// Says what it was asked.
    struct Repeats;

    impl Teller for Repeats {
        fn tell(&self, ask: &Ask<'_>) -> Context {
            Context {
                text: Some(format!("{:?}", ask.moment)),
                ..Context::default()
            }
        }
    }

    fn asked(what: What) -> Option<String> {
        let told = Told {
            session: "s".into(),
            agent: "claude".into(),
            generation: None,
            project: None,
            transcript: None,
            what,
        };
        context(&Repeats, &told).text
    }

    fn used(name: &str, input: Value) -> What {
        What::PostTool {
            tool: Tool {
                name: name.into(),
                input,
                id: None,
            },
            output: json!("done"),
        }
    }

    #[test]
    fn what_is_told_is_asked_for_at_starts_prompts_and_tools_on_files_only() {
        let start = |source: &str| What::SessionStart {
            source: Some(source.into()),
            parent: None,
        };
        let file = |tool: &str| {
            format!(
                r#"FileTool {{ tool: "{tool}", paths: ["src/a.rs"], output: "done", prompt: "" }}"#
            )
        };
        for (what, expected) in [
            (start("compact"), Some("SessionStart(Compact)".to_owned())),
            (start("startup"), Some("SessionStart(Startup)".to_owned())),
            (
                What::Prompt("fix".into()),
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
                What::ToolFailure {
                    tool: Tool {
                        name: "Edit".into(),
                        input: json!({ "file_path": "src/a.rs" }),
                        id: None,
                    },
                    error: "no".into(),
                },
                None,
            ),
            (What::Stop { response: None }, None),
            (What::SessionEnd { reason: None }, None),
        ] {
            assert_eq!(asked(what.clone()), expected, "{what:?}");
        }
    }
}
