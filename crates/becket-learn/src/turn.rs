//! What is learnt from: a turn with its steps, and what came before it.

use becket_store::{ActivityRow, BatchRow, Stats};
use serde_json::Value;

use crate::text::is_hidden;

/// A turn to learn from, and what is known of the time before it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Material {
    /// The turn.
    pub turn: Turn,
    /// It in numbers.
    pub stats: Stats,
    /// The turns of the session before it, in order.
    pub earlier: Vec<Turn>,
    /// Which files earlier turns of the project changed, this turn not among them.
    pub history: Vec<ChangedTogether>,
    /// Which commands worked in earlier turns of the project.
    pub worked: Vec<Worked>,
    /// The project's directory.
    pub project: Option<String>,
}

/// A prompt and what the agent did about it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Turn {
    /// The batch.
    pub id: String,
    /// What was asked.
    pub prompt: Option<String>,
    /// Whether a person asked it, rather than a program.
    pub by_person: bool,
    /// What the agent answered in the end.
    pub response: Option<String>,
    /// What it did, in order.
    pub steps: Vec<Step>,
}

/// Something that the agent did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Step {
    /// The event that told of it.
    pub event: String,
    /// The tool's canonical name.
    pub tool: String,
    /// The command, for a shell.
    pub command: Option<String>,
    /// The files that it concerned.
    pub files: Vec<String>,
    /// Whether it worked.
    pub success: bool,
    /// What went wrong, or what it complained about.
    pub error: Option<String>,
    /// What it gave back, in few words.
    pub output: Option<String>,
}

/// The files that one turn changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedTogether {
    /// The session of the turn.
    pub session: String,
    /// The turn.
    pub batch: String,
    /// Each file once.
    pub files: Vec<String>,
}

/// A command that worked.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Worked {
    /// The session of the turn.
    pub session: String,
    /// The turn.
    pub batch: String,
    /// The command.
    pub command: String,
}

impl Turn {
    /// A batch with what was done in it.
    pub fn new<'a>(
        batch: &BatchRow,
        activities: impl IntoIterator<Item = &'a ActivityRow>,
    ) -> Self {
        Self {
            id: batch.id.clone(),
            prompt: batch.prompt.clone(),
            by_person: is_by_person(batch),
            response: batch.response.clone(),
            steps: activities.into_iter().filter_map(Step::new).collect(),
        }
    }

    /// The files that it changed, each once, in order.
    pub fn changed_files(&self) -> Vec<String> {
        changed_files(&self.steps)
    }
}

/// A turn in which a plan was made counts as a plan, whoever asked for it.
fn is_by_person(batch: &BatchRow) -> bool {
    let prompt = batch.prompt.as_deref().unwrap_or_default().trim_start();
    match batch.source.as_str() {
        "user" => true,
        "plan" => !prompt.starts_with(['<', '#']) && !prompt.starts_with("Implement the "),
        _ => false,
    }
}

impl Step {
    /// An activity, unless it is a thought, an answer or a mark.
    pub fn new(row: &ActivityRow) -> Option<Self> {
        if row.kind != "tool" && row.kind != "file" {
            return None;
        }
        let input: Option<Value> = row
            .input
            .as_deref()
            .and_then(|json| serde_json::from_str(json).ok());
        let command = input.as_ref().and_then(command_of);
        let files = row.files.as_deref().unwrap_or_default();
        Some(Self {
            event: row.id.clone(),
            tool: row.tool.clone(),
            command: command.filter(|_| row.tool == "Bash"),
            files: files.lines().map(str::to_owned).collect(),
            success: row.success,
            error: row.error.clone(),
            output: row.output.clone(),
        })
    }

    /// Whether it changed files.
    pub fn is_change(&self) -> bool {
        self.success && CHANGING.contains(&self.tool.as_str()) && !self.files.is_empty()
    }
}

/// Tools that change files, and the mark of agents that tell of the change alone.
pub(crate) const CHANGING: [&str; 7] = [
    "Edit",
    "MultiEdit",
    "Write",
    "NotebookEdit",
    "ApplyPatch",
    "Delete",
    "FileModified",
];

/// Agents give a command as a line or as words.
fn command_of(input: &Value) -> Option<String> {
    match input.get("command")? {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words[..] {
                // `bash -lc "…"` is how some agents say it.
                [_, "-c" | "-lc", line] => Some(line.to_owned()),
                _ => Some(words.join(" ")),
            }
        }
        _ => None,
    }
}

/// The files that steps changed, each once, in order; without those whose names are made to deceive.
pub(crate) fn changed_files<'s>(steps: impl IntoIterator<Item = &'s Step>) -> Vec<String> {
    let mut files: Vec<String> = Vec::new();
    for step in steps.into_iter().filter(|step| step.is_change()) {
        for file in step.files.iter().filter(|file| is_nameable(file)) {
            if !files.contains(file) {
                files.push(file.clone());
            }
        }
    }
    files
}

fn is_nameable(file: &str) -> bool {
    const LONGEST: usize = 200;
    let is_plain = |c: char| !c.is_control() && !is_hidden(c) && !matches!(c, '`' | '“' | '”');
    !file.is_empty() && file.len() <= LONGEST && file.chars().all(is_plain)
}
