//! Merges the outcomes of several hooks into one decision.
//!
//! | field | rule |
//! | --- | --- |
//! | verdict | the strictest |
//! | reason | the first blocker's; without one, the latest given for the winning verdict |
//! | updated input, updated output, system message, keep going | the latest given |
//! | context | all, in order, joined with a newline |
//! | suppress logging | any |

use crate::outcome::{Decision, HookRun, Verdict};

/// Merges hook runs, given in configured order.
pub fn merge(runs: Vec<HookRun>) -> Decision {
    let verdict = runs
        .iter()
        .map(|s| s.outcome.verdict)
        .max()
        .unwrap_or_default();
    let mut decision = Decision {
        verdict,
        reason: reason(&runs, verdict),
        ..Decision::default()
    };
    for one in &runs {
        let outcome = &one.outcome;
        latest(&mut decision.updated_input, outcome.updated_input.as_ref());
        latest(
            &mut decision.updated_output,
            outcome.updated_output.as_ref(),
        );
        latest(
            &mut decision.system_message,
            outcome.system_message.as_ref(),
        );
        latest(&mut decision.keep_going, outcome.keep_going.as_ref());
        decision.suppress_logging |= outcome.suppress_logging;
        if let Some(text) = &outcome.context {
            match &mut decision.context {
                Some(all) => {
                    all.push('\n');
                    all.push_str(text);
                }
                none => *none = Some(text.clone()),
            }
        }
    }
    decision.hook_runs = runs;
    decision
}

/// The names of the hooks of one stage that rewrote the input differently, if there are several.
pub fn rewrite_conflict(stage: &[HookRun]) -> Option<String> {
    let mut rewrites = stage.iter().filter_map(|s| {
        s.outcome
            .updated_input
            .as_ref()
            .map(|input| (s.hook.as_str(), input))
    });
    let (first_hook, first) = rewrites.next()?;
    let others: Vec<&str> = rewrites
        .filter(|(_, input)| *input != first)
        .map(|(hook, _)| hook)
        .collect();
    let winner = others.last()?;
    Some(format!(
        "{first_hook} and {} rewrote the same input; {winner} wins",
        others.join(", ")
    ))
}

fn latest<T: Clone>(slot: &mut Option<T>, given: Option<&T>) {
    if let Some(value) = given {
        *slot = Some(value.clone());
    }
}

fn reason(runs: &[HookRun], winner: Verdict) -> Option<String> {
    let mut winners = runs
        .iter()
        .filter(|s| s.outcome.verdict == winner)
        .filter_map(|s| s.outcome.reason.as_ref());
    let chosen = if winner.blocks() {
        winners.next()
    } else {
        winners.next_back()
    };
    chosen
        .or_else(|| runs.iter().rev().find_map(|s| s.outcome.reason.as_ref()))
        .cloned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::outcome::HookOutcome;

    fn hook_run(hook: &str, outcome: HookOutcome) -> HookRun {
        HookRun {
            hook: hook.into(),
            outcome,
            took: Duration::ZERO,
        }
    }

    fn verdict() -> impl Strategy<Value = Verdict> {
        prop::sample::select(vec![
            Verdict::NoOpinion,
            Verdict::Allow,
            Verdict::Ask,
            Verdict::Deny,
            Verdict::Halt,
        ])
    }

    fn merged(verdicts: &[Verdict]) -> Verdict {
        merge(
            verdicts
                .iter()
                .map(|v| {
                    hook_run(
                        "h",
                        HookOutcome {
                            verdict: *v,
                            ..HookOutcome::none()
                        },
                    )
                })
                .collect(),
        )
        .verdict
    }

    proptest! {
        /// Order never changes the verdict, and adding a hook never loosens it.
        #[test]
        fn merging_is_a_join(mut all in vec(verdict(), 0..6), extra in verdict()) {
            let before = merged(&all);
            all.reverse();
            prop_assert_eq!(merged(&all), before);
            all.push(extra);
            prop_assert!(merged(&all) >= before);
            prop_assert!(merged(&all) >= extra);
        }

        /// Merging in two steps gives the same verdict as in one.
        #[test]
        fn merging_is_associative(a in vec(verdict(), 0..4), b in vec(verdict(), 0..4)) {
            let whole: Vec<_> = a.iter().chain(&b).copied().collect();
            prop_assert_eq!(merged(&[merged(&a), merged(&b)]), merged(&whole));
        }
    }

    #[test]
    fn silence_is_not_consent() {
        assert_eq!(merged(&[]), Verdict::NoOpinion);
        assert_eq!(
            merged(&[Verdict::NoOpinion, Verdict::NoOpinion]),
            Verdict::NoOpinion
        );
    }

    #[test]
    fn the_blockers_reason_wins_over_a_later_allow() {
        let decision = merge(vec![
            hook_run("guard", HookOutcome::verdict(Verdict::Deny, "touches .env")),
            hook_run("lint", HookOutcome::verdict(Verdict::Allow, "fine")),
        ]);
        assert_eq!(decision.reason.as_deref(), Some("touches .env"));
    }

    #[test]
    fn texts_merge_as_the_table_says() {
        let decision = merge(vec![
            hook_run(
                "a",
                HookOutcome {
                    context: Some("one".into()),
                    system_message: Some("first".into()),
                    updated_input: Some(json!(1)),
                    updated_output: Some(json!("a")),
                    ..HookOutcome::none()
                },
            ),
            hook_run(
                "b",
                HookOutcome {
                    suppress_logging: true,
                    ..HookOutcome::none()
                },
            ),
            hook_run(
                "c",
                HookOutcome {
                    context: Some("two".into()),
                    system_message: Some("last".into()),
                    updated_input: Some(json!(2)),
                    ..HookOutcome::none()
                },
            ),
        ]);
        assert_eq!(decision.context.as_deref(), Some("one\ntwo"));
        assert_eq!(decision.system_message.as_deref(), Some("last"));
        assert_eq!(decision.updated_input, Some(json!(2)));
        assert_eq!(decision.updated_output, Some(json!("a")));
        assert!(decision.suppress_logging);
    }

    #[test]
    fn two_different_rewrites_in_one_stage_are_a_conflict_and_two_equal_ones_are_not() {
        let rewrite = |hook: &str, to: i32| {
            hook_run(
                hook,
                HookOutcome {
                    updated_input: Some(json!(to)),
                    ..HookOutcome::none()
                },
            )
        };
        assert_eq!(
            rewrite_conflict(&[rewrite("a", 1), rewrite("b", 2)]).as_deref(),
            Some("a and b rewrote the same input; b wins")
        );
        assert_eq!(rewrite_conflict(&[rewrite("a", 1), rewrite("b", 1)]), None);
        assert_eq!(rewrite_conflict(&[rewrite("a", 1)]), None);
    }
}
