//! Renders the learning status as text and JSON.

use becket_daemon::learn::{LearningRequest, LearningResponse, LearningStatus};
use becket_store::FailedExtraction;
use serde_json::{Value, json};

use crate::records::{format_timestamp, plural};
use crate::report::{SCHEMA_VERSION, Style, one_line, sanitize};

/// How much of an error message is shown.
const MAX_ERROR_CHARS: usize = 160;

pub(super) fn json(response: &LearningResponse) -> Value {
    json!({ "schema_version": SCHEMA_VERSION, "retried": response.retried, "learning": response.learning })
}

pub(super) fn text(response: &LearningResponse, ask: LearningRequest, style: Style) -> String {
    let learning = &response.learning;
    let mut out = match (ask, response.retried) {
        (LearningRequest::Retry { .. }, Some(count)) => {
            format!("Queued {} for retry.\n", plural(count, "job"))
        }
        _ => String::new(),
    };
    out += &format!("{}\n", state_text(learning, style));
    if let Some(problem) = &learning.problem {
        out += &format!("{} {}\n", style.warn("problem"), sanitize(problem));
    }
    let mut row = |name: &str, value: String| {
        out += &format!("{} {}\n", style.dim(&format!("{name:<9}")), value);
    };
    row("model", learner(learning));
    let queue = learning.status.queue;
    let put_off = learning.status.put_off.as_ref();
    let put_off = put_off.map(|why| format!(" ({})", sanitize(&one_line(why, MAX_ERROR_CHARS))));
    row(
        "queue",
        format!(
            "{} waiting{}, {} running, {} done, {} failed",
            queue.waiting,
            put_off.unwrap_or_default(),
            queue.running,
            queue.done,
            queue.failed
        ),
    );
    row("tokens", token_text(learning, style));
    if let Some(embedding) = &learning.embedding {
        let wanted = embedding.wanted.as_ref().map(|wanted| {
            let (done, total) = (embedding.done, embedding.total);
            format!("; {}: {done} of {total} embedded", sanitize(wanted))
        });
        let problem = embedding.problem.as_ref();
        let problem =
            problem.map(|why| format!(" ({})", sanitize(&one_line(why, MAX_ERROR_CHARS))));
        row(
            "embedding",
            format!(
                "{}{}{}",
                sanitize(&embedding.model),
                wanted.unwrap_or_default(),
                problem.unwrap_or_default()
            ),
        );
    }
    for failed in &learning.status.given_up {
        out += &failed_line(failed, style);
    }
    if !learning.status.given_up.is_empty() {
        out += "Retry one with `becket learn retry ID`, all with `becket learn retry --all`.\n";
    }
    out
}

fn state_text(learning: &LearningStatus, style: Style) -> String {
    if !learning.on {
        return style.warn("off");
    }
    match learning.status.paused_since {
        Some(since) => {
            format!(
                "{} since {} UTC",
                style.warn("paused"),
                format_timestamp(since)
            )
        }
        None => style.good("on"),
    }
}

fn learner(learning: &LearningStatus) -> String {
    match &learning.model {
        Some(model) => sanitize(model),
        None => "none (rules only)".to_owned(),
    }
}

fn token_text(learning: &LearningStatus, style: Style) -> String {
    let spent = learning.status.spent_today;
    let limit = learning.daily_tokens.map(|limit| format!(" of {limit}"));
    let out = if learning.status.out_of_tokens {
        format!(
            "; {}",
            style.warn("limit reached: rules only until tomorrow (UTC)")
        )
    } else {
        String::new()
    };
    format!(
        "{}{} today (UTC), in {}{out}",
        spent.total(),
        limit.unwrap_or_default(),
        plural(spent.questions, "request")
    )
}

fn failed_line(failed: &FailedExtraction, style: Style) -> String {
    format!(
        "{} {:>4}  session {}, {}: {}\n",
        style.bad("failed"),
        failed.pk,
        sanitize(&failed.session),
        plural(u64::from(failed.attempts), "attempt"),
        sanitize(&one_line(
            failed.error.as_deref().unwrap_or("unknown error"),
            MAX_ERROR_CHARS
        ))
    )
}
