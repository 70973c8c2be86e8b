//! A coding agent small enough to read in one sitting. It fires every hook event.
//!
//! Run it with `cargo run --example mini_agent`. It has no model: a script plays one.
#![allow(
    clippy::print_stdout,
    reason = "an example talks to the person who runs it"
)]

use std::path::Path;
use std::sync::Arc;

use becket::env::ProcessEnv;
use becket::{
    Error, ExecutionContext, FnHook, Hook, HookContext, HookEvent, HookInput, HookManager,
    HookOutput, Result, load,
};
use serde_json::{Value, json};

/// An agent: a session, its hooks, and the context it has collected.
struct Agent {
    session: String,
    hooks: Arc<HookManager>,
    context: Vec<String>,
}

/// Builds an agent.
struct Builder {
    manager: HookManager,
}

impl Agent {
    fn builder() -> Builder {
        Builder {
            manager: HookManager::new(),
        }
    }
}

impl Builder {
    /// Loads the hooks that the user has configured for a project, in any dialect.
    #[expect(
        clippy::wrong_self_convention,
        reason = "the name agents embed against"
    )]
    fn from_claude_code(mut self, project: &str) -> Self {
        let found = load(
            &becket::Home::find(&ProcessEnv),
            Path::new(project).canonicalize().ok().as_deref(),
            None,
        );
        for problem in &found.loaded.problems {
            println!("configuration: {problem}");
        }
        // An embedder decides which hooks it trusts; this one takes user-level hooks only.
        let trusted = found
            .loaded
            .hooks
            .into_iter()
            .filter(|hook| !hook.source.level.needs_trust());
        self.manager.register_specs(trusted);
        self
    }

    fn hook(mut self, hook: impl Hook + 'static) -> Self {
        self.manager.register(hook);
        self
    }

    fn build(self) -> Agent {
        Agent {
            session: "demo".into(),
            hooks: Arc::new(self.manager),
            context: Vec::new(),
        }
    }
}

/// The next step of the scripted model.
enum Step {
    Tool(&'static str, Value),
    Subagent(&'static str),
    Compact,
    Done,
}

impl Agent {
    async fn fire(&mut self, event: HookEvent, input: HookInput) -> Result<HookOutput> {
        let name = event.name().to_owned();
        let output = self
            .hooks
            .execute(event, input, &HookContext::new(&self.session))
            .await?;
        println!(
            "{name:20} {}",
            if output.continue_execution {
                "goes on"
            } else {
                "blocked"
            }
        );
        self.context.extend(output.additional_context.clone());
        Ok(output)
    }

    /// One turn, from the prompt to the agent's stop.
    async fn turn(&mut self, prompt: &str, script: Vec<Step>) -> Result<()> {
        let session = self.session.clone();
        let input = HookInput::user_prompt_submit(&session, prompt);
        let output = self.fire(HookEvent::UserPromptSubmit, input).await?;
        if !output.continue_execution {
            return Err(Error::new(output.stop_reason.unwrap_or_default()));
        }
        for step in script {
            match step {
                Step::Tool(name, input) => self.tool(name, input).await?,
                Step::Subagent(task) => self.subagent(task).await?,
                Step::Compact => drop(
                    self.fire(HookEvent::PreCompact, HookInput::pre_compact(&session))
                        .await?,
                ),
                Step::Done => drop(
                    self.fire(HookEvent::Stop, HookInput::stop(&session))
                        .await?,
                ),
            }
        }
        Ok(())
    }

    async fn tool(&mut self, name: &str, input: Value) -> Result<()> {
        let session = self.session.clone();
        let output = self
            .fire(
                HookEvent::PreToolUse,
                HookInput::pre_tool_use(&session, name, input.clone()),
            )
            .await?;
        if !output.continue_execution {
            println!(
                "    {name} not run: {}",
                output.stop_reason.unwrap_or_default()
            );
            return Ok(());
        }
        let input = output.updated_input.unwrap_or(input);
        match run_tool(name, &input) {
            Ok(result) => {
                println!("    {name} said: {result}");
                self.fire(
                    HookEvent::PostToolUse,
                    HookInput::post_tool_use(&session, name, result),
                )
                .await?;
            }
            Err(error) => {
                println!("    {name} failed: {error}");
                let input = HookInput::post_tool_use_failure(&session, name, error);
                self.fire(HookEvent::PostToolUseFailure, input).await?;
            }
        }
        Ok(())
    }

    /// A tool that starts a subagent fires the subagent's events through an execution context.
    async fn subagent(&mut self, task: &str) -> Result<()> {
        let ctx = ExecutionContext::new("sandboxed").hooks(Arc::clone(&self.hooks), &self.session);
        let start = HookInput::subagent_start(&self.session, "sub-1", "explore", task);
        let output = ctx.fire_hook(HookEvent::SubagentStart, start).await?;
        println!(
            "{:20} {}",
            "SubagentStart",
            if output.continue_execution {
                "goes on"
            } else {
                "blocked"
            }
        );
        let stop = if output.continue_execution {
            HookInput::subagent_stop(&self.session, "sub-1", true, None)
        } else {
            HookInput::subagent_stop(&self.session, "sub-1", false, output.stop_reason)
        };
        ctx.fire_hook(HookEvent::SubagentStop, stop).await?;
        println!("{:20} done", "SubagentStop");
        Ok(())
    }
}

/// Tools that do nothing to your machine.
fn run_tool(name: &str, input: &Value) -> std::result::Result<String, String> {
    match (name, input["command"].as_str()) {
        ("Bash", Some(command)) if command.starts_with("echo ") => Ok(command[5..].to_owned()),
        _ => Err(format!("{name} cannot do that here")),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let mut agent = Agent::builder()
        .from_claude_code(".")
        .hook(
            FnHook::new(
                "no-deletion",
                [HookEvent::PreToolUse],
                |input, _ctx| async move {
                    let command = input
                        .data
                        .tool_input()
                        .and_then(|input| input["command"].as_str())
                        .unwrap_or_default();
                    Ok(if command.starts_with("rm ") {
                        HookOutput::block("deleting is off")
                    } else {
                        HookOutput::allow()
                    })
                },
            )
            .priority(100),
        )
        .hook(FnHook::new(
            "politeness",
            [HookEvent::PreToolUse],
            |input, _ctx| async move {
                let said = input
                    .data
                    .tool_input()
                    .and_then(|input| input["command"].as_str())
                    .unwrap_or_default();
                Ok(if said == "echo hello" {
                    HookOutput::allow().updated_input(json!({ "command": "echo good morning" }))
                } else {
                    HookOutput::allow()
                })
            },
        ))
        .hook(FnHook::new(
            "briefing",
            [HookEvent::SessionStart],
            |_, _| async {
                Ok(HookOutput::allow().context("This project speaks British English."))
            },
        ))
        .build();
    let session = agent.session.clone();
    agent
        .fire(HookEvent::SessionStart, HookInput::session_start(&session))
        .await?;
    let script = vec![
        Step::Tool("Bash", json!({ "command": "echo hello" })),
        Step::Tool("Bash", json!({ "command": "rm -rf build" })),
        Step::Tool("Read", json!({ "file_path": "README.md" })),
        Step::Subagent("find where the greeting is made"),
        Step::Compact,
        Step::Done,
    ];
    agent.turn("Say hello, then tidy up.", script).await?;
    agent
        .fire(HookEvent::SessionEnd, HookInput::session_end(&session))
        .await?;
    println!("context for the model: {}", agent.context.join(" | "));
    Ok(())
}
