//! The input of learning: a turn with its steps, and what happened before it.

use becket_store::{ActivityRow, ActivityStats, BatchRow};
use serde_json::Value;

use becket_base::text::is_invisible;

/// A turn to learn from, and its history.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LearningInput {
    /// The turn.
    pub turn: RecordedTurn,
    /// Statistics of the turn.
    pub stats: ActivityStats,
    /// Earlier turns of the session, in order.
    pub earlier: Vec<RecordedTurn>,
    /// Files that other turns of the project changed.
    pub changed_files: Vec<ChangedFiles>,
    /// Commands that succeeded in other turns of the project.
    pub succeeded_commands: Vec<SucceededCommand>,
    /// The project's directory.
    pub project: Option<String>,
}

/// A prompt and the work of the agent on it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordedTurn {
    /// The batch id.
    pub id: String,
    /// The prompt.
    pub prompt: Option<String>,
    /// Whether a person wrote the prompt, not a program.
    pub by_person: bool,
    /// The final answer of the agent.
    pub response: Option<String>,
    /// The tool calls, in order.
    pub steps: Vec<RecordedStep>,
}

/// One tool call.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RecordedStep {
    /// The id of the event that reported it.
    pub event: String,
    /// The tool's canonical name.
    pub tool: String,
    /// The command line of a shell call.
    pub command: Option<String>,
    /// The affected files.
    pub files: Vec<String>,
    /// Whether it succeeded.
    pub success: bool,
    /// The error or warning.
    pub error: Option<String>,
    /// The output, shortened.
    pub output: Option<String>,
}

/// The files that one turn changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangedFiles {
    /// The session of the turn.
    pub session: String,
    /// The batch id of the turn.
    pub batch: String,
    /// The files, without duplicates.
    pub files: Vec<String>,
}

/// A command that succeeded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SucceededCommand {
    /// The session of the turn.
    pub session: String,
    /// The batch id of the turn.
    pub batch: String,
    /// The command.
    pub command: String,
}

impl RecordedTurn {
    /// Builds a turn from a batch and its activities.
    pub fn new<'a>(
        batch: &BatchRow,
        activities: impl IntoIterator<Item = &'a ActivityRow>,
    ) -> Self {
        Self {
            id: batch.id.clone(),
            prompt: batch.prompt.clone(),
            by_person: is_by_person(batch),
            response: batch.response.clone(),
            steps: activities
                .into_iter()
                .filter_map(RecordedStep::new)
                .collect(),
        }
    }

    /// The files that the turn changed, in order and without duplicates.
    pub fn changed_files(&self) -> Vec<String> {
        changed_files(&self.steps)
    }
}

/// Whether a person wrote the prompt. A turn that produced a plan has the source `plan`, whether or not a person asked
/// for it.
fn is_by_person(batch: &BatchRow) -> bool {
    let prompt = batch.prompt.as_deref().unwrap_or_default().trim_start();
    match batch.source.as_str() {
        "user" => true,
        "plan" => !prompt.starts_with(['<', '#']) && !prompt.starts_with("Implement the "),
        _ => false,
    }
}

impl RecordedStep {
    /// Converts an activity; `None` if it is not a tool call or a file change.
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
        self.success && EDIT_TOOLS.contains(&self.tool.as_str()) && !self.files.is_empty()
    }
}

/// Tools that change files, and the event of agents that report only the change.
pub(crate) const EDIT_TOOLS: [&str; 7] = [
    "Edit",
    "MultiEdit",
    "Write",
    "NotebookEdit",
    "ApplyPatch",
    "Delete",
    "FileModified",
];

/// Agents send a command as a line or as a list of words.
fn command_of(input: &Value) -> Option<String> {
    match input.get("command")? {
        Value::String(line) => Some(line.clone()),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words[..] {
                // Some agents wrap the line in `bash -lc "…"`.
                [_, "-c" | "-lc", line] => Some(line.to_owned()),
                _ => Some(words.join(" ")),
            }
        }
        _ => None,
    }
}

/// The files that steps changed, in order and without duplicates. Deceptive names are dropped.
pub(crate) fn changed_files<'s>(steps: impl IntoIterator<Item = &'s RecordedStep>) -> Vec<String> {
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
    let is_plain = |c: char| !c.is_control() && !is_invisible(c) && !matches!(c, '`' | '“' | '”');
    !file.is_empty() && file.len() <= LONGEST && file.chars().all(is_plain)
}
