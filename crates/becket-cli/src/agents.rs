//! `becket agents`: lists the supported agents with connection, last event and capabilities.

use becket_agents::install::{InstallScope, installer};
use becket_agents::{Adapter, Support, adapters};
use becket_spool::Spool;
use serde_json::{Value, json};

use crate::args::ProjectArgs;
use crate::exit::Exit;
use crate::machine::Machine;
use crate::records;
use crate::report::{SCHEMA_VERSION, Style, print, print_json};
use crate::table::{Alignment, Table, cell, hanging_indent, terminal_width, uncut_cell};

struct AgentRow {
    adapter: &'static dyn Adapter,
    found: bool,
    user: bool,
    project: bool,
    seen: Option<String>,
}

pub(crate) fn main(here: &ProjectArgs) -> anyhow::Result<Exit> {
    let machine = Machine::find(here)?;
    let seen = last_seen(&machine);
    let rows: Vec<AgentRow> = adapters()
        .iter()
        .map(|adapter| row(*adapter, &machine, &seen))
        .collect();
    if here.json {
        let agents: Vec<Value> = rows.iter().map(AgentRow::json).collect();
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "agents": agents }))?;
    } else {
        print(&table(&rows));
    }
    Ok(Exit::Success)
}

fn row(adapter: &'static dyn Adapter, machine: &Machine, seen: &[(String, String)]) -> AgentRow {
    let installer = installer(adapter.id());
    let connected =
        |scope| installer.is_some_and(|installer| machine.is_connected(installer, scope));
    AgentRow {
        adapter,
        found: installer.is_some_and(|installer| machine.has_agent(installer)),
        user: connected(InstallScope::User),
        project: connected(InstallScope::Project),
        seen: seen
            .iter()
            .find(|(agent, _)| agent == adapter.id())
            .map(|(_, ts)| ts.clone()),
    }
}

/// The time of each agent's latest event, from the spool or else from the database.
pub(crate) fn last_seen(machine: &Machine) -> Vec<(String, String)> {
    let pending = Spool::open(machine.home.spool())
        .tail(500)
        .unwrap_or_default();
    let pending = pending.iter().rev();
    let pending = pending.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let reader = records::open_without_catch_up(&machine.home).ok().flatten();
    let stored = reader.and_then(|reader| reader.agents().ok());
    let stored = stored.unwrap_or_default().into_iter();
    let text = |record: &Value, key: &str| record[key].as_str().unwrap_or_default().to_owned();
    let mut seen: Vec<(String, String)> = Vec::new();
    for (agent, ts) in pending
        .map(|record| (text(&record, "agent"), text(&record, "ts")))
        .chain(stored.map(|row| (row.name, row.last_seen.to_text())))
    {
        if !agent.is_empty() && !seen.iter().any(|(known, _)| *known == agent) {
            seen.push((agent, ts));
        }
    }
    seen
}

const COLUMNS: [&str; 8] = [
    "DENY", "ASK", "ALLOW", "REWRITE", "PROMPT", "START", "AFTER", "CONTINUE",
];

impl AgentRow {
    fn capabilities(&self) -> [Support; 8] {
        let can = self.adapter.capabilities();
        [
            can.deny,
            can.ask,
            can.allow,
            can.rewrite,
            can.context_at_prompt,
            can.context_at_start,
            can.context_after_tool,
            can.keep_going,
        ]
    }

    fn json(&self) -> Value {
        let word = |can: Support| match can {
            Support::Full => json!("yes"),
            Support::Unsupported => json!("no"),
            Support::Partial(how) => json!({ "partly": how }),
        };
        let can = self.adapter.capabilities();
        json!({
            "id": self.adapter.id(), "title": self.adapter.title(), "found": self.found, "connected_for_user": self.user,
            "connected_for_project": self.project, "last_seen": self.seen,
            "can": {
                "deny": word(can.deny), "ask": word(can.ask), "allow": word(can.allow), "rewrite": word(can.rewrite),
                "block_prompt": word(can.block_prompt), "context_at_start": word(can.context_at_start),
                "context_at_prompt": word(can.context_at_prompt), "context_after_tool": word(can.context_after_tool),
                "keep_going": word(can.keep_going),
            },
        })
    }
}

fn table(rows: &[AgentRow]) -> String {
    let head = [
        ("AGENT", Alignment::Left),
        ("CONNECTED", Alignment::Left),
        ("LAST EVENT", Alignment::Left),
    ];
    let head: Vec<_> = head
        .into_iter()
        .chain(COLUMNS.map(|name| (name, Alignment::Left)))
        .collect();
    let mut table = Table::new(&head).with_optional_columns(&[
        "ALLOW",
        "START",
        "AFTER",
        "PROMPT",
        "CONTINUE",
        "LAST EVENT",
        "REWRITE",
        "ASK",
        "DENY",
    ]);
    for row in rows {
        let connected = match (row.user, row.project, row.found) {
            (true, true, _) => "both",
            (true, false, _) => "user",
            (false, true, _) => "project",
            (false, false, true) => "no",
            (false, false, false) => "-",
        };
        let seen = row.seen.as_deref().map_or_else(
            || cell("-"),
            |ts| uncut_cell(ts.replace('T', " ").chars().take(19).collect::<String>()),
        );
        let mut cells = vec![uncut_cell(row.adapter.id()), cell(connected), seen];
        cells.extend(row.capabilities().map(|can| match can {
            Support::Full => cell("yes"),
            Support::Partial(_) => cell("partly"),
            Support::Unsupported => cell("-"),
        }));
        table.push(cells);
    }
    let style = Style::stdout();
    let about = "CONNECTED: `-` means that the agent was not found. PROMPT, START, AFTER: the agent accepts injected context at a prompt, at session start, after a tool call. CONTINUE: a hook can make the agent continue at the end of a turn.";
    table.render(terminal_width(), style) + &style.dim(&hanging_indent("", about, 0))
}
