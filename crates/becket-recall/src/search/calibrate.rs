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
            -4.316, 0.553, 0.117, 0.440, 0.347, 0.871, 0.506, 0.375, 0.884, 0.465, 0.387, 0.603,
            0.862, 0.185, 0.308, 0.000, 0.185, 0.268, 0.570, -0.034, 0.025, 0.064,
        ],
        bend: [-0.016, 1.009, 0.118, 0.449],
    },
    named: Scale {
        weights: [
            -4.316, 0.553, 0.117, 0.440, 0.347, 0.871, 0.506, 0.375, 0.884, 0.465, 0.387, 0.603,
            0.862, 0.185, 0.308, 0.000, 0.185, 0.268, 0.570, -0.034, 0.025, 0.064,
        ],
        bend: [-0.016, 1.009, 0.118, 0.449],
    },
};
const BUILTIN_CODE: Calibration = Calibration {
    plain: Scale {
        weights: [
            -5.732, 0.306, -0.737, 0.337, 0.012, 0.640, 3.386, 1.500, 0.772, 0.425, 0.978, -0.606,
            0.217, 0.027, 0.648, 0.000, 0.793, -0.143, 0.262, -1.276, 0.148, -0.377,
        ],
        bend: [0.335, 1.118, -0.767, -0.076],
    },
    named: Scale {
        weights: [
            -4.316, 0.255, 0.154, -0.164, -0.066, 2.214, 0.346, 0.053, 0.286, -0.006, 0.071,
            -0.198, 0.534, 0.493, 0.558, 1.482, 0.061, 0.214, 0.197, -0.000, 0.255, 0.346,
        ],
        bend: [0.560, 1.267, -0.560, 0.259],
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
