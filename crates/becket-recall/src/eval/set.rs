//! Texts and questions.

use std::collections::HashSet;

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
    /// What it is about: its first answer, whether that can be found or not, or else its own words. Whatever is about
    /// the same is fitted on together or not at all.
    pub about: String,
}

impl Question {
    /// A question and its answers.
    pub fn new(text: &str, answers: Vec<String>) -> Self {
        Self {
            text: text.to_owned(),
            about: answers.first().map_or(text, String::as_str).to_owned(),
            answers,
        }
    }

    /// The same, where nothing answers it.
    fn unanswered(&self) -> Self {
        Self {
            answers: Vec::new(),
            ..self.clone()
        }
    }
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
    /// What tells what bands are worth, and nothing about ranking: there are too few texts to be told apart, or none
    /// of them is the answer.
    Bands,
}

impl Sort {
    /// How much questions of this sort weigh in what is fitted, all together. What changes all the time weighs
    /// less.
    pub fn weight(self) -> f64 {
        match self {
            Self::History => 250.0,
            Self::Bands => 0.0,
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
    /// Whether it was written after everything was fitted and chosen.
    pub is_sealed: bool,
}

impl Set {
    /// Asks every question where its answer is missing and everything like it is there: each of these sets lacks
    /// another part of the texts, and has the questions that these would answer.
    pub fn left_out(&self, parts: usize) -> Vec<Self> {
        let part = |of: usize| {
            let gone = self.texts.iter().skip(of).step_by(parts);
            let gone: HashSet<&str> = gone.map(|text| text.id.as_str()).collect();
            let is_gone = |question: &&Question| {
                let mut answers = question.answers.iter();
                !question.answers.is_empty() && answers.all(|id| gone.contains(id.as_str()))
            };
            let there = |text: &&Text| !gone.contains(text.id.as_str());
            Self {
                name: format!("{}, answers left out", self.name),
                sort: Sort::Bands,
                texts: self.texts.iter().filter(there).cloned().collect(),
                questions: self
                    .questions
                    .iter()
                    .filter(is_gone)
                    .map(Question::unanswered)
                    .collect(),
                ..self.clone()
            }
        };
        (0..parts).map(part).collect()
    }

    /// A few texts at a time, as projects have in their first weeks: with their own questions, those of texts from
    /// elsewhere, and a part of those that nothing answers.
    pub fn small(&self, size: usize) -> Vec<Self> {
        let all: Vec<&[Text]> = self.texts.chunks(size).collect();
        let store = |(at, texts): (usize, &&[Text])| {
            let elsewhere = all[(at + all.len() / 2) % all.len()];
            let nobodys = self.questions.iter().filter(|one| one.about == one.text);
            let nobodys = nobodys.skip(at).step_by(all.len()).cloned();
            let foreign = self.about(elsewhere).map(Question::unanswered);
            let asked = self.about(texts).cloned().chain(foreign);
            Self {
                name: format!("{}, in stores of {size}", self.name),
                sort: Sort::Bands,
                texts: texts.to_vec(),
                questions: asked.chain(nobodys).collect(),
                ..self.clone()
            }
        };
        all.iter().enumerate().map(store).collect()
    }

    fn about<'s>(&'s self, texts: &[Text]) -> impl Iterator<Item = &'s Question> + use<'s> {
        let ids: HashSet<String> = texts.iter().map(|text| text.id.clone()).collect();
        let questions = self.questions.iter();
        questions.filter(move |question| ids.contains(&question.about))
    }

    /// Takes the answers of every `nth` question away, so that there are questions without.
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
