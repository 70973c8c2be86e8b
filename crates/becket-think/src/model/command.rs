//! A program as a model: the prompt on its stdin, the answer on its stdout.

use becket_agents::config::Llm;
use becket_runner::process::{Command, Ending, Finished};

use super::{Answer, Model, ModelError, Question, wire};
use crate::deadline::Deadline;
use crate::inside::{self, Inside};
use crate::secret::one_line;
use crate::settings::ThinkSettings;

/// A program that answers.
pub(super) struct Program {
    words: Vec<String>,
    settings: ThinkSettings,
}

impl Program {
    pub(super) fn new(llm: &Llm, settings: &ThinkSettings) -> Self {
        Self {
            words: llm.command.clone(),
            settings: settings.clone(),
        }
    }
}

impl Model for Program {
    fn ask(&self, question: &Question, deadline: &Deadline) -> Result<Answer, ModelError> {
        if inside::is_inside(&self.settings) {
            let why = "it would be asked from within its own answer";
            return Err(ModelError::Command(why.to_owned()));
        }
        let mut prompt = question.system.clone().unwrap_or_default();
        if let Some(schema) = &question.schema {
            prompt.push_str(&format!(
                "\nAnswer with nothing but a JSON value that fits this JSON Schema: {schema}"
            ));
        }
        let prompt = format!("{prompt}\n\n{}", question.prompt);
        let text = run(&self.words, prompt.trim_start(), &self.settings, deadline)?;
        wire::answer(&text, question, None)
    }
}

/// Starts a program, without a shell, and takes what it prints.
pub(crate) fn run(
    words: &[String],
    prompt: &str,
    settings: &ThinkSettings,
    deadline: &Deadline,
) -> Result<String, ModelError> {
    let Some((program, args)) = words.split_first() else {
        return Err(ModelError::Command("no program is named".to_owned()));
    };
    let inside = Inside::enter(settings);
    let finished = deadline.run(Command {
        stdin: prompt.as_bytes().to_vec(),
        env: inside.env(),
        ..Command::exec(program, args)
    });
    printed(program, &finished)
}

fn printed(program: &str, finished: &Finished) -> Result<String, ModelError> {
    let why = match &finished.ending {
        Ending::Exited(0) if finished.stdout.dropped > 0 => "printed too much".to_owned(),
        Ending::Exited(0) => return Ok(finished.stdout.text().into_owned()),
        Ending::Exited(code) => {
            let said = one_line(&finished.stderr.text());
            let colon = if said.is_empty() { "" } else { ": " };
            format!("ended with exit code {code}{colon}{said}")
        }
        Ending::Signaled(signal) => format!("was killed by signal {signal}"),
        Ending::TimedOut => return Err(ModelError::TimedOut),
        Ending::Cancelled => return Err(ModelError::Cancelled),
        Ending::NotStarted(error) => format!("could not be started: {error}"),
        Ending::Lost(error) => format!("was lost sight of: {error}"),
    };
    Err(ModelError::Command(format!("`{program}` {why}")))
}
