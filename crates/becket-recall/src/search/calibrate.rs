//! Calibration: from features to a probability of relevance.
//!
//! A logistic function per corpus, fitted on queries with known answers. `make eval` measures it and prints the weights
//! below. The features do not depend on the embedding model, so models without their own weights use those of the built-in
//! model.

use becket_store::CorpusKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BUILTIN_MODEL;
use super::features::Features;

/// Number of features for calibration.
pub const FEATURES: usize = 32;

/// A confidence band.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema, Serialize, Deserialize,
)]
#[schemars(inline)]
#[serde(rename_all = "snake_case")]
pub enum Band {
    /// Below low.
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

    /// The name.
    pub fn word(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// The calibration weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Calibration {
    /// For plain queries.
    pub plain: CalibrationScale,
    /// For queries that name a definition.
    pub named: CalibrationScale,
}

/// Weights and a piecewise linear correction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CalibrationScale {
    /// One weight per feature.
    pub weights: [f32; FEATURES],
    /// A line with two bends. High sums are corrected downwards, since texts that look perfect often have near-duplicates.
    pub bend: [f32; BENDS],
}

/// Number of coefficients of a line with two bends.
pub const BENDS: usize = 4;

impl CalibrationScale {
    /// The weighted sum of the features.
    pub fn sum(&self, features: &Features) -> f32 {
        let numbers = features.numbers();
        self.weights.iter().zip(numbers).map(|(w, x)| w * x).sum()
    }

    /// The basis of a line with two bends.
    pub fn bends(sum: f32) -> [f32; BENDS] {
        [1.0, sum, sum.max(0.0), (sum - 1.5).max(0.0)]
    }
}

const BUILTIN_MEMORY: Calibration = Calibration {
    plain: CalibrationScale {
        weights: [
            -4.786, 0.613, 0.235, 0.771, 0.418, 0.393, 0.517, 0.414, 0.739, 0.833, 0.382, 0.117,
            0.598, -0.162, -0.197, 0.000, -0.162, 0.683, 0.782, -0.274, -0.106, -0.152, 0.411,
            0.207, 0.079, 0.146, 0.000, 0.000, -1.731, 1.263, -0.437, -0.812,
        ],
        bend: [0.020, 1.022, 0.413, -0.202],
    },
    named: CalibrationScale {
        weights: [
            -4.786, 0.613, 0.235, 0.771, 0.418, 0.393, 0.517, 0.414, 0.739, 0.833, 0.382, 0.117,
            0.598, -0.162, -0.197, 0.000, -0.162, 0.683, 0.782, -0.274, -0.106, -0.152, 0.411,
            0.207, 0.079, 0.146, 0.000, 0.000, -1.731, 1.263, -0.437, -0.812,
        ],
        bend: [0.020, 1.022, 0.413, -0.202],
    },
};
const BUILTIN_CODE: Calibration = Calibration {
    plain: CalibrationScale {
        weights: [
            -0.942, -0.492, -1.012, 0.350, -0.174, 0.399, 2.180, 0.703, 0.892, 0.053, 0.838, 0.151,
            -0.061, 0.185, 0.767, 0.000, -0.095, 0.071, 0.844, -1.308, -0.178, -0.887, 0.557,
            0.133, -0.883, 0.719, 1.832, 1.499, -1.254, 0.503, -0.467, -3.101,
        ],
        bend: [0.136, 1.045, -0.510, 0.575],
    },
    named: CalibrationScale {
        weights: [
            -1.773, 0.152, 0.179, -0.006, 0.168, 2.887, 0.692, -0.004, 0.144, -0.012, 0.407, 0.738,
            0.524, 0.449, 0.392, 1.307, -0.055, -0.003, 0.033, -0.000, 0.152, 0.692, 0.551, 0.403,
            -0.001, 0.190, -0.000, -0.007, -0.008, 0.137, -0.225, 0.018,
        ],
        bend: [4.232, 6.431, 0.000, 0.000],
    },
};

/// Weights by model and corpus.
const MEASURED: &[(&str, CorpusKind, Calibration)] = &[
    (BUILTIN_MODEL, CorpusKind::Memory, BUILTIN_MEMORY),
    (BUILTIN_MODEL, CorpusKind::Code, BUILTIN_CODE),
];

impl Calibration {
    /// The calibration for a model and a corpus.
    pub fn of(model: &str, corpus: CorpusKind) -> Self {
        let own = MEASURED
            .iter()
            .find(|(id, of, _)| *id == model && *of == corpus);
        let shared = match corpus {
            CorpusKind::Memory => BUILTIN_MEMORY,
            CorpusKind::Code => BUILTIN_CODE,
        };
        own.map_or(shared, |(_, _, own)| *own)
    }

    /// The probability that a text is relevant.
    pub fn score(&self, features: &Features) -> f32 {
        let scale = if features.query.is_defined {
            self.named
        } else {
            self.plain
        };
        let bends = CalibrationScale::bends(scale.sum(features));
        let sum: f32 = scale.bend.iter().zip(bends).map(|(w, x)| w * x).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calibration_is_monotonic() {
        for (model, corpus, calibration) in MEASURED {
            for scale in [calibration.plain, calibration.named] {
                let [_, first, second, third] = scale.bend;
                let slopes = [first, first + second, first + second + third];
                assert!(
                    slopes.iter().all(|slope| *slope > 0.0),
                    "{model} {corpus:?}"
                );
            }
        }
    }
}
