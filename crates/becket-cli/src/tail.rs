//! `becket tail`: the latest recorded events, and those that come.
//!
//! An event is in the spool until a daemon takes it into the database. Both are looked at, so that it makes no
//! difference whether one runs, comes or goes.

use std::collections::{HashSet, VecDeque};
use std::time::Duration;

use becket::Home;
use becket::model::EventKind;
use becket_spool::Spool;
use becket_store::{EventFilter, Reader};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::records::{self, Chosen, Which};
use crate::report::{SCHEMA_VERSION, Style, one_line, print_json, try_print};
use crate::subject::subject;

/// How often it is looked whether there is more.
const LOOK: Duration = Duration::from_millis(200);
/// Events that are remembered, so that none is shown twice on its way from the spool to the database.
const REMEMBERED: usize = 20_000;
/// Rows that are read from the database at once.
const AT_ONCE: usize = 500;

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
    let mut trail = Trail::new(&home, args);
    let records = trail.latest(args.lines.into())?;
    if args.json && !args.follow {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "events": records }))?;
        return Ok(Exit::Success);
    }
    if records.is_empty() && !args.follow {
        crate::report::print("Nothing is recorded yet.\n");
        return Ok(Exit::Success);
    }
    let style = Style::stdout();
    let mut shown = show(&records, args.json, style);
    // Who reads it may go at any time.
    while args.follow && shown {
        std::thread::sleep(LOOK);
        shown = show(&trail.new_ones()?, args.json, style);
    }
    Ok(Exit::Success)
}

/// Prints records; whether somebody still reads.
fn show(records: &[Value], as_json: bool, style: Style) -> bool {
    let mut lines = records.iter().map(|record| {
        if as_json {
            format!("{record}\n")
        } else {
            row(record, style)
        }
    });
    lines.all(|line| try_print(&line))
}

/// The spool and the database as one.
struct Trail {
    home: Home,
    spool: Spool,
    spool_bytes: Option<u64>,
    reader: Option<Reader>,
    chosen: Chosen,
    kind: Option<String>,
    verdict: Option<&'static str>,
    seen: Seen,
    /// How far the database was read.
    cursor: i64,
}

impl Trail {
    fn new(home: &Home, args: &TailArgs) -> Self {
        let kind = args.event.as_deref().map(EventKind::parse);
        Self {
            home: home.clone(),
            spool: Spool::open(home.spool()),
            spool_bytes: None,
            reader: None,
            chosen: args.which.find(home),
            kind: kind.map(|kind| kind.name().to_owned()),
            verdict: args.verdict.map(Verdict::word),
            seen: Seen::default(),
            cursor: 0,
        }
    }

    /// The latest, oldest first.
    fn latest(&mut self, most: usize) -> anyhow::Result<Vec<Value>> {
        // The spool first: what moves meanwhile is found in the database.
        let waiting = self.spool.tail(REMEMBERED.max(most))?;
        let mut records = Vec::new();
        self.find_database()?;
        if let Some(reader) = &self.reader {
            let cursor = reader.last_seq()?;
            if most > 0 {
                let kept = reader.latest_events(&self.filter(most))?;
                records.extend(
                    kept.iter()
                        .filter_map(|event| read(event.record.as_bytes())),
                );
            }
            self.cursor = cursor;
        }
        for record in &records {
            self.seen.is_new(record);
        }
        records.extend(self.fresh(&waiting));
        records.drain(..records.len().saturating_sub(most));
        Ok(records)
    }

    /// What has come since.
    fn new_ones(&mut self) -> anyhow::Result<Vec<Value>> {
        let waiting = self.waiting()?;
        let mut records = self.kept()?;
        records.extend(self.fresh(&waiting));
        Ok(records)
    }

    /// What was taken into the database, and not seen in the spool before.
    fn kept(&mut self) -> anyhow::Result<Vec<Value>> {
        let mut records = Vec::new();
        self.find_database()?;
        loop {
            let from = self.cursor;
            let Some(reader) = &self.reader else {
                return Ok(records);
            };
            let latest = reader.last_seq()?;
            let events = reader.events_after(from, &self.filter(AT_ONCE))?;
            let more = events.len() == AT_ONCE;
            let last = events.last().map_or(from, |event| event.seq);
            self.cursor = if more { last } else { last.max(latest) };
            let read = events
                .iter()
                .filter_map(|event| read(event.record.as_bytes()));
            let seen = &mut self.seen;
            records.extend(read.filter(|record| seen.is_new(record)));
            if !more {
                return Ok(records);
            }
        }
    }

    /// The lines of the spool, if there may be new ones.
    fn waiting(&mut self) -> anyhow::Result<Vec<Vec<u8>>> {
        let bytes = self.spool.status()?.bytes;
        if self.spool_bytes.replace(bytes) == Some(bytes) {
            return Ok(Vec::new());
        }
        let mut most = 64;
        loop {
            let lines = self.spool.tail(most)?;
            let first = lines.first().and_then(|line| read(line));
            let reaches_back = first.is_none_or(|first| self.seen.knows(&first));
            if reaches_back || lines.len() < most || most >= REMEMBERED {
                return Ok(lines);
            }
            most *= 4;
        }
    }

    /// Those of these lines that are asked for and were not seen.
    fn fresh(&mut self, lines: &[Vec<u8>]) -> Vec<Value> {
        let all = lines.iter().filter_map(|line| read(line));
        let mut new: Vec<Value> = all.filter(|record| self.seen.is_new(record)).collect();
        new.retain(|record| self.wants(record));
        new
    }

    fn wants(&self, record: &Value) -> bool {
        let is = |value: &Value, wanted: Option<&str>| wanted.is_none_or(|wanted| value == wanted);
        let scope = self.chosen.scope();
        let verdict = record["decision"]["verdict"].as_str().unwrap_or("none");
        let at = record["ts"].as_str().and_then(becket_store::Millis::parse);
        is(&record["agent"], scope.agent)
            && is(&record["project"], scope.project)
            && is(&record["event"], self.kind.as_deref())
            && self.verdict.is_none_or(|wanted| wanted == verdict)
            && scope.since.is_none_or(|since| at >= Some(since))
            && scope.until.is_none_or(|until| at < Some(until))
    }

    fn filter(&self, limit: usize) -> EventFilter<'_> {
        EventFilter {
            scope: self.chosen.scope(),
            session: None,
            kind: self.kind.as_deref(),
            verdict: self.verdict,
            limit,
        }
    }

    /// Opens the database as soon as there is one.
    fn find_database(&mut self) -> anyhow::Result<()> {
        if self.reader.is_none() {
            self.reader = records::open_as_it_is(&self.home)?;
        }
        Ok(())
    }
}

fn read(line: &[u8]) -> Option<Value> {
    serde_json::from_slice(line).ok()
}

/// The ids of the latest records.
#[derive(Default)]
struct Seen {
    ids: HashSet<String>,
    order: VecDeque<String>,
}

impl Seen {
    fn knows(&self, record: &Value) -> bool {
        record["id"]
            .as_str()
            .is_some_and(|id| self.ids.contains(id))
    }

    /// Remembers a record; whether it was unknown. One without an id cannot be known.
    fn is_new(&mut self, record: &Value) -> bool {
        let Some(id) = record["id"].as_str() else {
            return true;
        };
        if !self.ids.insert(id.to_owned()) {
            return false;
        }
        self.order.push_back(id.to_owned());
        if self.order.len() > 2 * REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.ids.remove(&oldest);
        }
        true
    }
}

fn row(record: &Value, style: Style) -> String {
    let text = |key: &str| record[key].as_str().unwrap_or_default();
    let time = text("ts").get(11..19).unwrap_or_default();
    if text("kind") == "async_hook" {
        return format!(
            "{:8} {:7} {:18} {} {}\n",
            "",
            "",
            "async hook",
            one_line(text("hook"), 40),
            one_line(text("ending"), 20)
        );
    }
    if text("kind") == "told" {
        let told = one_line(&records::told(text("output")), 60);
        return format!(
            "{:8} {:7} {:18} {} + {told}\n",
            "",
            "",
            "told",
            one_line(text("hook"), 40)
        );
    }
    let decision = &record["decision"];
    let verdict = decision["verdict"].as_str().unwrap_or("none");
    let shown = match verdict {
        "deny" | "halt" => style.bad(&format!("{verdict:5}")),
        "ask" => style.warn("ask  "),
        "allow" => style.good("allow"),
        _ => style.dim("·    "),
    };
    format!(
        "{:8} {:7} {:18} {shown} {}\n",
        one_line(time, 8),
        one_line(text("agent"), 16),
        one_line(text("event"), 18),
        about(record)
    )
}

/// What the event was about, and what came of it.
fn about(record: &Value) -> String {
    let (payload, decision) = (&record["payload"], &record["decision"]);
    let tool = payload["tool_name"]
        .as_str()
        .map(|tool| format!("{tool}: "))
        .unwrap_or_default();
    let subject = subject(&payload["tool_input"], payload);
    let mut parts = vec![one_line(
        &format!("{tool}{}", subject.unwrap_or_default()),
        60,
    )];
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
