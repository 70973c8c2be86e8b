//! Fitting a calibration: logistic regression by Newton's method.

use crate::search::{Calibration, FEATURES, Features};

/// A text that was found for a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Example {
    /// What was known.
    pub features: Features,
    /// Whether it was an answer.
    pub relevant: bool,
}

/// How much large numbers are held against a fit.
const CAUTION: f64 = 2.0;

type Row = [f64; FEATURES];

/// The calibration under which the examples are likeliest.
pub fn fit(examples: &[Example]) -> Calibration {
    let mut weights: Row = [0.0; FEATURES];
    for _ in 0..50 {
        let (gradient, curvature) = slopes(examples, &weights);
        let step = solve(curvature, gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            *weight -= step;
        }
        if step.iter().all(|step| step.abs() < 1e-7) {
            break;
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "weights need no precision")]
    Calibration(weights.map(|weight| weight as f32))
}

fn slopes(examples: &[Example], weights: &Row) -> (Row, [Row; FEATURES]) {
    let mut gradient = [0.0; FEATURES];
    let mut curvature = [[0.0; FEATURES]; FEATURES];
    for (at, weight) in weights.iter().enumerate() {
        // The first one is the base rate and free.
        let caution = if at == 0 { 1e-6 } else { CAUTION };
        gradient[at] = caution * weight;
        curvature[at][at] = caution;
    }
    for example in examples {
        let numbers = example.features.numbers().map(f64::from);
        let sum: f64 = numbers.iter().zip(weights).map(|(x, w)| x * w).sum();
        let likely = 1.0 / (1.0 + (-sum).exp());
        let error = likely - f64::from(u8::from(example.relevant));
        for (at, x) in numbers.iter().enumerate() {
            gradient[at] += error * x;
            for (other, y) in numbers.iter().enumerate() {
                curvature[at][other] += likely * (1.0 - likely) * x * y;
            }
        }
    }
    (gradient, curvature)
}

/// Gauss with pivots.
fn solve(mut matrix: [Row; FEATURES], mut right: Row) -> Row {
    for at in 0..FEATURES {
        let size = |row: &usize| matrix[*row][at].abs();
        let pivot = (at..FEATURES)
            .max_by(|a, b| size(a).total_cmp(&size(b)))
            .unwrap_or(at);
        matrix.swap(at, pivot);
        right.swap(at, pivot);
        if matrix[at][at].abs() < 1e-12 {
            continue;
        }
        for row in 0..FEATURES {
            if row != at {
                let factor = matrix[row][at] / matrix[at][at];
                let base = matrix[at];
                for (cell, base) in matrix[row].iter_mut().zip(base) {
                    *cell -= factor * base;
                }
                right[row] -= factor * right[at];
            }
        }
    }
    std::array::from_fn(|at| {
        let pivot = matrix[at][at];
        if pivot.abs() < 1e-12 {
            0.0
        } else {
            right[at] / pivot
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_finds_what_decides() {
        let example = |coverage: f32, relevant| Example {
            features: Features {
                coverage,
                ..Features::default()
            },
            relevant,
        };
        // One in ten at the bottom, nine in ten at the top.
        let mut all = Vec::new();
        for number in 0..1000 {
            all.push(example(0.0, number % 10 == 0));
            all.push(example(1.0, number % 10 != 0));
        }
        let calibration = fit(&all);
        let score = |coverage| calibration.score(&example(coverage, true).features);
        assert!((score(0.0) - 0.1).abs() < 0.02 && (score(1.0) - 0.9).abs() < 0.02);
    }
}
