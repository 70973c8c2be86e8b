//! A hook that calls a tool of an MCP server: the server is started, greeted, asked once, and ended.

mod input;
mod talk;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use becket_agents::config::McpServer;
use becket_agents::contract::{self, Ending, Ran};
use becket_model::{Action, Event, EventKind, FailureKind, HookSpec, Outcome};
use becket_runner::process::{self, Command};
use becket_runner::{Hook, HookContext, HookInput, HookOutput, Result, payload};
use serde_json::Value;

use crate::deadline::{Deadline, Stopped, on_thread};
use crate::secret::one_line;
use crate::settings::ThinkSettings;
use talk::{Heard, Talk};

/// A hook of type `mcp_tool`.
pub(crate) struct McpHook {
    spec: HookSpec,
    events: Vec<EventKind>,
    call: Arc<Call>,
}

/// What does not change between events.
struct Call {
    name: String,
    server: Option<McpServer>,
    tool: String,
    input: Value,
}

/// Why there is no reply.
enum Failed {
    NotStarted(String),
    Bad(String),
    Stopped(Stopped),
}

impl McpHook {
    pub(crate) fn new(spec: &HookSpec, settings: &ThinkSettings) -> Option<Self> {
        let Action::McpTool {
            server,
            tool,
            input,
        } = &spec.action
        else {
            return None;
        };
        let servers = &settings.asking.mcp;
        let found = servers.iter().find(|(name, _)| name == server);
        Some(Self {
            events: vec![spec.event.clone()],
            spec: spec.clone(),
            call: Arc::new(Call {
                name: server.clone(),
                server: found.map(|(_, server)| server.clone()),
                tool: tool.clone(),
                input: input.clone(),
            }),
        })
    }

    fn understand(&self, event: &Event, called: Result<String, Failed>) -> Outcome {
        let (kind, why) = match called {
            Ok(reply) => {
                let ran = Ran {
                    ending: Ending::Exited(0),
                    stdout: reply.as_bytes(),
                    stderr: b"",
                    truncated: false,
                };
                return contract::interpret(&self.spec, event, &ran);
            }
            Err(Failed::NotStarted(why)) => (FailureKind::NotStarted, why),
            Err(Failed::Bad(why)) => (FailureKind::Exit, why),
            Err(Failed::Stopped(Stopped::TimedOut)) => {
                let why = format!("no answer within its deadline of {:?}", self.spec.timeout);
                (FailureKind::TimedOut, why)
            }
            Err(Failed::Stopped(Stopped::Cancelled)) => {
                (FailureKind::Cancelled, "cancelled".to_owned())
            }
        };
        let message = format!("hook `{}` failed: {why}", self.spec.name);
        contract::failed(&self.spec, event, kind, &message)
    }
}

impl Call {
    fn make(
        &self,
        payload: &[u8],
        ctx: &HookContext,
        deadline: &Deadline,
    ) -> Result<String, Failed> {
        let Some(server) = &self.server else {
            return Err(Failed::NotStarted(format!(
                "there is no MCP server `{0}`; add `[mcp.{0}]` to your own config.toml",
                self.name
            )));
        };
        let event: Value = serde_json::from_slice(payload).unwrap_or_default();
        let mut talk = Talk::new(&self.tool, input::fill(&self.input, &event));
        let Some((program, args)) = server.command.split_first() else {
            return Err(Failed::NotStarted("it names no program".to_owned()));
        };
        let pairs = server.env.iter();
        let command = Command {
            stdin: Talk::greeting(),
            cwd: ctx.cwd.clone(),
            env: pairs
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            ..Command::exec(program, args)
        };
        let finished = deadline.converse(command, &mut |line| talk.hear(line));
        match talk.into_heard() {
            Heard::Reply(reply) => Ok(reply),
            Heard::Bad(why) => Err(Failed::Bad(why)),
            Heard::Nothing => Err(self.silent(&finished)),
        }
    }

    fn silent(&self, finished: &process::Finished) -> Failed {
        let name = &self.name;
        match &finished.ending {
            process::Ending::TimedOut => Failed::Stopped(Stopped::TimedOut),
            process::Ending::Cancelled => Failed::Stopped(Stopped::Cancelled),
            process::Ending::NotStarted(error) => {
                Failed::NotStarted(format!("MCP server `{name}` could not be started: {error}"))
            }
            _ if finished.stdout.dropped > 0 => {
                Failed::Bad(format!("MCP server `{name}` said too much"))
            }
            _ => {
                let said = one_line(&finished.stderr.text());
                let colon = if said.is_empty() { "" } else { ": " };
                Failed::Bad(format!(
                    "MCP server `{name}` left without a reply{colon}{said}"
                ))
            }
        }
    }
}

#[async_trait]
impl Hook for McpHook {
    fn name(&self) -> &str {
        &self.spec.name
    }

    fn events(&self) -> &[EventKind] {
        &self.events
    }

    fn priority(&self) -> i32 {
        self.spec.priority
    }

    fn spec(&self) -> Option<&HookSpec> {
        Some(&self.spec)
    }

    /// The server has a deadline of its own, enforced on its whole process group.
    fn deadline(&self) -> Option<Duration> {
        None
    }

    async fn execute(&self, input: HookInput, ctx: &HookContext) -> Result<HookOutput> {
        crate::ask::output(self.name(), self.run(input, ctx).await)
    }

    async fn run(&self, input: HookInput, ctx: &HookContext) -> Outcome {
        let event = input.to_event(ctx);
        let payload = payload(&self.spec, &event, &input, ctx);
        let (call, around) = (Arc::clone(&self.call), ctx.clone());
        let called = on_thread(
            self.spec.timeout,
            &ctx.cancellation_token,
            move |deadline| call.make(&payload, &around, deadline),
        )
        .await;
        let called = called.unwrap_or_else(|stopped| Err(Failed::Stopped(stopped)));
        self.understand(&event, called)
    }
}
