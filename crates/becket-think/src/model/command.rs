//! A program as a language model: prompt on stdin, answer on stdout.

use becket_agents::config::LlmConfig;
use becket_runner::process::{Command, Ending, Finished};

use super::{LanguageModel, ModelError, ModelRequest, ModelResponse, http_provider};
use crate::deadline::Deadline;
use crate::recursion_guard::{self, RecursionMarker};
use crate::secret::one_line;
use crate::settings::ThinkSettings;

/// A model that runs a program.
pub(super) struct CommandModel {
    command: Vec<String>,
    settings: ThinkSettings,
}

impl CommandModel {
    pub(super) fn new(llm: &LlmConfig, settings: &ThinkSettings) -> Self {
        Self {
            command: llm.command.clone(),
            settings: settings.clone(),
        }
    }
}

impl LanguageModel for CommandModel {
    fn complete(
        &self,
        question: &ModelRequest,
        deadline: &Deadline,
    ) -> Result<ModelResponse, ModelError> {
        if recursion_guard::is_nested(&self.settings) {
            let why = "a command model cannot be called from within its own answer";
            return Err(ModelError::Command(why.to_owned()));
        }
        let mut prompt = question.system.clone().unwrap_or_default();
        if let Some(schema) = &question.schema {
            prompt.push_str(&format!(
                "\nAnswer with nothing but a JSON value that fits this JSON Schema: {schema}"
            ));
        }
        let prompt = format!("{prompt}\n\n{}", question.prompt);
        let text = run(&self.command, prompt.trim_start(), &self.settings, deadline)?;
        http_provider::response(&text, question, None)
    }
}

/// Runs a program without a shell and returns its output.
pub(crate) fn run(
    words: &[String],
    prompt: &str,
    settings: &ThinkSettings,
    deadline: &Deadline,
) -> Result<String, ModelError> {
    let Some((program, args)) = words.split_first() else {
        return Err(ModelError::Command("`command` is empty".to_owned()));
    };
    let inside = RecursionMarker::enter(settings);
    let finished = deadline.run(Command {
        stdin: prompt.as_bytes().to_vec(),
        env: inside.env(),
        ..Command::exec(program, args)
    });
    output_text(program, &finished)
}

fn output_text(program: &str, finished: &Finished) -> Result<String, ModelError> {
    let why = match &finished.ending {
        Ending::Exited(0) if finished.stdout.dropped > 0 => "printed too much".to_owned(),
        Ending::Exited(0) => return Ok(finished.stdout.text().into_owned()),
        Ending::Exited(code) => {
            let stderr = one_line(&finished.stderr.text());
            let colon = if stderr.is_empty() { "" } else { ": " };
            format!("ended with exit code {code}{colon}{stderr}")
        }
        Ending::Signaled(signal) => format!("was killed by signal {signal}"),
        Ending::TimedOut => return Err(ModelError::TimedOut),
        Ending::Cancelled => return Err(ModelError::Cancelled),
        Ending::NotStarted(error) => format!("could not be started: {error}"),
        Ending::Lost(error) => format!("could not be waited for: {error}"),
    };
    Err(ModelError::Command(format!("`{program}` {why}")))
}
