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
pub const FEATURES: usize = 32;

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
            -4.050, 0.456, 0.147, 0.673, 0.303, 0.496, 0.599, 0.359, 0.524, 0.787, 0.370, 0.336,
            0.458, -0.115, 0.014, 0.000, -0.115, 0.778, 0.600, 0.000, 0.000, 0.000, 0.427, 0.303,
            0.120, 0.070, 0.000, 0.000, -1.343, 0.876, -0.731, -0.719,
        ],
        bend: [-0.047, 1.008, 0.552, 0.172],
    },
    named: Scale {
        weights: [
            -4.050, 0.456, 0.147, 0.673, 0.303, 0.496, 0.599, 0.359, 0.524, 0.787, 0.370, 0.336,
            0.458, -0.115, 0.014, 0.000, -0.115, 0.778, 0.600, 0.000, 0.000, 0.000, 0.427, 0.303,
            0.120, 0.070, 0.000, 0.000, -1.343, 0.876, -0.731, -0.719,
        ],
        bend: [-0.047, 1.008, 0.552, 0.172],
    },
};
const BUILTIN_CODE: Calibration = Calibration {
    plain: Scale {
        weights: [
            -2.087, -0.162, -0.627, 0.125, -0.425, 0.491, 2.232, 0.497, 0.877, 0.472, 1.378, 0.127,
            -0.539, 0.450, 0.820, 0.000, -0.365, 0.065, 0.974, -1.227, -0.215, -1.133, 0.236,
            0.022, -0.536, 0.721, 1.774, 1.731, -1.367, 0.412, -0.497, -2.317,
        ],
        bend: [0.090, 1.031, -0.163, 0.446],
    },
    named: Scale {
        weights: [
            -2.791, 0.105, 0.078, -0.063, 0.078, 2.685, 0.623, 0.013, 0.110, -0.043, 0.370, 0.587,
            0.231, 0.267, 0.298, 0.741, -0.014, -0.022, 0.047, -0.000, 0.105, 0.623, 0.351, 0.124,
            0.021, 0.084, 0.000, -0.002, -0.018, 0.132, -0.175, -0.002,
        ],
        bend: [7.243, 5.912, 0.000, 0.000],
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_in_favour_of_a_text_is_never_worth_less() {
        for (model, shelf, calibration) in MEASURED {
            for scale in [calibration.plain, calibration.named] {
                let [_, first, second, third] = scale.bend;
                let slopes = [first, first + second, first + second + third];
                assert!(slopes.iter().all(|slope| *slope > 0.0), "{model} {shelf:?}");
            }
        }
    }
}
