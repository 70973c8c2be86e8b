//! `becket tail`: the latest recorded events.

use becket_spool::Spool;
use serde_json::{Value, json};

use crate::args::Here;
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, Style, one_line, print, print_json};

pub(crate) fn main(lines: usize, here: &Here) -> anyhow::Result<Exit> {
    let (home, _) = here.find()?;
    let records: Vec<Value> = Spool::open(home.spool())
        .tail(lines)?
        .iter()
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect();
    if here.json {
        print_json(&json!({ "schema_version": SCHEMA_VERSION, "events": records }))?;
    } else if records.is_empty() {
        print("Nothing is recorded yet.\n");
    } else {
        let style = Style::stdout();
        for record in &records {
            print(&row(record, style));
        }
    }
    Ok(Exit::Success)
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
            text("ending")
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
        "{time:8} {:7} {:18} {shown} {}\n",
        text("agent"),
        one_line(text("event"), 18),
        about(record)
    )
}

/// What the event was about, and what came of it.
fn about(record: &Value) -> String {
    let (payload, decision) = (&record["payload"], &record["decision"]);
    let input = &payload["tool_input"];
    let first = |keys: &[&str]| {
        keys.iter()
            .find_map(|key| input[key].as_str().or_else(|| payload[key].as_str()))
    };
    let tool = payload["tool_name"]
        .as_str()
        .map(|tool| format!("{tool}: "))
        .unwrap_or_default();
    let subject = first(&[
        "command",
        "file_path",
        "pattern",
        "url",
        "prompt",
        "source",
        "reason",
        "agent_type",
        "message",
    ]);
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
