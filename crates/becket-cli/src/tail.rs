//! `becket tail`: the latest recorded events, and those that come.

use std::time::Duration;

use becket::model::{Event, EventData, EventKind};
use becket_store::event_in;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::exit::Exit;
use crate::follow::{Trail, Wanted};
use crate::records::{self, Which};
use crate::report::{SCHEMA_VERSION, Style, one_line, print_json, try_print};
use crate::subject::subject;
use crate::table::{fit, width};

/// How often it is looked whether there is more.
const LOOK: Duration = Duration::from_millis(200);

#[derive(Args)]
pub(crate) struct TailArgs {
    /// How many
    #[arg(short = 'n', long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(..=1000))]
    lines: u16,
    /// Go on with what comes, until interrupted
    #[arg(short, long)]
    follow: bool,
    /// Only this event, in any spelling
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Only what was decided so
    #[arg(long, value_enum)]
    verdict: Option<Verdict>,
    #[command(flatten)]
    which: Which,
    /// Print JSON; with --follow, one object a line
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Verdict {
    None,
    Allow,
    Ask,
    Deny,
    Halt,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
            Self::Halt => "halt",
        }
    }
}

pub(crate) fn main(args: &TailArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let kind = args.event.as_deref().map(EventKind::parse);
    let wanted = Wanted {
        chosen: args.which.find(&home),
        kind: kind.map(|kind| kind.name().to_owned()),
        verdict: args.verdict.map(Verdict::word),
    };
    let mut trail = Trail::new(&home, wanted);
    let records = trail.latest(args.lines.into())?;
    if args.json && !args.follow {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "events": records }))?;
        return Ok(Exit::Success);
    }
    if records.is_empty() && !args.follow {
        crate::report::print("Nothing is recorded yet.\n");
        return Ok(Exit::Success);
    }
    let mut shown = show(&records, args.json);
    // Who reads it may go at any time.
    while args.follow && shown {
        std::thread::sleep(LOOK);
        shown = show(&trail.new_ones()?, args.json);
    }
    Ok(Exit::Success)
}

/// Prints records; whether somebody still reads.
fn show(records: &[Value], as_json: bool) -> bool {
    // Asked again each time: a terminal may be resized while it is followed.
    let (style, most) = (Style::stdout(), width());
    let mut lines = records.iter().map(|record| {
        if as_json {
            format!("{record}\n")
        } else {
            row(record, style, most)
        }
    });
    lines.all(|line| try_print(&line))
}

/// One line about a record, no wider than `most`.
pub(crate) fn row(record: &Value, style: Style, most: usize) -> String {
    let text = |key: &str| record[key].as_str().unwrap_or_default();
    let time = text("ts").get(11..19).unwrap_or_default();
    if text("kind") == "async_hook" {
        let line = format!(
            "{:16} {:18} {} {}",
            "",
            "async hook",
            one_line(text("hook"), 40),
            one_line(text("ending"), 20)
        );
        return fit(&line, most) + "\n";
    }
    if text("kind") == "told" {
        let told = one_line(&records::told(text("output")), 60);
        let hook = one_line(text("hook"), 40);
        return fit(&format!("{:16} {:18} {hook} + {told}", "", "told"), most) + "\n";
    }
    let verdict = record["decision"]["verdict"].as_str().unwrap_or("none");
    let before = format!(
        "{:8} {:7} {:18} ",
        one_line(time, 8),
        one_line(text("agent"), 16),
        one_line(text("event"), 18),
    );
    let room = most.saturating_sub(before.width());
    if room < 8 {
        return fit(&before, most).trim_end().to_owned() + "\n";
    }
    let rest = fit(&about(record), room - 6);
    let line = format!("{before}{} {rest}", marked(verdict, style));
    line.trim_end().to_owned() + "\n"
}

/// A verdict as a word of five letters.
pub(crate) fn marked(verdict: &str, style: Style) -> String {
    match verdict {
        "deny" | "halt" => style.bad(&format!("{verdict:5}")),
        "ask" => style.warn("ask  "),
        "allow" => style.good("allow"),
        _ => style.dim("·    "),
    }
}

/// What the event was about, and what came of it.
pub(crate) fn about(record: &Value) -> String {
    let decision = &record["decision"];
    let mut parts = vec![one_line(&what(record), 60)];
    if let Some(error) = record["error"].as_str() {
        parts.push(one_line(error, 80));
    }
    if let Some(reason) = decision["reason"].as_str() {
        parts.push(format!("({})", one_line(reason, 80)));
    }
    if let Some(input) = decision.get("updated_input") {
        parts.push(format!("→ {}", one_line(&input.to_string(), 80)));
    }
    if let Some(context) = decision["context"].as_str() {
        parts.push(format!("+ {}", one_line(context, 60)));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

/// The call, or the most telling text of the event.
pub(crate) fn what(record: &Value) -> String {
    let payload = &record["payload"];
    let found = subject(&payload["tool_input"], payload);
    match (payload["tool_name"].as_str(), found) {
        (Some(tool), found) => format!("{tool}: {}", found.unwrap_or_default()),
        (None, Some(found)) => found.to_owned(),
        // Agents with words of their own are understood by their adapters.
        (None, None) => event_in(record)
            .and_then(|event| told(&event))
            .unwrap_or_default(),
    }
}

fn told(event: &Event) -> Option<String> {
    if let Some(call) = event.call() {
        let found = subject(&call.input, &Value::Null).unwrap_or_default();
        return Some(format!("{}: {found}", call.name));
    }
    match &event.data {
        EventData::UserPromptSubmit { prompt } => Some(prompt.clone()),
        EventData::Stop { last_message, .. } => last_message.clone(),
        _ => event.subject().map(str::to_owned),
    }
}
