//! How learning is, for people to read.

use becket_daemon::learn::{Ask, Learning, Told};
use becket_store::FailedExtraction;
use serde_json::{Value, json};

use crate::records::{day_and_time, of};
use crate::report::{SCHEMA_VERSION, Style, one_line, tame};

/// So much of an error is shown.
const MOST_ERROR: usize = 160;

pub(super) fn json(told: &Told) -> Value {
    json!({ "schema_version": SCHEMA_VERSION, "retried": told.retried, "learning": told.learning })
}

pub(super) fn text(told: &Told, ask: Ask, style: Style) -> String {
    let learning = &told.learning;
    let mut out = match (ask, told.retried) {
        (Ask::Retry { .. }, Some(count)) => {
            format!("{} tried again.\n", will_be(count))
        }
        _ => String::new(),
    };
    out += &format!("{}\n", state(learning, style));
    if let Some(problem) = &learning.problem {
        out += &format!("{} {}\n", style.warn("problem"), tame(problem));
    }
    let mut row = |name: &str, value: String| {
        out += &format!("{} {}\n", style.dim(&format!("{name:<8}")), value);
    };
    row("by", by(learning));
    let queue = learning.status.queue;
    let put_off = learning.status.put_off.as_ref();
    let put_off = put_off.map(|why| format!(" ({})", tame(&one_line(why, MOST_ERROR))));
    row(
        "queue",
        format!(
            "{} waiting{}, {} running, {} done, {} given up",
            queue.waiting,
            put_off.unwrap_or_default(),
            queue.running,
            queue.done,
            queue.failed
        ),
    );
    row("tokens", tokens(learning, style));
    if let Some(embedding) = &learning.embedding {
        let wanted = embedding.wanted.as_ref().map(|wanted| {
            let (done, total) = (embedding.done, embedding.total);
            format!("; {} has made {done} of {total} vectors", tame(wanted))
        });
        let problem = embedding.problem.as_ref();
        let problem = problem.map(|why| format!(" ({})", tame(&one_line(why, MOST_ERROR))));
        row(
            "vectors",
            format!(
                "{}{}{}",
                tame(&embedding.model),
                wanted.unwrap_or_default(),
                problem.unwrap_or_default()
            ),
        );
    }
    for failed in &learning.status.given_up {
        out += &given_up(failed, style);
    }
    if !learning.status.given_up.is_empty() {
        out += "`becket learn retry ID` tries one again, `becket learn retry --all` all of them.\n";
    }
    out
}

fn will_be(count: u64) -> String {
    let verb = if count == 1 { "is" } else { "are" };
    format!("{count} {verb}")
}

fn state(learning: &Learning, style: Style) -> String {
    if !learning.on {
        return style.warn("off");
    }
    match learning.status.paused_since {
        Some(since) => {
            format!("{} since {} UTC", style.warn("paused"), day_and_time(since))
        }
        None => style.good("on"),
    }
}

fn by(learning: &Learning) -> String {
    match &learning.model {
        Some(model) => tame(model),
        None => "rules".to_owned(),
    }
}

fn tokens(learning: &Learning, style: Style) -> String {
    let spent = learning.status.spent_today;
    let limit = learning.daily_tokens.map(|limit| format!(" of {limit}"));
    let out = if learning.status.out_of_tokens {
        format!(
            "; {}",
            style.warn("spent: rules learn until tomorrow (UTC)")
        )
    } else {
        String::new()
    };
    format!(
        "{}{} today (UTC), in {}{out}",
        spent.tokens(),
        limit.unwrap_or_default(),
        of(spent.questions, "question")
    )
}

fn given_up(failed: &FailedExtraction, style: Style) -> String {
    format!(
        "{} {:>4}  session {}, tried {}: {}\n",
        style.bad("given up"),
        failed.pk,
        tame(&failed.session),
        of(u64::from(failed.attempts), "time"),
        tame(&one_line(
            failed.error.as_deref().unwrap_or("nobody knows why"),
            MOST_ERROR
        ))
    )
}
