//! Types for what a turn or a session taught.

use becket_store::{BatchClass, MemoryKind, Trust};

/// A fact worth remembering. It becomes a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The memory type.
    pub kind: MemoryKind,
    /// The fact, in one or two sentences.
    pub text: String,
    /// What it belongs to, usually a file.
    pub context: Option<String>,
    /// From 1 to 10.
    pub importance: u8,
    /// The source. A text with several sources has the lowest trust of them.
    pub trust: Trust,
    /// The related files.
    pub files: Vec<String>,
    /// The ids of the source events.
    pub events: Vec<String>,
}

impl Observation {
    /// An observation of medium importance from tool output.
    pub fn new(kind: MemoryKind, text: impl Into<String>) -> Self {
        Self {
            kind,
            text: text.into(),
            context: None,
            importance: 5,
            trust: Trust::Tool,
            files: Vec::new(),
            events: Vec::new(),
        }
    }
}

/// What was learned from a turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedTurn {
    /// The class of the turn.
    pub class: BatchClass,
    /// The observations, most important first.
    pub observations: Vec<Observation>,
    /// A commit that the turn made.
    pub commit: Option<String>,
}

/// The title and summary of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SessionSummary {
    /// A title.
    pub title: Option<String>,
    /// A few sentences.
    pub summary: Option<String>,
}
