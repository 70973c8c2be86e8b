//! `becket agents`: which agents there are, what each can express, what is installed, what was seen.

use becket_agents::install::{Scope, installer};
use becket_agents::{Adapter, Can, adapters};
use becket_spool::Spool;
use serde_json::{Value, json};

use crate::args::Here;
use crate::exit::Exit;
use crate::machine::Machine;
use crate::records;
use crate::report::{SCHEMA_VERSION, Style, print, print_json};
use crate::table::{Side, Table, cell, hanging, whole, width};

struct Row {
    adapter: &'static dyn Adapter,
    found: bool,
    user: bool,
    project: bool,
    seen: Option<String>,
}

pub(crate) fn main(here: &Here) -> anyhow::Result<Exit> {
    let machine = Machine::find(here)?;
    let seen = last_seen(&machine);
    let rows: Vec<Row> = adapters()
        .iter()
        .map(|adapter| row(*adapter, &machine, &seen))
        .collect();
    if here.json {
        let agents: Vec<Value> = rows.iter().map(Row::json).collect();
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "agents": agents }))?;
    } else {
        print(&table(&rows));
    }
    Ok(Exit::Success)
}

fn row(adapter: &'static dyn Adapter, machine: &Machine, seen: &[(String, String)]) -> Row {
    let installer = installer(adapter.id());
    let connected =
        |scope| installer.is_some_and(|installer| machine.is_connected(installer, scope));
    Row {
        adapter,
        found: installer.is_some_and(|installer| machine.has(installer)),
        user: connected(Scope::User),
        project: connected(Scope::Project),
        seen: seen
            .iter()
            .find(|(agent, _)| agent == adapter.id())
            .map(|(_, ts)| ts.clone()),
    }
}

/// The time of each agent's latest event: among those that wait in the spool, else in the database.
pub(crate) fn last_seen(machine: &Machine) -> Vec<(String, String)> {
    let waiting = Spool::open(machine.home.spool())
        .tail(500)
        .unwrap_or_default();
    let waiting = waiting.iter().rev();
    let waiting = waiting.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let reader = records::open_as_it_is(&machine.home).ok().flatten();
    let kept = reader.and_then(|reader| reader.agents().ok());
    let kept = kept.unwrap_or_default().into_iter();
    let text = |record: &Value, key: &str| record[key].as_str().unwrap_or_default().to_owned();
    let mut seen: Vec<(String, String)> = Vec::new();
    for (agent, ts) in waiting
        .map(|record| (text(&record, "agent"), text(&record, "ts")))
        .chain(kept.map(|row| (row.name, row.last_seen.to_text())))
    {
        if !agent.is_empty() && !seen.iter().any(|(known, _)| *known == agent) {
            seen.push((agent, ts));
        }
    }
    seen
}

const COLUMNS: [&str; 8] = [
    "DENY", "ASK", "ALLOW", "REWRITE", "PROMPT", "START", "AFTER", "GO ON",
];

impl Row {
    fn abilities(&self) -> [Can; 8] {
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
        let word = |can: Can| match can {
            Can::Yes => json!("yes"),
            Can::No => json!("no"),
            Can::Partly(how) => json!({ "partly": how }),
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

fn table(rows: &[Row]) -> String {
    let head = [
        ("AGENT", Side::Left),
        ("CONNECTED", Side::Left),
        ("LAST EVENT", Side::Left),
    ];
    let head: Vec<_> = head
        .into_iter()
        .chain(COLUMNS.map(|name| (name, Side::Left)))
        .collect();
    let mut table = Table::new(&head).without(&[
        "ALLOW",
        "START",
        "AFTER",
        "PROMPT",
        "GO ON",
        "LAST EVENT",
        "REWRITE",
        "ASK",
        "DENY",
    ]);
    for row in rows {
        let connected = match (row.user, row.project, row.found) {
            (true, true, _) => "twice",
            (true, false, _) => "user",
            (false, true, _) => "project",
            (false, false, true) => "no",
            (false, false, false) => "-",
        };
        let seen = row.seen.as_deref().map_or_else(
            || cell("-"),
            |ts| whole(ts.replace('T', " ").chars().take(19).collect::<String>()),
        );
        let mut cells = vec![whole(row.adapter.id()), cell(connected), seen];
        cells.extend(row.abilities().map(|can| match can {
            Can::Yes => cell("yes"),
            Can::Partly(_) => cell("partly"),
            Can::No => cell("-"),
        }));
        table.push(cells);
    }
    let style = Style::stdout();
    let about = "CONNECTED: - means the agent was not found here. PROMPT, START, AFTER: context for the model there.";
    table.render(width(), style) + &style.dim(&hanging("", about, 0))
}
