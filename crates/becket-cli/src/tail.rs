//! `becket tail`: the latest recorded events, and those that come.

use std::time::Duration;

use becket::model::{Event, EventKind};
use becket_store::event_in;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::exit::Exit;
use crate::follow::{Idle, Trail, Wanted};
use crate::records::{self, Which};
use crate::report::{SCHEMA_VERSION, Style, one_line, print_json, try_print};
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
        idle: Idle::OnlyByName,
    };
    let mut trail = Trail::new(&home, wanted);
    let records = trail.latest(args.lines.into())?;
    if args.json && !args.follow {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "events": records }))?;
        return Ok(Exit::Success);
    }
    if records.is_empty() && args.lines > 0 && !args.follow {
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

/// One line about a record, no wider than `most`. On a narrow terminal what an event is called goes first, then whose it is.
pub(crate) fn row(record: &Value, style: Style, most: usize) -> String {
    let text = |key: &str| record[key].as_str().unwrap_or_default();
    let beside = |what: &str, rest: &str| {
        let line = format!("{}{what} {rest}", lead("", "", None, most));
        let wide = format!("{}{rest}", lead("", "", Some(what), most));
        fit(if has_event(most) { &wide } else { &line }, most) + "\n"
    };
    if text("kind") == "async_hook" {
        let (hook, ending) = (one_line(text("hook"), 40), one_line(text("ending"), 20));
        return beside("async hook", &format!("{hook} {ending}"));
    }
    if text("kind") == "told" {
        let told = one_line(&records::told(text("output")), 60);
        return beside("told", &format!("{} + {told}", one_line(text("hook"), 40)));
    }
    let time = text("ts").get(11..19).unwrap_or_default();
    let event = has_event(most).then(|| text("event"));
    let before = lead(time, text("agent"), event, most);
    let verdict = record["decision"]["verdict"].as_str().unwrap_or("none");
    let mut rest = about(record);
    if rest.is_empty() && event.is_none() {
        rest = one_line(text("event"), 60);
    }
    let room = most.saturating_sub(before.width() + MARK);
    if room == 0 {
        return fit(&before, most).trim_end().to_owned() + "\n";
    }
    let line = format!("{before}{} {}", marked(verdict, style), fit(&rest, room));
    line.trim_end().to_owned() + "\n"
}

/// A verdict, and the gap behind it.
const MARK: usize = 6;

/// What an event was about matters more than what it is called.
pub(crate) fn has_event(most: usize) -> bool {
    most >= 60
}

fn has_agent(most: usize) -> bool {
    most >= 36
}

/// The columns that every line begins with, as many as there is room for.
fn lead(time: &str, agent: &str, event: Option<&str>, most: usize) -> String {
    let mut out = format!("{:8} ", one_line(time, 8));
    if has_agent(most) {
        out += &format!("{:7} ", one_line(agent, 16));
    }
    if let Some(event) = event {
        out += &format!("{:18} ", one_line(event, 18));
    }
    out
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

/// All that can be searched: what was asked, given and decided, uncut.
pub(crate) fn everything(record: &Value) -> String {
    let mut all = named(record, becket_store::about_in_full(record));
    let decision = &record["decision"];
    for value in [
        &record["payload"]["tool_input"],
        &record["error"],
        &decision["reason"],
        &decision["updated_input"],
        &decision["context"],
    ] {
        match value {
            Value::Null => {}
            Value::String(text) => all += &format!(" {text}"),
            other => all += &format!(" {other}"),
        }
    }
    all
}

/// The call, or the most telling text of the event.
pub(crate) fn what(record: &Value) -> String {
    named(record, becket_store::about(record))
}

/// With the name of the tool, where there is one.
fn named(record: &Value, about: Option<String>) -> String {
    let about = about.unwrap_or_default();
    match event_in(record).as_ref().and_then(Event::call) {
        Some(call) => format!("{}: {about}", call.name),
        None => about,
    }
}
