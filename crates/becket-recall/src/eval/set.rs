//! Texts and questions.

use becket_store::{MemoryKind, Shelf};

/// Something that can be found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// What a question names as its answer. Several texts may share it, as the pieces of a file do.
    pub id: String,
    /// The path of a piece of code, or what a memory is about.
    pub context: String,
    /// The name of a definition.
    pub name: Option<String>,
    /// `None` for code.
    pub kind: Option<MemoryKind>,
    /// The text.
    pub text: String,
}

/// Something that is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The words.
    pub text: String,
    /// The ids of the answers; nothing, if there is none.
    pub answers: Vec<String>,
}

/// What sort of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// People's words for what was learnt.
    Memories,
    /// What a definition's documentation says.
    Documentation,
    /// Prompts that have a definition's name.
    Names,
    /// What commits say.
    Commits,
    /// What commits of a repository say that goes on changing.
    History,
}

impl Sort {
    /// How much questions of this sort weigh in what is fitted, all together. What changes all the time weighs less.
    pub fn weight(self) -> f64 {
        match self {
            Self::History => 250.0,
            _ => 500.0,
        }
    }
}

/// Texts and questions that belong together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// A name for people.
    pub name: String,
    /// What is asked for.
    pub sort: Sort,
    /// Where the texts stand.
    pub shelf: Shelf,
    /// What can be found.
    pub texts: Vec<Text>,
    /// What is asked.
    pub questions: Vec<Question>,
}

impl Set {
    /// Takes the answers of every `nth` question away, so that there are questions without.
    #[must_use]
    pub fn with_unanswerable(mut self, nth: usize) -> Self {
        let mut gone = std::collections::HashSet::new();
        for question in self.questions.iter_mut().step_by(nth.max(1)) {
            gone.extend(question.answers.drain(..));
        }
        self.texts.retain(|text| !gone.contains(&text.id));
        for question in &mut self.questions {
            question.answers.retain(|id| !gone.contains(id));
        }
        self
    }

    /// Asks more.
    #[must_use]
    pub fn with(mut self, questions: Vec<Question>) -> Self {
        self.questions.extend(questions);
        self
    }

    /// Leaves as many questions, spread over all.
    #[must_use]
    pub fn thinned(mut self, most: usize) -> Self {
        let step = self.questions.len().div_ceil(most.max(1)).max(1);
        self.questions = self.questions.into_iter().step_by(step).collect();
        self
    }
}
