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
            -4.786, 0.613, 0.235, 0.771, 0.418, 0.393, 0.517, 0.414, 0.739, 0.833, 0.382, 0.117,
            0.598, -0.162, -0.197, 0.000, -0.162, 0.683, 0.782, -0.274, -0.106, -0.152, 0.411,
            0.207, 0.079, 0.146, 0.000, 0.000, -1.731, 1.263, -0.437, -0.812,
        ],
        bend: [0.020, 1.022, 0.413, -0.202],
    },
    named: Scale {
        weights: [
            -4.786, 0.613, 0.235, 0.771, 0.418, 0.393, 0.517, 0.414, 0.739, 0.833, 0.382, 0.117,
            0.598, -0.162, -0.197, 0.000, -0.162, 0.683, 0.782, -0.274, -0.106, -0.152, 0.411,
            0.207, 0.079, 0.146, 0.000, 0.000, -1.731, 1.263, -0.437, -0.812,
        ],
        bend: [0.020, 1.022, 0.413, -0.202],
    },
};
const BUILTIN_CODE: Calibration = Calibration {
    plain: Scale {
        weights: [
            -0.942, -0.492, -1.012, 0.350, -0.174, 0.399, 2.180, 0.703, 0.892, 0.053, 0.838, 0.151,
            -0.061, 0.185, 0.767, 0.000, -0.095, 0.071, 0.844, -1.308, -0.178, -0.887, 0.557,
            0.133, -0.883, 0.719, 1.832, 1.499, -1.254, 0.503, -0.467, -3.101,
        ],
        bend: [0.136, 1.045, -0.510, 0.575],
    },
    named: Scale {
        weights: [
            -1.773, 0.152, 0.179, -0.006, 0.168, 2.887, 0.692, -0.004, 0.144, -0.012, 0.407, 0.738,
            0.524, 0.449, 0.392, 1.307, -0.055, -0.003, 0.033, -0.000, 0.152, 0.692, 0.551, 0.403,
            -0.001, 0.190, -0.000, -0.007, -0.008, 0.137, -0.225, 0.018,
        ],
        bend: [4.232, 6.431, 0.000, 0.000],
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
