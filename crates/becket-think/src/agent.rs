//! Hooks of type `agent`: run another coding agent in headless mode and use its reply.
//!
//! Where an agent has flags for it, the command line restricts the agent to read-only tools.

use std::time::Duration;

use async_trait::async_trait;
use becket_model::{Action, HookSpec};
use becket_runner::{CancellationToken, Error, PromptModel, Result};

use crate::deadline::run_blocking;
use crate::model::command;
use crate::prompt_model::{SYSTEM, flatten_error, hook_error};
use crate::recursion_guard;
use crate::settings::ThinkSettings;

/// A coding agent with a known headless command line. It reads the prompt from stdin.
struct HeadlessAgent {
    names: &'static [&'static str],
    command: &'static [&'static str],
    /// The option that precedes the model name.
    model: &'static str,
    /// Arguments after everything else.
    trailing_args: &'static [&'static str],
}

const ANSWER_ABOVE: &str = "Answer the question above.";

/// The agents with a built-in command line. Tested with Claude Code 2.1.325, Codex 0.166, Gemini CLI 0.61, Qwen Code
/// 0.24.4 and OpenCode 1.18. The flags of Copilot CLI 1.0.102 are checked but untested with a hook; Cursor's flags come
/// from its documentation.
const HEADLESS_AGENTS: &[HeadlessAgent] = &[
    HeadlessAgent {
        names: &["claude"],
        command: &[
            "claude",
            "--print",
            "--output-format=text",
            "--tools=Read,Grep,Glob",
            "--strict-mcp-config",
            "--no-session-persistence",
        ],
        model: "--model",
        trailing_args: &[],
    },
    HeadlessAgent {
        names: &["codex"],
        command: &[
            "codex",
            "exec",
            "--sandbox=read-only",
            "--skip-git-repo-check",
            "--ephemeral",
            "--color=never",
        ],
        model: "--model",
        trailing_args: &["-"],
    },
    HeadlessAgent {
        names: &["gemini"],
        command: &["gemini", "--approval-mode=plan", "--output-format=text"],
        model: "--model",
        trailing_args: &["--prompt", ANSWER_ABOVE],
    },
    HeadlessAgent {
        names: &["qwen"],
        command: &["qwen", "--approval-mode=plan", "--output-format=text"],
        model: "--model",
        trailing_args: &["--prompt", ANSWER_ABOVE],
    },
    HeadlessAgent {
        names: &["opencode"],
        command: &["opencode", "run", "--agent=plan"],
        model: "--model",
        trailing_args: &[],
    },
    HeadlessAgent {
        names: &["copilot"],
        command: &[
            "copilot",
            "--silent",
            "--no-color",
            "--deny-tool=shell",
            "--deny-tool=write",
            "--disable-builtin-mcps",
        ],
        model: "--model",
        trailing_args: &["--prompt", "{prompt}"],
    },
    HeadlessAgent {
        names: &["cursor", "cursor-agent"],
        command: &[
            "cursor-agent",
            "--print",
            "--mode=ask",
            "--output-format=text",
        ],
        model: "--model",
        trailing_args: &[ANSWER_ABOVE],
    },
];

/// The configured agent to use when a hook names none.
const DEFAULT_AGENT: &str = "default";

/// Answers a hook's prompt by running another agent.
pub(crate) struct AgentPromptModel {
    agent: Option<String>,
    model: Option<String>,
    timeout: Duration,
    settings: ThinkSettings,
}

impl AgentPromptModel {
    pub(crate) fn new(spec: &HookSpec, settings: &ThinkSettings) -> Self {
        let (agent, model) = match &spec.action {
            Action::Agent { agent, model, .. } => (agent.clone(), model.clone()),
            _ => (None, None),
        };
        Self {
            agent,
            model,
            timeout: spec.timeout,
            settings: settings.clone(),
        }
    }

    /// The command line to run. The hook's `agent` comes first; if that is a role and not an agent, the default agent; else
    /// the agent that sent the event.
    fn command_line(&self) -> Option<Vec<String>> {
        let wanted = [
            self.agent.as_deref(),
            Some(DEFAULT_AGENT),
            self.settings.agent.as_deref(),
        ];
        wanted.into_iter().flatten().find_map(|name| {
            self.configured_command(name)
                .or_else(|| self.builtin_command(name))
        })
    }

    fn configured_command(&self, name: &str) -> Option<Vec<String>> {
        let agents = &self.settings.config.agents;
        let (_, words) = agents.iter().find(|(own, _)| own == name)?;
        let model = self.model.as_deref().unwrap_or_default();
        Some(
            words
                .iter()
                .map(|it| it.replace("{model}", model))
                .collect(),
        )
    }

    fn builtin_command(&self, name: &str) -> Option<Vec<String>> {
        let known = HEADLESS_AGENTS
            .iter()
            .find(|known| known.names.contains(&name))?;
        let model = self.model.iter().flat_map(|model| [known.model, model]);
        let words = known.command.iter().copied().chain(model);
        let words = words.chain(known.trailing_args.iter().copied());
        Some(words.map(str::to_owned).collect())
    }
}

/// Inserts the prompt where the command line has `{prompt}`. Returns the text for stdin.
fn insert_prompt<'p>(words: &mut [String], prompt: &'p str) -> &'p str {
    let mut placed = false;
    for word in words {
        if word.contains("{prompt}") {
            *word = word.replace("{prompt}", prompt);
            placed = true;
        }
    }
    if placed { "" } else { prompt }
}

#[async_trait]
impl PromptModel for AgentPromptModel {
    async fn answer(&self, prompt: &str) -> Result<String> {
        let never = CancellationToken::new();
        self.answer_within(prompt, self.timeout, &never).await
    }

    async fn answer_within(
        &self,
        prompt: &str,
        timeout: Duration,
        token: &CancellationToken,
    ) -> Result<String> {
        if recursion_guard::is_nested(&self.settings) {
            // This process is the agent that a hook is waiting for. Do not start another one.
            return Ok("CONTINUE".to_owned());
        }
        let Some(mut words) = self.command_line() else {
            return Err(Error::new(
                "no agent to run; set `agent` in the hook, or add `[agents.default]` to your own config.toml",
            ));
        };
        // The system text comes first, so that an agent cannot take the prompt for an option.
        let prompt = format!("{SYSTEM}\n\n{prompt}");
        let settings = self.settings.clone();
        let asked = run_blocking(timeout, token, move |deadline| {
            let stdin = insert_prompt(&mut words, &prompt);
            command::run(&words, stdin, &settings, deadline)
        })
        .await;
        flatten_error(asked).map_err(|error| hook_error(&error, timeout))
    }
}
