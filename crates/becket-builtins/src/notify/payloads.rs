//! The JSON payload for each receiver.
//!
//! Texts come from agents and projects. Each format is escaped, so that `<!channel>` in Slack or `@everyone` in Discord
//! notifies no one, and no markup is interpreted.

use becket_model::Event;
use serde_json::{Value, json};

use super::notification::{Notification, NotificationOutcome};

/// The receiver's JSON format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PayloadFormat {
    Slack,
    Discord,
    Teams,
    Generic,
}

impl PayloadFormat {
    pub(crate) fn body(self, note: &Notification, event: &Event) -> Value {
        match self {
            Self::Slack => slack(note),
            Self::Discord => discord(note),
            Self::Teams => teams(note),
            Self::Generic => generic(note, event),
        }
    }
}

fn facts(note: &Notification) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Project", note.project.clone()),
        ("Agent", note.agent.clone()),
        ("Outcome", note.outcome.word().to_owned()),
    ];
    facts.extend(note.facts());
    facts
}

fn slack(note: &Notification) -> Value {
    let text = |text: String| json!({ "type": "mrkdwn", "text": text, "verbatim": true });
    let plain = |text: &str| json!({ "type": "plain_text", "text": text, "emoji": false });
    let fields: Vec<Value> = facts(note)
        .into_iter()
        .map(|(label, value)| text(format!("*{label}*\n{}", escape_mrkdwn(&value))))
        .collect();
    let mut blocks = vec![
        json!({ "type": "header", "text": plain(&note.headline) }),
        json!({ "type": "section", "fields": fields }),
    ];
    if let Some(detail) = &note.detail {
        blocks.push(json!({ "type": "section", "text": plain(detail) }));
    }
    // Shown in push notifications and by clients without block support.
    let summary = format!(
        "{}: {}",
        escape_mrkdwn(&note.project),
        escape_mrkdwn(&note.headline)
    );
    json!({ "text": summary, "blocks": blocks })
}

/// Escapes Slack's three special characters. With `verbatim`, everything else is plain text.
pub(crate) fn escape_mrkdwn(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn discord(note: &Notification) -> Value {
    let fields: Vec<Value> = facts(note)
        .into_iter()
        .map(|(name, value)| json!({ "name": name, "value": escape_markdown(&value), "inline": true }))
        .collect();
    let colour = match note.outcome {
        NotificationOutcome::Finished | NotificationOutcome::Ended | NotificationOutcome::Info => {
            0x2e_b6_7d
        }
        NotificationOutcome::Failed => 0xe0_1e_5a,
        NotificationOutcome::Waiting => 0xec_b2_2e,
    };
    json!({
        "username": "Becket",
        "allowed_mentions": { "parse": [] },
        "embeds": [{
            "title": escape_markdown(&note.headline),
            "description": note.detail.as_deref().map(escape_markdown),
            "color": colour,
            "fields": fields,
        }],
    })
}

fn teams(note: &Notification) -> Value {
    let rows: Vec<Value> = facts(note)
        .into_iter()
        .map(|(title, value)| json!({ "title": title, "value": escape_markdown(&value) }))
        .collect();
    let block = |text: &str, weight: &str| json!({ "type": "TextBlock", "text": escape_markdown(text), "weight": weight, "wrap": true });
    let mut body = vec![block(&note.headline, "Bolder")];
    if let Some(detail) = &note.detail {
        body.push(block(detail, "Default"));
    }
    body.push(json!({ "type": "FactSet", "facts": rows }));
    json!({
        "type": "message",
        "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                "type": "AdaptiveCard",
                "version": "1.4",
                "body": body,
            },
        }],
    })
}

fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(
            c,
            '\\' | '*' | '_' | '~' | '|' | '[' | ']' | '(' | ')' | '<' | '>' | '#' | '`'
        ) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn generic(note: &Notification, event: &Event) -> Value {
    let millis = note
        .stats
        .duration
        .map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    json!({
        "schema_version": 1,
        "event": event.kind().name(),
        "agent": note.agent,
        "session_id": event.session.as_str(),
        "project": note.project,
        "headline": note.headline,
        "outcome": note.outcome.word(),
        "detail": note.detail,
        "duration_ms": millis,
        "tokens": note.stats.tokens,
        "tool_calls": note.stats.tool_calls,
    })
}
