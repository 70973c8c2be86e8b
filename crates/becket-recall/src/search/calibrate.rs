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
pub const FEATURES: usize = 28;

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
            -4.098, 0.395, 0.053, 0.469, 0.301, 1.020, 0.495, 0.265, 0.749, 0.433, 0.282, 0.666,
            0.685, 0.153, 0.289, 0.000, 0.153, 0.280, 0.569, -0.032, 0.023, 0.056, 0.091, -0.189,
            0.145, 0.157, 0.000, 0.247,
        ],
        bend: [-0.045, 0.998, 0.161, 0.423],
    },
    named: Scale {
        weights: [
            -4.098, 0.395, 0.053, 0.469, 0.301, 1.020, 0.495, 0.265, 0.749, 0.433, 0.282, 0.666,
            0.685, 0.153, 0.289, 0.000, 0.153, 0.280, 0.569, -0.032, 0.023, 0.056, 0.091, -0.189,
            0.145, 0.157, 0.000, 0.247,
        ],
        bend: [-0.045, 0.998, 0.161, 0.423],
    },
};
const BUILTIN_CODE: Calibration = Calibration {
    plain: Scale {
        weights: [
            -4.586, 0.030, -1.059, 0.159, -0.123, 0.819, 2.114, 0.476, 0.718, 0.642, 0.568, -0.072,
            -0.626, 0.594, 0.324, 0.000, 0.253, -0.032, 0.742, -0.962, 0.082, -0.783, 0.812,
            -0.162, -0.191, 0.624, 1.821, 0.868,
        ],
        bend: [0.108, 1.042, -0.277, 0.159],
    },
    named: Scale {
        weights: [
            -3.106, 0.131, 0.111, -0.015, 0.121, 2.648, 0.656, 0.007, 0.130, 0.001, 0.391, 0.620,
            0.297, 0.262, 0.267, 0.692, -0.005, -0.023, 0.068, 0.000, 0.131, 0.656, 0.427, 0.160,
            0.019, 0.092, 0.000, -0.001,
        ],
        bend: [1.919, 4.779, 0.000, 0.000],
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
