//! Whether something is learnt, and what keeps it from being.

use becket::Home;
use becket_learn::{Status, status};
use becket_store::{Millis, Reader};

use super::{Finding, State};
use crate::learn;
use crate::records::{day_and_time, of};
use crate::report::one_line;

pub(super) fn findings(reader: &Reader, home: &Home) -> Vec<Finding> {
    let finding = |state, message: String| Finding::new(state, "learning", message);
    let wanted = learn::wanted(home);
    let status = match status(reader, Millis::now()) {
        Ok(status) => status,
        Err(error) => return vec![finding(State::Warning, error.to_string())],
    };
    let mut findings = Vec::new();
    if let Some(problem) = &wanted.problem {
        let fix = "put `[learn]` or `[llm]` of your own configuration right";
        findings.push(finding(State::Warning, one_line(problem, 200)).fix(fix));
    }
    if let Some(since) = status.paused_since {
        let message = format!("paused since {} UTC", day_and_time(since));
        findings.push(finding(State::Warning, message).fix("becket learn resume"));
    }
    findings.extend(given_up(&status));
    if status.out_of_tokens {
        let message = format!(
            "{} tokens were spent today (UTC), and that is all that may be: rules learn until tomorrow",
            status.spent_today.tokens()
        );
        let fix = "raise `daily_tokens` under [learn] or [llm], or leave it at that";
        findings.push(finding(State::Warning, message).fix(fix));
    }
    if findings.is_empty() {
        let message = match (wanted.on, &wanted.model) {
            (false, _) => "off, as your configuration says".to_owned(),
            (true, None) => format!("by rules, {} waiting", of(status.queue.waiting, "job")),
            (true, Some(model)) => {
                format!("with {model}, {} waiting", of(status.queue.waiting, "job"))
            }
        };
        findings.push(finding(State::Good, message));
    }
    findings
}

fn given_up(status: &Status) -> Option<Finding> {
    let latest = status.given_up.first()?;
    let count = status.queue.failed;
    let verb = if count == 1 { "was" } else { "were" };
    let message = format!(
        "{} {verb} given up, the latest because: {}",
        of(count, "job"),
        one_line(latest.error.as_deref().unwrap_or("nobody knows why"), 160)
    );
    let fix = "`becket learn status` lists them; `becket learn retry --all` tries them again";
    Some(Finding::new(State::Warning, "learning", message).fix(fix))
}
