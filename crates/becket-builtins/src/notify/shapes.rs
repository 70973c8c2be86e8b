//! A note as each receiver wants it.
//!
//! What a note says comes from agents and projects. Slack would turn `<!channel>` into a call to
//! everybody and Discord `@everyone` likewise; each shape keeps its receiver from doing so, and from
//! reading markup.

use becket_model::Event;
use serde_json::{Value, json};

use super::note::{Note, Standing};

/// Whose JSON it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Slack,
    Discord,
    Teams,
    Generic,
}

impl Shape {
    pub(crate) fn body(self, note: &Note, event: &Event) -> Value {
        match self {
            Self::Slack => slack(note),
            Self::Discord => discord(note),
            Self::Teams => teams(note),
            Self::Generic => generic(note, event),
        }
    }
}

fn facts(note: &Note) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("Project", note.project.clone()),
        ("Agent", note.agent.clone()),
        ("Outcome", note.standing.word().to_owned()),
    ];
    facts.extend(note.facts());
    facts
}

fn slack(note: &Note) -> Value {
    let text = |text: String| json!({ "type": "mrkdwn", "text": text, "verbatim": true });
    let plain = |text: &str| json!({ "type": "plain_text", "text": text, "emoji": false });
    let fields: Vec<Value> = facts(note)
        .into_iter()
        .map(|(label, value)| text(format!("*{label}*\n{}", mrkdwn(&value))))
        .collect();
    let mut blocks = vec![
        json!({ "type": "header", "text": plain(&note.headline) }),
        json!({ "type": "section", "fields": fields }),
    ];
    if let Some(detail) = &note.detail {
        blocks.push(json!({ "type": "section", "text": plain(detail) }));
    }
    // Shown in notifications, and where blocks are not understood.
    let summary = format!("{}: {}", mrkdwn(&note.project), mrkdwn(&note.headline));
    json!({ "text": summary, "blocks": blocks })
}

/// Slack's three characters; everything else is text to it, as long as addresses are left alone.
pub(crate) fn mrkdwn(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

fn discord(note: &Note) -> Value {
    let fields: Vec<Value> = facts(note)
        .into_iter()
        .map(|(name, value)| json!({ "name": name, "value": markdown(&value), "inline": true }))
        .collect();
    let colour = match note.standing {
        Standing::Finished | Standing::Ended | Standing::Told => 0x2e_b6_7d,
        Standing::Failed => 0xe0_1e_5a,
        Standing::Waiting => 0xec_b2_2e,
    };
    json!({
        "username": "Becket",
        "allowed_mentions": { "parse": [] },
        "embeds": [{
            "title": markdown(&note.headline),
            "description": note.detail.as_deref().map(markdown),
            "color": colour,
            "fields": fields,
        }],
    })
}

fn teams(note: &Note) -> Value {
    let rows: Vec<Value> = facts(note)
        .into_iter()
        .map(|(title, value)| json!({ "title": title, "value": markdown(&value) }))
        .collect();
    let block = |text: &str, weight: &str| json!({ "type": "TextBlock", "text": markdown(text), "weight": weight, "wrap": true });
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

/// Text in which no character means anything to a reader of Markdown.
fn markdown(text: &str) -> String {
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

fn generic(note: &Note, event: &Event) -> Value {
    let millis = note
        .turn
        .duration
        .map(|took| u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    json!({
        "schema_version": 1,
        "event": event.kind().name(),
        "agent": note.agent,
        "session_id": event.session.as_str(),
        "project": note.project,
        "headline": note.headline,
        "outcome": note.standing.word(),
        "detail": note.detail,
        "duration_ms": millis,
        "tokens": note.turn.tokens,
        "tool_calls": note.turn.tool_calls,
    })
}
