//! `becket tail`: prints the latest events and follows new ones.

use std::time::Duration;

use becket::model::{Event, EventKind};
use becket_base::text::columns::ellipsize;
use becket_store::event_of_record;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr;

use crate::exit::Exit;
use crate::follow::{EventFollower, EventSelection, IdleEvents};
use crate::records::{self, ScopeArgs};
use crate::report::{SCHEMA_VERSION, Style, one_line, print_json, try_print};
use crate::table::terminal_width;

/// How often to look for new events.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Args)]
pub(crate) struct TailArgs {
    /// Number of events to show
    #[arg(short = 'n', long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(..=1000))]
    lines: u16,
    /// Follow new events until interrupted
    #[arg(short, long)]
    follow: bool,
    /// Only events of this type, in any agent's spelling
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Only events with this verdict
    #[arg(long, value_enum)]
    verdict: Option<VerdictArg>,
    #[command(flatten)]
    which: ScopeArgs,
    /// Print JSON; with --follow, JSON Lines
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum VerdictArg {
    None,
    Allow,
    Ask,
    Deny,
    Halt,
}

impl VerdictArg {
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
    let selection = EventSelection {
        scope: args.which.resolve(&home),
        kind: kind.map(|kind| kind.name().to_owned()),
        verdict: args.verdict.map(VerdictArg::word),
        idle: IdleEvents::OnlyByName,
    };
    let mut follower = EventFollower::new(&home, selection);
    let records = follower.latest(args.lines.into())?;
    if args.json && !args.follow {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "events": records }))?;
        return Ok(Exit::Success);
    }
    if records.is_empty() && args.lines > 0 && !args.follow {
        crate::report::print("Nothing recorded yet.\n");
        return Ok(Exit::Success);
    }
    let mut shown = print_records(&records, args.json);
    // The reader may close the pipe at any time.
    while args.follow && shown {
        std::thread::sleep(POLL_INTERVAL);
        shown = print_records(&follower.poll()?, args.json);
    }
    Ok(Exit::Success)
}

/// Prints records. Returns whether standard output is still open.
fn print_records(records: &[Value], as_json: bool) -> bool {
    // The terminal may be resized while following.
    let (style, max_width) = (Style::stdout(), terminal_width());
    let mut lines = records.iter().map(|record| {
        if as_json {
            format!("{record}\n")
        } else {
            render_row(record, style, max_width)
        }
    });
    lines.all(|line| try_print(&line))
}

/// One line for a record, at most `max_width` columns wide. Narrow terminals drop the event name, then the agent.
pub(crate) fn render_row(record: &Value, style: Style, max_width: usize) -> String {
    let text = |key: &str| record[key].as_str().unwrap_or_default();
    let note_row = |what: &str, rest: &str| {
        let line = format!("{}{what} {rest}", leading_columns("", "", None, max_width));
        let wide = format!("{}{rest}", leading_columns("", "", Some(what), max_width));
        let fitting = if shows_event(max_width) { wide } else { line };
        format!("{}\n", ellipsize(&fitting, max_width))
    };
    if text("kind") == "async_hook" {
        let (hook, ending) = (one_line(text("hook"), 40), one_line(text("ending"), 20));
        return note_row("async hook", &format!("{hook} {ending}"));
    }
    if text("kind") == "told" {
        let injected = one_line(&records::injected_text(text("output")), 60);
        return note_row(
            "injected",
            &format!("{} + {injected}", one_line(text("hook"), 40)),
        );
    }
    let time = text("ts").get(11..19).unwrap_or_default();
    let event = shows_event(max_width).then(|| text("event"));
    let before = leading_columns(time, text("agent"), event, max_width);
    let verdict = record["decision"]["verdict"].as_str().unwrap_or("none");
    let mut rest = summary(record);
    if rest.is_empty() && event.is_none() {
        rest = one_line(text("event"), 60);
    }
    let room = max_width.saturating_sub(before.width() + VERDICT_WIDTH);
    if room == 0 {
        return format!("{}\n", ellipsize(&before, max_width).trim_end());
    }
    let line = format!(
        "{before}{} {}",
        verdict_mark(verdict, style),
        ellipsize(&rest, room)
    );
    line.trim_end().to_owned() + "\n"
}

/// The width of a verdict and the gap after it.
const VERDICT_WIDTH: usize = 6;

/// Narrow terminals drop the event name to keep the summary.
pub(crate) fn shows_event(max_width: usize) -> bool {
    max_width >= 60
}

fn shows_agent(max_width: usize) -> bool {
    max_width >= 36
}

/// The leading columns of a line, as many as fit.
fn leading_columns(time: &str, agent: &str, event: Option<&str>, max_width: usize) -> String {
    let mut out = format!("{:8} ", one_line(time, 8));
    if shows_agent(max_width) {
        out += &format!("{:7} ", one_line(agent, 16));
    }
    if let Some(event) = event {
        out += &format!("{:18} ", one_line(event, 18));
    }
    out
}

/// A verdict, padded to five characters.
pub(crate) fn verdict_mark(verdict: &str, style: Style) -> String {
    match verdict {
        "deny" | "halt" => style.bad(&format!("{verdict:5}")),
        "ask" => style.warn("ask  "),
        "allow" => style.good("allow"),
        _ => style.dim("·    "),
    }
}

/// What the event was about and what was decided.
pub(crate) fn summary(record: &Value) -> String {
    let decision = &record["decision"];
    let mut parts = vec![one_line(&subject(record), 60)];
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

/// The complete text for searches: input, error and decision.
pub(crate) fn searchable_text(record: &Value) -> String {
    let mut all = with_tool_name(record, becket_store::describe_record_in_full(record));
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

/// The tool call, or the most descriptive text of the event.
pub(crate) fn subject(record: &Value) -> String {
    with_tool_name(record, becket_store::describe_record(record))
}

/// Adds the tool's name, if there is one.
fn with_tool_name(record: &Value, about: Option<String>) -> String {
    let about = about.unwrap_or_default();
    match event_of_record(record).as_ref().and_then(Event::call) {
        Some(call) => format!("{}: {about}", call.name),
        None => about,
    }
}
