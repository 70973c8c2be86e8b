//! Whether something is learnt, and what keeps it from being.

use becket::Home;
use becket_learn::{Status, status};
use becket_store::{Millis, Reader};

use super::{Finding, State};
use crate::learn;
use crate::records::{day_and_time, of};
use crate::report::one_line;

/// What is said of learning; without a database, only what is wanted of it.
pub(super) fn findings(reader: Option<&Reader>, home: &Home, is_running: bool) -> Vec<Finding> {
    let finding = |state, message: String| Finding::new(state, "learning", message);
    let mut wanted = learn::wanted(home);
    // A daemon may not see what this terminal does.
    if let Some(told) = is_running.then(|| learn::status_of_daemon(home)).flatten() {
        (wanted.problem, wanted.model) = (told.learning.problem, told.learning.model);
        wanted.habits.daily_tokens = told.learning.daily_tokens;
    }
    let limit = wanted.habits.daily_tokens;
    let status = match reader.map(|reader| status(reader, limit, Millis::now())) {
        None => None,
        Some(Ok(status)) => Some(status),
        Some(Err(error)) => return vec![finding(State::Warning, error.to_string())],
    };
    let mut findings = Vec::new();
    if let Some(problem) = &wanted.problem {
        let fix = "put `[learn]` or `[llm]` of your own configuration right";
        findings.push(finding(State::Warning, one_line(problem, 300)).fix(fix));
    }
    findings.extend(status.iter().flat_map(kept_from));
    if findings.is_empty() {
        let by = match (wanted.on, &wanted.model) {
            (false, _) => "off, as your configuration says".to_owned(),
            (true, None) => "by rules".to_owned(),
            (true, Some(model)) => format!("with {model}"),
        };
        let waiting = status.filter(|_| wanted.on).map(|status| {
            let waiting = of(status.queue.waiting, "job");
            format!(", {waiting} waiting")
        });
        let message = by + &waiting.unwrap_or_default();
        findings.push(finding(State::Good, message));
    }
    findings
}

/// What keeps it from learning, or from learning all of it.
fn kept_from(status: &Status) -> Vec<Finding> {
    let finding = |message: String| Finding::new(State::Warning, "learning", message);
    let mut findings = Vec::new();
    if let Some(since) = status.paused_since {
        let message = format!("paused since {} UTC", day_and_time(since));
        findings.push(finding(message).fix("becket learn resume"));
    }
    findings.extend(given_up(status));
    if status.out_of_tokens {
        let message = format!(
            "{} tokens were spent today (UTC), and that is all that may be: rules learn until tomorrow",
            status.spent_today.tokens()
        );
        let fix = "raise `daily_tokens` under [learn] or [llm], or leave it at that";
        findings.push(finding(message).fix(fix));
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
