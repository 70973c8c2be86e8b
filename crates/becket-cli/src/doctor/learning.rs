//! Checks learning: whether it is on, and what keeps it from working.

use becket::Home;
use becket_learn::{LearnStatus, status};
use becket_store::{Millis, StoreReader};

use super::{CheckStatus, Finding};
use crate::learn;
use crate::records::{format_timestamp, plural};
use crate::report::one_line;

/// Without a database, only the configuration is checked.
pub(super) fn findings(
    reader: Option<&StoreReader>,
    home: &Home,
    is_running: bool,
) -> Vec<Finding> {
    let finding = |state, message: String| Finding::new(state, "learning", message);
    let mut wanted = learn::learn_settings(home);
    // The daemon may have other environment variables than this terminal.
    if let Some(daemon_status) = is_running.then(|| learn::daemon_status(home)).flatten() {
        (wanted.problem, wanted.model) =
            (daemon_status.learning.problem, daemon_status.learning.model);
        wanted.habits.daily_tokens = daemon_status.learning.daily_tokens;
    }
    let limit = wanted.habits.daily_tokens;
    let status = match reader.map(|reader| status(reader, limit, Millis::now())) {
        None => None,
        Some(Ok(status)) => Some(status),
        Some(Err(error)) => return vec![finding(CheckStatus::Warning, error.to_string())],
    };
    let mut findings = Vec::new();
    if let Some(problem) = &wanted.problem {
        let fix = "correct `[learn]` or `[llm]` in your configuration";
        findings.push(finding(CheckStatus::Warning, one_line(problem, 300)).fix(fix));
    }
    findings.extend(status.iter().flat_map(learning_problems));
    if findings.is_empty() {
        let by = match (wanted.on, &wanted.model) {
            (false, _) => "off, as configured".to_owned(),
            (true, None) => "on, with rules only".to_owned(),
            (true, Some(model)) => format!("on, with {model}"),
        };
        let waiting = status.filter(|_| wanted.on).map(|status| {
            let waiting = plural(status.queue.waiting, "job");
            format!(", {waiting} waiting")
        });
        let message = by + &waiting.unwrap_or_default();
        findings.push(finding(CheckStatus::Ok, message));
    }
    findings
}

/// What keeps learning from working.
fn learning_problems(status: &LearnStatus) -> Vec<Finding> {
    let finding = |message: String| Finding::new(CheckStatus::Warning, "learning", message);
    let mut findings = Vec::new();
    if let Some(since) = status.paused_since {
        let message = format!("paused since {} UTC", format_timestamp(since));
        findings.push(finding(message).fix("becket learn resume"));
    }
    findings.extend(failed_jobs(status));
    if status.out_of_tokens {
        let message = format!(
            "today's token limit is reached ({} tokens, UTC); learning continues with rules only until tomorrow",
            status.spent_today.total()
        );
        let fix = "raise `daily_tokens` in `[learn]` or `[llm]`, or wait";
        findings.push(finding(message).fix(fix));
    }
    findings
}

fn failed_jobs(status: &LearnStatus) -> Option<Finding> {
    let latest = status.given_up.first()?;
    let count = status.queue.failed;
    let message = format!(
        "{} failed; latest error: {}",
        plural(count, "job"),
        one_line(latest.error.as_deref().unwrap_or("unknown"), 160)
    );
    let fix = "`becket learn status` lists them; `becket learn retry --all` retries them";
    Some(Finding::new(CheckStatus::Warning, "learning", message).fix(fix))
}
