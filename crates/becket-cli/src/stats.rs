//! `becket stats`: prints statistics of the recorded events.

use std::time::Duration;

use becket_store::{
    FileNumbers, HookLatency, Millis, QueryScope, StoreReader, TimeBucket, TokenNumbers,
    ToolNumbers, VerdictNumbers,
};
use clap::Args;
use serde_json::json;

use crate::exit::Exit;
use crate::records::{self, ScopeArgs};
use crate::report::{SCHEMA_VERSION, Style, print, print_json, print_message};
use crate::table::{
    Alignment, Cell, CellStyle, Table, bad_count, cell, count, styled_cell, terminal_width,
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How many days are covered by default.
const DEFAULT_DAYS: u32 = 30;

#[derive(Args)]
pub(crate) struct StatsArgs {
    /// Maximum number of rows per table
    #[arg(short = 'n', long = "limit", default_value_t = 10, value_parser = clap::value_parser!(u16).range(1..=1000))]
    limit: u16,
    #[command(flatten)]
    which: ScopeArgs,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The data of all tables.
struct Statistics {
    days: Vec<TimeBucket>,
    tools: Vec<ToolNumbers>,
    verdicts: Vec<VerdictNumbers>,
    hooks: Vec<HookLatency>,
    files: Vec<FileNumbers>,
    tokens: Vec<TokenNumbers>,
}

pub(crate) fn main(args: &StatsArgs) -> anyhow::Result<Exit> {
    let home = records::home();
    let scope = args
        .which
        .resolve(&home)
        .with_default_since(Millis::now().minus(DEFAULT_DAYS * DAY));
    let Some(reader) = records::open(&home)? else {
        print_message("Nothing recorded yet.");
        return Ok(Exit::Failure);
    };
    let limit = usize::from(args.limit);
    let statistics = Statistics::load(&reader, &scope.as_query(), limit)?;
    if args.json {
        print_json(&json!({
            "schema_version": SCHEMA_VERSION, "days": statistics.days, "tools": statistics.tools, "verdicts": statistics.verdicts,
            "hooks": statistics.hooks, "files": statistics.files, "tokens": statistics.tokens,
        }))?;
    } else if statistics.days.is_empty() {
        print_message("No matching events.");
    } else {
        print(&statistics.text(limit));
    }
    Ok(Exit::Success)
}

impl Statistics {
    fn load(reader: &StoreReader, scope: &QueryScope<'_>, limit: usize) -> anyhow::Result<Self> {
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
                table_of(
                    latest_days,
                    limit,
                    (&DAY_COLUMNS, &["PROMPTS", "FAILED", "TOOL CALLS"]),
                    day,
                ),
            ),
            (
                "Tools",
                table_of(
                    &self.tools,
                    limit,
                    (&TOOL_COLUMNS, &["MEAN MS", "FAILED"]),
                    tool,
                ),
            ),
            (
                "Hook verdicts",
                table_of(
                    &self.verdicts,
                    limit,
                    (&VERDICT_COLUMNS, &["RULE"]),
                    verdict,
                ),
            ),
            (
                "Hook times (ms)",
                table_of(
                    &self.hooks,
                    limit,
                    (&HOOK_COLUMNS, &["P50", "P99", "MAX", "ERRORS"]),
                    hook,
                ),
            ),
            (
                "Files",
                table_of(&self.files, limit, (&FILE_COLUMNS, &["SESSIONS"]), file),
            ),
            (
                "Tokens",
                table_of(
                    &self.tokens,
                    limit,
                    (&TOKEN_COLUMNS, &["REASONING", "CACHED", "MODEL"]),
                    token,
                ),
            ),
        ];
        let tables = tables.into_iter();
        for (title, (table, left_out)) in tables.filter_map(|(title, t)| Some((title, t?))) {
            if !out.is_empty() {
                out.push('\n');
            }
            out += &format!(
                "{}\n{}",
                style.bold(title),
                table.render(terminal_width(), style)
            );
            if left_out > 0 {
                out += &style.dim(&format!("and {left_out} more\n"));
            }
        }
        out
    }
}

type TableHead = [(&'static str, Alignment)];

/// A table of the first rows, and how many were left out; `None` without rows. Narrow terminals drop the optional
/// columns.
fn table_of<T>(
    all: &[T],
    limit: usize,
    (head, optional): (&TableHead, &'static [&'static str]),
    row: fn(&T) -> Vec<Cell>,
) -> Option<(Table, usize)> {
    let mut table = Table::new(head).with_optional_columns(optional);
    all.iter().take(limit).for_each(|one| table.push(row(one)));
    (!all.is_empty()).then(|| (table, all.len().saturating_sub(limit)))
}

const DAY_COLUMNS: [(&str, Alignment); 6] = [
    ("DAY", Alignment::Left),
    ("EVENTS", Alignment::Right),
    ("PROMPTS", Alignment::Right),
    ("TOOL CALLS", Alignment::Right),
    ("FAILED", Alignment::Right),
    ("BLOCKED", Alignment::Right),
];

fn day(day: &TimeBucket) -> Vec<Cell> {
    vec![
        cell(day.at.to_text().get(..10).unwrap_or_default()),
        count(day.events),
        count(day.prompts),
        count(day.tool_calls),
        bad_count(day.failures),
        bad_count(day.denied),
    ]
}

const TOOL_COLUMNS: [(&str, Alignment); 5] = [
    ("AGENT", Alignment::Left),
    ("TOOL", Alignment::Left),
    ("TOOL CALLS", Alignment::Right),
    ("FAILED", Alignment::Right),
    ("MEAN MS", Alignment::Right),
];

fn tool(tool: &ToolNumbers) -> Vec<Cell> {
    vec![
        cell(&tool.agent),
        cell(&tool.tool),
        count(tool.calls),
        bad_count(tool.failures),
        tool.mean_ms
            .map_or_else(|| styled_cell("·", CellStyle::Dim), cell),
    ]
}

const VERDICT_COLUMNS: [(&str, Alignment); 4] = [
    ("HOOK", Alignment::Left),
    ("RULE", Alignment::Left),
    ("VERDICT", Alignment::Left),
    ("TIMES", Alignment::Right),
];

fn verdict(numbers: &VerdictNumbers) -> Vec<Cell> {
    let look = match numbers.verdict.as_str() {
        "deny" | "halt" => CellStyle::Bad,
        "ask" => CellStyle::Warn,
        "allow" => CellStyle::Good,
        _ => CellStyle::Dim,
    };
    vec![
        cell(&numbers.hook),
        numbers
            .rule
            .as_deref()
            .map_or_else(|| styled_cell("·", CellStyle::Dim), cell),
        styled_cell(&numbers.verdict, look),
        count(numbers.count),
    ]
}

const HOOK_COLUMNS: [(&str, Alignment); 7] = [
    ("HOOK", Alignment::Left),
    ("RUNS", Alignment::Right),
    ("ERRORS", Alignment::Right),
    ("P50", Alignment::Right),
    ("P95", Alignment::Right),
    ("P99", Alignment::Right),
    ("MAX", Alignment::Right),
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

const FILE_COLUMNS: [(&str, Alignment); 4] = [
    ("FILE", Alignment::Left),
    ("READ", Alignment::Right),
    ("CHANGED", Alignment::Right),
    ("SESSIONS", Alignment::Right),
];

fn file(file: &FileNumbers) -> Vec<Cell> {
    vec![
        cell(&file.path),
        count(file.reads),
        count(file.changes),
        count(file.sessions),
    ]
}

const TOKEN_COLUMNS: [(&str, Alignment); 6] = [
    ("AGENT", Alignment::Left),
    ("MODEL", Alignment::Left),
    ("IN", Alignment::Right),
    ("OUT", Alignment::Right),
    ("CACHED", Alignment::Right),
    ("REASONING", Alignment::Right),
];

fn token(tokens: &TokenNumbers) -> Vec<Cell> {
    vec![
        cell(&tokens.agent),
        tokens
            .model
            .as_deref()
            .map_or_else(|| styled_cell("·", CellStyle::Dim), cell),
        count(tokens.input),
        count(tokens.output),
        count(tokens.cache_read),
        count(tokens.reasoning),
    ]
}
