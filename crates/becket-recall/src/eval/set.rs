//! Evaluation sets: texts and questions.

use std::collections::HashSet;

use becket_store::{CorpusKind, MemoryKind};

/// A text to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalText {
    /// The id that questions name as their answer. Chunks of one file share it.
    pub id: String,
    /// The path of a chunk, or the context of a memory.
    pub context: String,
    /// The name of a definition.
    pub name: Option<String>,
    /// `None` for code.
    pub kind: Option<MemoryKind>,
    /// The text.
    pub text: String,
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalQuestion {
    /// The query.
    pub text: String,
    /// The ids of the answers; empty if there is none.
    pub answers: Vec<String>,
    /// The topic: the first answer, even if it was removed, or the question itself. All questions of a topic are in the same
    /// split.
    pub about: String,
}

impl EvalQuestion {
    /// A question and its answers.
    pub fn new(text: &str, answers: Vec<String>) -> Self {
        Self {
            text: text.to_owned(),
            about: answers.first().map_or(text, String::as_str).to_owned(),
            answers,
        }
    }

    /// The same question without an answer.
    fn unanswered(&self) -> Self {
        Self {
            answers: Vec::new(),
            ..self.clone()
        }
    }
}

/// The source of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionSource {
    /// Questions about memories.
    Memories,
    /// Documentation of definitions.
    Documentation,
    /// Prompts that contain the name of a definition.
    Names,
    /// Commit subjects.
    Commits,
    /// Commit subjects of a repository that keeps changing.
    History,
    /// Sets for confidence bands only: too few texts to compare rankings, or none that answers.
    Bands,
}

impl QuestionSource {
    /// The total weight of these questions in a fit. Changing sources weigh less.
    pub fn weight(self) -> f64 {
        match self {
            Self::History => 250.0,
            Self::Bands => 0.0,
            _ => 500.0,
        }
    }
}

/// Texts with their questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvalSet {
    /// The display name.
    pub name: String,
    /// The source of the questions.
    pub source: QuestionSource,
    /// The corpus of the texts.
    pub corpus: CorpusKind,
    /// The texts.
    pub texts: Vec<EvalText>,
    /// The questions.
    pub questions: Vec<EvalQuestion>,
    /// Whether it was written after fitting and model selection.
    pub is_sealed: bool,
}

impl EvalSet {
    /// Sets in which the answers are missing but similar texts are present. Each set lacks another part of the texts and has
    /// the questions that these would answer.
    pub fn without_answers(&self, parts: usize) -> Vec<Self> {
        let part = |of: usize| {
            let gone = self.texts.iter().skip(of).step_by(parts);
            let gone: HashSet<&str> = gone.map(|text| text.id.as_str()).collect();
            let is_gone = |question: &&EvalQuestion| {
                let mut answers = question.answers.iter();
                !question.answers.is_empty() && answers.all(|id| gone.contains(id.as_str()))
            };
            let there = |text: &&EvalText| !gone.contains(text.id.as_str());
            Self {
                name: format!("{}, answers removed", self.name),
                source: QuestionSource::Bands,
                texts: self.texts.iter().filter(there).cloned().collect(),
                questions: self
                    .questions
                    .iter()
                    .filter(is_gone)
                    .map(EvalQuestion::unanswered)
                    .collect(),
                ..self.clone()
            }
        };
        (0..parts).map(part).collect()
    }

    /// Small sets, as in young projects: a few texts with their questions, questions about other texts, and some
    /// unanswerable ones.
    pub fn in_small_stores(&self, size: usize) -> Vec<Self> {
        let all: Vec<&[EvalText]> = self.texts.chunks(size).collect();
        let store = |(at, texts): (usize, &&[EvalText])| {
            let elsewhere = all[(at + all.len() / 2) % all.len()];
            let unanswerable_ones = self.questions.iter().filter(|one| one.about == one.text);
            let unanswerable_ones = unanswerable_ones.skip(at).step_by(all.len()).cloned();
            let foreign = self.about(elsewhere).map(EvalQuestion::unanswered);
            let asked = self.about(texts).cloned().chain(foreign);
            Self {
                name: format!("{}, in stores of {size}", self.name),
                source: QuestionSource::Bands,
                texts: texts.to_vec(),
                questions: asked.chain(unanswerable_ones).collect(),
                ..self.clone()
            }
        };
        all.iter().enumerate().map(store).collect()
    }

    fn about<'s>(&'s self, texts: &[EvalText]) -> impl Iterator<Item = &'s EvalQuestion> + use<'s> {
        let ids: HashSet<String> = texts.iter().map(|text| text.id.clone()).collect();
        let questions = self.questions.iter();
        questions.filter(move |question| ids.contains(&question.about))
    }

    /// Removes the answers of every `nth` question.
    #[must_use]
    pub fn with_unanswerable(mut self, nth: usize) -> Self {
        let mut gone = HashSet::new();
        for question in self.questions.iter_mut().step_by(nth.max(1)) {
            gone.extend(question.answers.drain(..));
        }
        self.texts.retain(|text| !gone.contains(&text.id));
        for question in &mut self.questions {
            question.answers.retain(|id| !gone.contains(id));
        }
        self
    }

    /// Adds questions.
    #[must_use]
    pub fn with(mut self, questions: Vec<EvalQuestion>) -> Self {
        self.questions.extend(questions);
        self
    }

    /// Reduces the number of questions evenly.
    #[must_use]
    pub fn thinned(mut self, most: usize) -> Self {
        let step = self.questions.len().div_ceil(most.max(1)).max(1);
        self.questions = self.questions.into_iter().step_by(step).collect();
        self
    }
}
