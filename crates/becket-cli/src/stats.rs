//! `becket stats`: what was done, in numbers.

use std::time::Duration;

use becket_store::{
    Bucket, FileNumbers, HookLatency, Millis, Reader, Scope, TokenNumbers, ToolNumbers,
    VerdictNumbers,
};
use clap::Args;
use serde_json::json;

use crate::exit::Exit;
use crate::records::{self, Which};
use crate::report::{SCHEMA_VERSION, Style, print, print_json, talk};
use crate::table::{Cell, Look, Side, Table, bad_count, cell, count, looking, width};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How far back it is looked unless somebody says.
const USUAL: u32 = 30;

#[derive(Args)]
pub(crate) struct StatsArgs {
    /// How many rows of each table
    #[arg(short = 'n', long = "limit", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    #[command(flatten)]
    which: Which,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// All tables.
struct Numbers {
    days: Vec<Bucket>,
    tools: Vec<ToolNumbers>,
    verdicts: Vec<VerdictNumbers>,
    hooks: Vec<HookLatency>,
    files: Vec<FileNumbers>,
    tokens: Vec<TokenNumbers>,
}

pub(crate) fn main(args: &StatsArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let chosen = args
        .which
        .find(&home)
        .from(Millis::now().minus(USUAL * DAY));
    let Some(reader) = records::open(&home)? else {
        talk("Nothing is recorded yet.");
        return Ok(Exit::Failure);
    };
    let limit = usize::from(args.limit);
    let numbers = Numbers::of(&reader, &chosen.scope(), limit)?;
    if args.json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "days": numbers.days, "tools": numbers.tools, "verdicts": numbers.verdicts,
            "hooks": numbers.hooks, "files": numbers.files, "tokens": numbers.tokens,
        }))?;
    } else if numbers.days.is_empty() {
        talk("Nothing is on record that fits.");
    } else {
        print(&numbers.text(limit));
    }
    Ok(Exit::Success)
}

impl Numbers {
    fn of(reader: &Reader, scope: &Scope<'_>, limit: usize) -> anyhow::Result<Self> {
        Ok(Self {
            days: reader.events_over_time(scope, DAY)?,
            tools: reader.tools_by_agent(scope)?,
            verdicts: reader.verdicts_by_hook(scope)?,
            hooks: reader.hook_latency(scope)?,
            files: reader.busiest_files(scope, limit)?,
            tokens: reader.tokens(scope)?,
        })
    }

    fn text(&self, limit: usize) -> String {
        let style = Style::stdout();
        let mut out = String::new();
        let latest_days = self.days.len().saturating_sub(limit);
        let latest_days = &self.days[latest_days..];
        let tables = [
            (
                "Days",
                rows(
                    latest_days,
                    limit,
                    (&DAYS, &["PROMPTS", "FAILED", "CALLS"]),
                    day,
                ),
            ),
            (
                "Tools",
                rows(&self.tools, limit, (&TOOLS, &["MEAN MS", "FAILED"]), tool),
            ),
            (
                "What hooks said",
                rows(&self.verdicts, limit, (&VERDICTS, &["RULE"]), verdict),
            ),
            (
                "How long hooks took, in ms",
                rows(
                    &self.hooks,
                    limit,
                    (&HOOKS, &["P50", "P99", "MAX", "ERRORS"]),
                    hook,
                ),
            ),
            (
                "Files",
                rows(&self.files, limit, (&FILES, &["SESSIONS"]), file),
            ),
            (
                "Tokens",
                rows(
                    &self.tokens,
                    limit,
                    (&TOKENS, &["REASONING", "CACHED", "MODEL"]),
                    token,
                ),
            ),
        ];
        let tables = tables.into_iter();
        for (title, (table, left_out)) in tables.filter_map(|(title, t)| Some((title, t?))) {
            if !out.is_empty() {
                out.push('\n');
            }
            out += &format!("{}\n{}", style.bold(title), table.render(width(), style));
            if left_out > 0 {
                out += &style.dim(&format!("and {left_out} more\n"));
            }
        }
        out
    }
}

type Head = [(&'static str, Side)];

/// A table of the first rows, and how many were left out; `None` if there are none. On a narrow terminal the columns
/// that can be missed go.
fn rows<T>(
    all: &[T],
    limit: usize,
    (head, dispensable): (&Head, &'static [&'static str]),
    row: fn(&T) -> Vec<Cell>,
) -> Option<(Table, usize)> {
    let mut table = Table::new(head).without(dispensable);
    all.iter().take(limit).for_each(|one| table.push(row(one)));
    (!all.is_empty()).then(|| (table, all.len().saturating_sub(limit)))
}

const DAYS: [(&str, Side); 6] = [
    ("DAY", Side::Left),
    ("EVENTS", Side::Right),
    ("PROMPTS", Side::Right),
    ("CALLS", Side::Right),
    ("FAILED", Side::Right),
    ("DENIED", Side::Right),
];

fn day(day: &Bucket) -> Vec<Cell> {
    vec![
        cell(day.at.to_text().get(..10).unwrap_or_default()),
        count(day.events),
        count(day.prompts),
        count(day.tool_calls),
        bad_count(day.failures),
        bad_count(day.denied),
    ]
}

const TOOLS: [(&str, Side); 5] = [
    ("AGENT", Side::Left),
    ("TOOL", Side::Left),
    ("CALLS", Side::Right),
    ("FAILED", Side::Right),
    ("MEAN MS", Side::Right),
];

fn tool(tool: &ToolNumbers) -> Vec<Cell> {
    vec![
        cell(&tool.agent),
        cell(&tool.tool),
        count(tool.calls),
        bad_count(tool.failures),
        tool.mean_ms.map_or_else(|| looking("·", Look::Dim), cell),
    ]
}

const VERDICTS: [(&str, Side); 4] = [
    ("HOOK", Side::Left),
    ("RULE", Side::Left),
    ("SAID", Side::Left),
    ("TIMES", Side::Right),
];

fn verdict(said: &VerdictNumbers) -> Vec<Cell> {
    let look = match said.verdict.as_str() {
        "deny" | "halt" => Look::Bad,
        "ask" => Look::Warn,
        "allow" => Look::Good,
        _ => Look::Dim,
    };
    vec![
        cell(&said.hook),
        said.rule
            .as_deref()
            .map_or_else(|| looking("·", Look::Dim), cell),
        looking(&said.verdict, look),
        count(said.count),
    ]
}

const HOOKS: [(&str, Side); 7] = [
    ("HOOK", Side::Left),
    ("RUNS", Side::Right),
    ("ERRORS", Side::Right),
    ("P50", Side::Right),
    ("P95", Side::Right),
    ("P99", Side::Right),
    ("MAX", Side::Right),
];

fn hook(hook: &HookLatency) -> Vec<Cell> {
    vec![
        cell(&hook.hook),
        count(hook.runs),
        bad_count(hook.errors),
        cell(hook.p50),
        cell(hook.p95),
        cell(hook.p99),
        cell(hook.max),
    ]
}

const FILES: [(&str, Side); 4] = [
    ("FILE", Side::Left),
    ("READ", Side::Right),
    ("CHANGED", Side::Right),
    ("SESSIONS", Side::Right),
];

fn file(file: &FileNumbers) -> Vec<Cell> {
    vec![
        cell(&file.path),
        count(file.reads),
        count(file.changes),
        count(file.sessions),
    ]
}

const TOKENS: [(&str, Side); 6] = [
    ("AGENT", Side::Left),
    ("MODEL", Side::Left),
    ("IN", Side::Right),
    ("OUT", Side::Right),
    ("CACHED", Side::Right),
    ("REASONING", Side::Right),
];

fn token(tokens: &TokenNumbers) -> Vec<Cell> {
    vec![
        cell(&tokens.agent),
        tokens
            .model
            .as_deref()
            .map_or_else(|| looking("·", Look::Dim), cell),
        count(tokens.input),
        count(tokens.output),
        count(tokens.cache_read),
        count(tokens.reasoning),
    ]
}
