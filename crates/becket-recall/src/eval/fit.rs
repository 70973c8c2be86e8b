//! Fits ranking and calibration weights with Newton's method.

use crate::search::{Calibration, CalibrationScale, Features, RANKING_FEATURES, Ranker};

/// A result of a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitExample {
    /// Its features.
    pub features: Features,
    /// Whether it is an answer.
    pub relevant: bool,
    /// Whether the question has an answer.
    pub answerable: bool,
}

/// Options of a fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitOptions {
    /// L2 regularisation. Fewer examples need more.
    pub regularisation: f64,
    /// Extra weight of results for questions without an answer. Most prompts have none, and a false alarm is worse than a
    /// missing answer.
    pub unanswerable_weight: f64,
}

/// L2 regularisation of the ranking.
const ORDER_REGULARISATION: f64 = 0.3;

/// Gradient and curvature (Hessian).
struct Derivatives<const N: usize> {
    gradient: [f64; N],
    curvature: [[f64; N]; N],
}

/// The maximum-likelihood calibration of the examples.
pub fn fit(examples: &[FitExample], care: FitOptions) -> Calibration {
    let of = |is_named: bool| -> Vec<FitExample> {
        let all = examples.iter().copied();
        all.filter(|one| one.features.query.is_defined == is_named)
            .collect()
    };
    let plain = scale(&of(false), care);
    let named = of(true);
    Calibration {
        plain,
        // Without named queries, both scales are the same.
        named: if named.is_empty() {
            plain
        } else {
            scale(&named, care)
        },
    }
}

fn scale(examples: &[FitExample], care: FitOptions) -> CalibrationScale {
    // The bias is not regularised.
    let weights = likeliest(examples, care, 1, Features::numbers);
    let straight = CalibrationScale {
        weights,
        bend: [0.0, 1.0, 0.0, 0.0],
    };
    let bends = |features: &Features| CalibrationScale::bends(straight.sum(features));
    let bend = likeliest(examples, care, 2, bends);
    CalibrationScale { weights, bend }
}

fn likeliest<const N: usize>(
    examples: &[FitExample],
    care: FitOptions,
    free: usize,
    numbers: impl Fn(&Features) -> [f32; N],
) -> [f32; N] {
    newton(free, care.regularisation, |weights: &[f64; N], slopes| {
        for example in examples {
            let numbers = numbers(&example.features).map(f64::from);
            let likely = 1.0 / (1.0 + (-dot(&numbers, weights)).exp());
            let error = likely - f64::from(u8::from(example.relevant));
            let weight = if example.answerable {
                1.0
            } else {
                care.unanswerable_weight
            };
            slopes.add(weight * error, weight * likely * (1.0 - likely), &numbers);
        }
    })
}

/// The ranking that puts answers first. Each question has a weight.
pub fn fit_order(questions: &[(f64, &[FitExample])]) -> Ranker {
    let fit = |is_named| {
        newton(
            0,
            ORDER_REGULARISATION,
            |weights: &[f64; RANKING_FEATURES], slopes| {
                for (weight, found) in questions {
                    let answers = found.iter().filter(|one| one.relevant).count();
                    let mut all = found.iter();
                    let is_named_so = all.any(|one| one.features.query.is_defined) == is_named;
                    if is_named_so && answers > 0 && answers < found.len() {
                        one_question(*weight, found, answers, weights, slopes);
                    }
                }
            },
        )
    };
    let (plain, named) = (fit(false), fit(true));
    let is_known = named.iter().any(|weight| *weight != 0.0);
    Ranker {
        plain,
        named: if is_known { named } else { plain },
    }
}

/// The derivative of the softmax loss for one question.
#[expect(clippy::cast_precision_loss, reason = "a hundred texts")]
fn one_question(
    weight: f64,
    found: &[FitExample],
    answers: usize,
    weights: &[f64; RANKING_FEATURES],
    slopes: &mut Derivatives<RANKING_FEATURES>,
) {
    let numbers: Vec<[f64; RANKING_FEATURES]> = found
        .iter()
        .map(|one| one.features.ranking().map(f64::from))
        .collect();
    let orders: Vec<f64> = numbers.iter().map(|one| dot(one, weights)).collect();
    let most = orders.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = orders.iter().map(|order| (order - most).exp()).sum();
    let mut mean = [0.0; RANKING_FEATURES];
    for ((one, order), numbers) in found.iter().zip(&orders).zip(&numbers) {
        let share = (order - most).exp() / sum;
        let wanted = f64::from(u8::from(one.relevant)) / answers as f64;
        slopes.add(weight * (share - wanted), weight * share, numbers);
        for (mean, x) in mean.iter_mut().zip(numbers) {
            *mean += share * x;
        }
    }
    // The Hessian is the covariance, so the mean is subtracted.
    slopes.add(0.0, -weight, &mean);
}

fn dot<const N: usize>(a: &[f64; N], b: &[f64; N]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl<const N: usize> Derivatives<N> {
    fn add(&mut self, slope: f64, bend: f64, numbers: &[f64; N]) {
        for (at, x) in numbers.iter().enumerate() {
            self.gradient[at] += slope * x;
            for (other, y) in numbers.iter().enumerate() {
                self.curvature[at][other] += bend * x * y;
            }
        }
    }
}

/// Newton's method. The first `free` weights are not regularised.
fn newton<const N: usize>(
    free: usize,
    caution: f64,
    slope: impl Fn(&[f64; N], &mut Derivatives<N>),
) -> [f32; N] {
    let mut weights = [0.0; N];
    for _ in 0..200 {
        let mut slopes = Derivatives {
            gradient: [0.0; N],
            curvature: [[0.0; N]; N],
        };
        for (at, weight) in weights.iter().enumerate() {
            let caution = if at < free { 1e-6 } else { caution };
            slopes.gradient[at] = caution * weight;
            slopes.curvature[at][at] = caution;
        }
        slope(&weights, &mut slopes);
        let step = solve(slopes.curvature, slopes.gradient);
        for (weight, step) in weights.iter_mut().zip(step) {
            // Limit steps far away from the optimum.
            *weight -= step.clamp(-0.5, 0.5);
        }
        if step.iter().all(|step| step.abs() < 1e-7) {
            break;
        }
    }
    #[expect(clippy::cast_possible_truncation, reason = "weights need no precision")]
    weights.map(|weight| weight as f32)
}

/// Gaussian elimination with pivoting.
fn solve<const N: usize>(mut matrix: [[f64; N]; N], mut right: [f64; N]) -> [f64; N] {
    for at in 0..N {
        let size = |row: &usize| matrix[*row][at].abs();
        let pivot = (at..N)
            .max_by(|a, b| size(a).total_cmp(&size(b)))
            .unwrap_or(at);
        matrix.swap(at, pivot);
        right.swap(at, pivot);
        if matrix[at][at].abs() < 1e-12 {
            continue;
        }
        for row in 0..N {
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

    fn example(coverage: f32, relevant: bool) -> FitExample {
        FitExample {
            features: Features {
                coverage,
                ..Features::default()
            },
            relevant,
            answerable: true,
        }
    }

    #[test]
    fn fit_recovers_known_probabilities() {
        // 10 % relevant at the bottom, 90 % at the top.
        let mut all = Vec::new();
        for number in 0..1000 {
            all.push(example(0.0, number % 10 == 0));
            all.push(example(1.0, number % 10 != 0));
        }
        let care = FitOptions {
            regularisation: 2.0,
            unanswerable_weight: 1.0,
        };
        let calibration = fit(&all, care);
        let score = |coverage| calibration.score(&example(coverage, true).features);
        assert!((score(0.0) - 0.1).abs() < 0.02 && (score(1.0) - 0.9).abs() < 0.02);
    }

    #[test]
    fn ranking_scores_are_log_odds() {
        // Of two texts, the one with more coverage is the answer in 80 % of the cases.
        let usual = [example(1.0, true), example(0.0, false)];
        let other = [example(1.0, false), example(0.0, true)];
        let mut all: Vec<(f64, &[FitExample])> = vec![(1.0, &usual); 4000];
        all.extend(vec![(1.0, other.as_slice()); 1000]);
        let ranker = fit_order(&all);
        let order = |coverage| ranker.order(&example(coverage, true).features);
        let times = (order(1.0) - order(0.0)).exp();
        assert!((times - 4.0).abs() < 0.1, "{times}");
    }
}
