//! Hooks of type `mcp_tool`: start an MCP server, initialize it, call one tool, and stop it.

mod input;
mod session;

use std::sync::Arc;

use async_trait::async_trait;
use becket_agents::config::McpServer;
use becket_agents::contract::{self, ProcessEnd, ProcessOutput};
use becket_model::{Action, Event, EventKind, FailureKind, HookOutcome, HookSpec};
use becket_runner::process::{self, Command};
use becket_runner::{ConfiguredHook, HookContext, HookInput, payload};
use serde_json::Value;

use crate::deadline::{Deadline, DeadlineError, run_blocking};
use crate::secret::one_line;
use crate::settings::ThinkSettings;
use session::{McpReply, McpSession};

/// A hook of type `mcp_tool`.
pub(crate) struct McpHook {
    spec: HookSpec,
    events: Vec<EventKind>,
    call: Arc<McpCall>,
}

/// The parts of a call that are the same for every event.
struct McpCall {
    name: String,
    server: Option<McpServer>,
    tool: String,
    input: Value,
}

/// Why a call has no result.
enum McpError {
    NotStarted(String),
    Failed(String),
    Stopped(DeadlineError),
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
        let servers = &settings.config.mcp;
        let found = servers.iter().find(|(name, _)| name == server);
        Some(Self {
            events: vec![spec.event.clone()],
            spec: spec.clone(),
            call: Arc::new(McpCall {
                name: server.clone(),
                server: found.map(|(_, server)| server.clone()),
                tool: tool.clone(),
                input: input.clone(),
            }),
        })
    }

    fn outcome(&self, event: &Event, called: Result<String, McpError>) -> HookOutcome {
        let (kind, why) = match called {
            Ok(reply) => {
                let ran = ProcessOutput {
                    ending: ProcessEnd::Exited(0),
                    stdout: reply.as_bytes(),
                    stderr: b"",
                    truncated: false,
                };
                return contract::interpret(&self.spec, event, &ran);
            }
            Err(McpError::NotStarted(why)) => (FailureKind::NotStarted, why),
            Err(McpError::Failed(why)) => (FailureKind::Exit, why),
            Err(McpError::Stopped(DeadlineError::TimedOut)) => {
                let why = format!("no response within its timeout of {:?}", self.spec.timeout);
                (FailureKind::TimedOut, why)
            }
            Err(McpError::Stopped(DeadlineError::Cancelled)) => {
                (FailureKind::Cancelled, "cancelled".to_owned())
            }
        };
        let message = format!("hook `{}` failed: {why}", self.spec.name);
        contract::failure_outcome(&self.spec, event, kind, &message)
    }
}

impl McpCall {
    fn run(
        &self,
        payload: &[u8],
        ctx: &HookContext,
        deadline: &Deadline,
    ) -> Result<String, McpError> {
        let Some(server) = &self.server else {
            return Err(McpError::NotStarted(format!(
                "MCP server `{0}` is not configured; add `[mcp.{0}]` to your own config.toml",
                self.name
            )));
        };
        let event: Value = serde_json::from_slice(payload).unwrap_or_default();
        let mut talk = McpSession::new(&self.tool, input::interpolate(&self.input, &event));
        let Some((program, args)) = server.command.split_first() else {
            return Err(McpError::NotStarted(
                "the MCP server has no command".to_owned(),
            ));
        };
        let pairs = server.env.iter();
        let command = Command {
            stdin: McpSession::initialize_message(),
            cwd: ctx.cwd.clone(),
            env: pairs
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            ..Command::exec(program, args)
        };
        let finished = deadline.converse(command, &mut |line| talk.handle_message(line));
        match talk.into_reply() {
            McpReply::Text(reply) => Ok(reply),
            McpReply::Error(why) => Err(McpError::Failed(why)),
            McpReply::Missing => Err(self.no_reply_error(&finished)),
        }
    }

    fn no_reply_error(&self, finished: &process::Finished) -> McpError {
        let name = &self.name;
        match &finished.ending {
            process::Ending::TimedOut => McpError::Stopped(DeadlineError::TimedOut),
            process::Ending::Cancelled => McpError::Stopped(DeadlineError::Cancelled),
            process::Ending::NotStarted(error) => {
                McpError::NotStarted(format!("MCP server `{name}` could not be started: {error}"))
            }
            _ if finished.stdout.dropped > 0 => {
                McpError::Failed(format!("MCP server `{name}` printed too much"))
            }
            _ => {
                let stderr = one_line(&finished.stderr.text());
                let colon = if stderr.is_empty() { "" } else { ": " };
                McpError::Failed(format!(
                    "MCP server `{name}` exited without a response{colon}{stderr}"
                ))
            }
        }
    }
}

#[async_trait]
impl ConfiguredHook for McpHook {
    fn entry(&self) -> &HookSpec {
        &self.spec
    }

    fn entry_events(&self) -> &[EventKind] {
        &self.events
    }

    async fn run_entry(&self, input: HookInput, ctx: &HookContext) -> HookOutcome {
        let event = input.to_event(ctx);
        let payload = payload(&self.spec, &event, &input, ctx);
        let (call, around) = (Arc::clone(&self.call), ctx.clone());
        let called = run_blocking(
            self.spec.timeout,
            &ctx.cancellation_token,
            move |deadline| call.run(&payload, &around, deadline),
        )
        .await;
        let called = called.unwrap_or_else(|stopped| Err(McpError::Stopped(stopped)));
        self.outcome(&event, called)
    }
}
