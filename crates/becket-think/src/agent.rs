//! Another agent as the one that a hook asks: its command line in headless mode, kept from changing anything where
//! it can be told to.

use std::time::Duration;

use async_trait::async_trait;
use becket_model::{Action, HookSpec};
use becket_runner::{CancellationToken, Error, PromptModel, Result};

use crate::ask::{SYSTEM, failure, flatten};
use crate::deadline::on_thread;
use crate::inside;
use crate::model::command;
use crate::settings::ThinkSettings;

/// An agent that Becket knows how to ask. The prompt comes on stdin.
struct Known {
    names: &'static [&'static str],
    command: &'static [&'static str],
    /// What comes before the name of a model.
    model: &'static str,
    /// What comes last.
    end: &'static [&'static str],
}

const ABOVE: &str = "Answer the question above.";

/// The agents that Becket knows. Asked like this, Claude Code 2.1.325, Codex 0.166, Gemini CLI 0.61, Qwen Code 0.24.4
/// and OpenCode 1.18 answered a hook; Copilot CLI 1.0.102 takes these flags, and Cursor's are from its documents.
const KNOWN: &[Known] = &[
    Known {
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
        end: &[],
    },
    Known {
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
        end: &["-"],
    },
    Known {
        names: &["gemini"],
        command: &["gemini", "--approval-mode=plan", "--output-format=text"],
        model: "--model",
        end: &["--prompt", ABOVE],
    },
    Known {
        names: &["qwen"],
        command: &["qwen", "--approval-mode=plan", "--output-format=text"],
        model: "--model",
        end: &["--prompt", ABOVE],
    },
    Known {
        names: &["opencode"],
        command: &["opencode", "run", "--agent=plan"],
        model: "--model",
        end: &[],
    },
    Known {
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
        end: &["--prompt", "{prompt}"],
    },
    Known {
        names: &["cursor", "cursor-agent"],
        command: &[
            "cursor-agent",
            "--print",
            "--mode=ask",
            "--output-format=text",
        ],
        model: "--model",
        end: &[ABOVE],
    },
];

/// The configured agent that is asked when a hook names none.
const DEFAULT: &str = "default";

/// An agent, for one hook.
pub(crate) struct AgentModel {
    agent: Option<String>,
    model: Option<String>,
    timeout: Duration,
    settings: ThinkSettings,
}

impl AgentModel {
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

    /// The command line of the agent that the hook names; if that is a role and not an agent, of the default one;
    /// else of the agent that fired the event.
    fn words(&self) -> Option<Vec<String>> {
        let wanted = [
            self.agent.as_deref(),
            Some(DEFAULT),
            self.settings.agent.as_deref(),
        ];
        wanted
            .into_iter()
            .flatten()
            .find_map(|name| self.configured(name).or_else(|| self.known(name)))
    }

    fn configured(&self, name: &str) -> Option<Vec<String>> {
        let agents = &self.settings.asking.agents;
        let (_, words) = agents.iter().find(|(own, _)| own == name)?;
        let model = self.model.as_deref().unwrap_or_default();
        Some(
            words
                .iter()
                .map(|it| it.replace("{model}", model))
                .collect(),
        )
    }

    fn known(&self, name: &str) -> Option<Vec<String>> {
        let known = KNOWN.iter().find(|known| known.names.contains(&name))?;
        let model = self.model.iter().flat_map(|model| [known.model, model]);
        let words = known.command.iter().copied().chain(model);
        let words = words.chain(known.end.iter().copied());
        Some(words.map(str::to_owned).collect())
    }
}

/// Puts the prompt where the command line wants it; what is left is for stdin.
fn place<'p>(words: &mut [String], prompt: &'p str) -> &'p str {
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
impl PromptModel for AgentModel {
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
        if inside::is_inside(&self.settings) {
            // This is the agent that is being asked. It has nothing to say about itself.
            return Ok("CONTINUE".to_owned());
        }
        let Some(mut words) = self.words() else {
            return Err(Error::new(
                "no agent to ask; name one with `agent`, or add `[agents.default]` to your own config.toml",
            ));
        };
        // Words of ours come first, so that no agent takes the prompt for an option.
        let prompt = format!("{SYSTEM}\n\n{prompt}");
        let settings = self.settings.clone();
        let asked = on_thread(timeout, token, move |deadline| {
            let stdin = place(&mut words, &prompt);
            command::run(&words, stdin, &settings, deadline)
        })
        .await;
        flatten(asked).map_err(|error| failure(&error, timeout))
    }
}
