//! What was learnt.

use becket_store::{Class, MemoryKind, Trust};

/// Something worth remembering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// What sort it is.
    pub kind: MemoryKind,
    /// What was learnt, in a sentence or two.
    pub text: String,
    /// Where it belongs: a file, mostly.
    pub context: Option<String>,
    /// From 1 to 10.
    pub importance: u8,
    /// Who said it. A text that quotes several is trusted like the one who is trusted least.
    pub trust: Trust,
    /// The files that it is about.
    pub files: Vec<String>,
    /// The events that it came from.
    pub events: Vec<String>,
}

impl Observation {
    /// Something of middling importance that a tool showed.
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

/// What a turn taught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Learnt {
    /// What the turn was about.
    pub class: Class,
    /// Few and good ones, the most important first.
    pub observations: Vec<Observation>,
    /// A commit that was made in it.
    pub commit: Option<String>,
}

/// What a session was, in few words.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Told {
    /// A title.
    pub title: Option<String>,
    /// A few sentences.
    pub summary: Option<String>,
}
