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
pub struct Calibration {
    /// For queries in words.
    pub plain: Scale,
    /// For those that name something that is defined.
    pub named: Scale,
}

/// Weights, and what their sum is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// A weight for each number.
    pub weights: [f32; FEATURES],
    /// A line with two bends: large sums are worth less than they promise, as texts that look perfect are often
    /// somebody's twin.
    pub bend: [f32; BENDS],
}

/// How many numbers a line with two bends has.
pub const BENDS: usize = 4;

impl Scale {
    /// The sum of what is known.
    pub fn sum(&self, features: &Features) -> f32 {
        let numbers = features.numbers();
        self.weights.iter().zip(numbers).map(|(w, x)| w * x).sum()
    }

    /// What a line with two bends is made of.
    pub fn bends(sum: f32) -> [f32; BENDS] {
        [1.0, sum, sum.max(0.0), (sum - 1.5).max(0.0)]
    }
}

const BUILTIN_MEMORY: Calibration = Calibration {
    plain: Scale {
        weights: [
            -4.319, 0.543, 0.114, 0.503, 0.328, 0.896, 0.527, 0.312, 0.865, 0.497, 0.374, 0.599,
            0.818, 0.192, 0.348, 0.000, 0.192, 0.254, 0.599, -0.030, 0.025, 0.062,
        ],
        bend: [0.0, 1.0, 0.0, 0.0],
    },
    named: Scale {
        weights: [
            -4.319, 0.543, 0.114, 0.503, 0.328, 0.896, 0.527, 0.312, 0.865, 0.497, 0.374, 0.599,
            0.818, 0.192, 0.348, 0.000, 0.192, 0.254, 0.599, -0.030, 0.025, 0.062,
        ],
        bend: [0.0, 1.0, 0.0, 0.0],
    },
};
const BUILTIN_CODE: Calibration = Calibration {
    plain: Scale {
        weights: [
            -5.855, 0.163, -0.787, 0.364, 0.030, 0.644, 3.269, 1.574, 0.959, 0.461, 0.974, -0.553,
            0.259, 0.160, 0.476, 0.000, 1.030, -0.184, 0.250, -1.294, 0.275, -0.419,
        ],
        bend: [0.0, 1.0, 0.0, 0.0],
    },
    named: Scale {
        weights: [
            -5.122, 0.337, 0.202, 0.000, -0.206, 1.660, 0.704, 0.047, 0.401, 0.088, 0.380, -0.410,
            0.751, 1.044, 0.560, 1.224, -0.273, 0.140, 0.174, -0.000, 0.337, 0.704,
        ],
        bend: [0.0, 1.0, 0.0, 0.0],
    },
};

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
        let scale = if features.query.is_defined {
            self.named
        } else {
            self.plain
        };
        let bends = Scale::bends(scale.sum(features));
        let sum: f32 = scale.bend.iter().zip(bends).map(|(w, x)| w * x).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}
