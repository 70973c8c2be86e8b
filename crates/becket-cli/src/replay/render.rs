//! Renders a replay as text and JSON.

use std::collections::BTreeMap;

use becket::model::Verdict;
use becket_daemon::setup::{self, ReplayReport, RuleCount, SkippedHook, VerdictCounts};
use serde_json::Value;

use super::ReplayArgs;
use super::tally::{CallGroup, ReplayTally, ReplayedCall};
use crate::records::{format_timestamp, plural};
use crate::report::{SCHEMA_VERSION, Style, sanitize};
use crate::table::{Alignment, Cell, CellStyle, Table, cell, count, styled_cell, terminal_width};

const VERDICTS: [Verdict; 5] = [
    Verdict::NoOpinion,
    Verdict::Allow,
    Verdict::Ask,
    Verdict::Deny,
    Verdict::Halt,
];

pub(super) fn json(tally: &ReplayTally, args: &ReplayArgs) -> anyhow::Result<Value> {
    Ok(serde_json::to_value(report(tally, args))?)
}

/// The complete report, for programs.
pub(super) fn report(tally: &ReplayTally, args: &ReplayArgs) -> ReplayReport {
    let to_cases = |group: &CallGroup| setup::ReplayCases {
        count: group.count,
        items: items(group, args.limit),
    };
    let changes = changes(tally).map(|((then, now), group)| setup::ReplayChange {
        count: group.count,
        items: items(group, args.limit),
        then: then.word().to_owned(),
        now: now.word().to_owned(),
    });
    let rules = rules(tally).map(|((hook, rule, verdict), times)| RuleCount {
        hook: hook.clone(),
        rule: rule.clone(),
        verdict: verdict.word().to_owned(),
        times,
    });
    let not_run = tally
        .not_run
        .iter()
        .map(|((hook, kind), times)| SkippedHook {
            hook: hook.clone(),
            kind: (*kind).to_owned(),
            times: *times,
        });
    ReplayReport {
        schema_version: SCHEMA_VERSION,
        replayed_with: args.description(),
        complete: tally.complete,
        looked_at: tally.looked_at,
        replayed: tally.replayed,
        sessions: tally.sessions(),
        unreadable: tally.unreadable,
        then: counts(&tally.then),
        now: counts(&tally.now),
        changed: tally.changed(),
        changes: changes.collect(),
        denied_that_ran: to_cases(&tally.denied),
        asked_that_ran: to_cases(&tally.asked),
        rules: rules.collect(),
        not_run: not_run.collect(),
    }
}

fn counts(of: &BTreeMap<Verdict, u64>) -> VerdictCounts {
    let count = |verdict: Verdict| of.get(&verdict).copied().unwrap_or(0);
    VerdictCounts {
        none: count(Verdict::NoOpinion),
        allow: count(Verdict::Allow),
        ask: count(Verdict::Ask),
        deny: count(Verdict::Deny),
        halt: count(Verdict::Halt),
    }
}

fn items(group: &CallGroup, limit: usize) -> Vec<setup::ReplayCase> {
    group.first(limit).into_iter().map(to_wire).collect()
}

fn to_wire(call: &ReplayedCall) -> setup::ReplayCase {
    let call = call.clone();
    setup::ReplayCase {
        event_id: call.event_id,
        at: call.at,
        agent: call.agent,
        session: call.session,
        project: call.project,
        tool: call.tool,
        subject: call.subject,
        then: call.then.word().to_owned(),
        now: call.now.word().to_owned(),
        hook: call.hook,
        rule: call.rule,
        reason: call.reason,
        outcome: call.outcome,
        times: call.times,
    }
}

/// Changed decisions, most frequent first.
fn changes(tally: &ReplayTally) -> impl Iterator<Item = (&(Verdict, Verdict), &CallGroup)> {
    let mut changes: Vec<_> = tally.changes.iter().collect();
    changes.sort_by_key(|(_, group)| std::cmp::Reverse(group.count));
    changes.into_iter()
}

/// Rules with their counts, most frequent first.
fn rules(tally: &ReplayTally) -> impl Iterator<Item = (&(String, Option<String>, Verdict), u64)> {
    let mut rules: Vec<_> = tally
        .rules
        .iter()
        .map(|(key, times)| (key, *times))
        .collect();
    rules.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    rules.into_iter()
}

pub(super) fn text(tally: &ReplayTally, args: &ReplayArgs, style: Style) -> String {
    let mut out = head(tally, args);
    if tally.replayed == 0 {
        return out;
    }
    let mut parts = vec![(String::new(), verdicts(tally))];
    for ((then, now), group) in changes(tally) {
        // Changes that affect only successful calls are listed below.
        if [&tally.denied, &tally.asked]
            .into_iter()
            .any(|ran| ran.is_same_as(group))
        {
            continue;
        }
        let change = format!("{} → {}", then.word(), now.word());
        let title = format!("{change}: {}", plural(group.count, "event"));
        parts.push((title, list(group, args.limit)));
    }
    let ran = [
        (
            &tally.denied,
            "Would be blocked now, but ran successfully then",
        ),
        (
            &tally.asked,
            "Would be asked now, but ran successfully without asking then",
        ),
    ];
    for (group, title) in ran {
        if group.count > 0 {
            let title = format!("{title}: {}", plural(group.count, "event"));
            parts.push((title, list(group, args.limit)));
        }
    }
    if !tally.rules.is_empty() {
        parts.push(("Decisions by rule".to_owned(), by_rule(tally, args.limit)));
    }
    for (title, table) in parts {
        out.push('\n');
        if !title.is_empty() {
            out += &format!("{}\n", style.bold(&title));
        }
        out += &table.render(terminal_width(), style);
    }
    out + &not_run(tally)
}

fn head(tally: &ReplayTally, args: &ReplayArgs) -> String {
    let mut out = format!(
        "Replayed {} of {} with {}",
        plural(tally.replayed, "event"),
        plural(tally.sessions(), "session"),
        sanitize(&args.description())
    );
    if let Some((first, last)) = tally.span {
        out += &format!(
            "; from {} to {} UTC",
            format_timestamp(first),
            format_timestamp(last)
        );
    }
    out += &match tally.changed() {
        _ if tally.replayed == 0 => ": no matching events.\n".to_owned(),
        0 => ".\nNo decision would change.\n".to_owned(),
        changed => format!(".\n{} would change.\n", plural(changed, "decision")),
    };
    if tally.unreadable > 0 {
        out += &format!("{} could not be read.\n", plural(tally.unreadable, "event"));
    }
    out
}

fn verdicts(tally: &ReplayTally) -> Table {
    let mut table = Table::new(&[
        ("VERDICT", Alignment::Left),
        ("THEN", Alignment::Right),
        ("NOW", Alignment::Right),
    ]);
    for verdict in VERDICTS {
        let [then, now] = [&tally.then, &tally.now].map(|of| of.get(&verdict).copied());
        if then.is_some() || now.is_some() {
            let numbers = [then, now].map(|number| count(number.unwrap_or(0)));
            let mut row = vec![word(verdict)];
            row.extend(numbers);
            table.push(row);
        }
    }
    table
}

fn word(verdict: Verdict) -> Cell {
    let look = match verdict {
        Verdict::NoOpinion => CellStyle::Dim,
        Verdict::Allow => CellStyle::Good,
        Verdict::Ask => CellStyle::Warn,
        Verdict::Deny | Verdict::Halt => CellStyle::Bad,
    };
    styled_cell(verdict.word(), look)
}

fn list(group: &CallGroup, limit: usize) -> Table {
    let mut table = Table::new(&[
        ("TIMES", Alignment::Right),
        ("SESSION", Alignment::Left),
        ("TOOL", Alignment::Left),
        ("ABOUT", Alignment::Left),
        ("RULE", Alignment::Left),
    ]);
    for call in group.first(limit) {
        let session: String = call
            .session
            .iter()
            .flat_map(|id| id.chars())
            .take(8)
            .collect();
        let rule = call.rule.as_deref().or(call.reason.as_deref());
        table.push(vec![
            count(call.times),
            styled_cell(session, CellStyle::Dim),
            cell(&call.tool),
            cell(&call.subject),
            cell(rule.or(call.hook.as_deref()).unwrap_or("·")),
        ]);
    }
    table
}

fn by_rule(tally: &ReplayTally, limit: usize) -> Table {
    let mut table = Table::new(&[
        ("TIMES", Alignment::Right),
        ("VERDICT", Alignment::Left),
        ("HOOK", Alignment::Left),
        ("RULE", Alignment::Left),
    ]);
    for ((hook, rule, verdict), times) in rules(tally).take(limit) {
        table.push(vec![
            count(times),
            word(*verdict),
            cell(hook),
            cell(rule.as_deref().unwrap_or("·")),
        ]);
    }
    table
}

fn not_run(tally: &ReplayTally) -> String {
    let mut out = String::new();
    for ((hook, kind), times) in &tally.not_run {
        let hint = if *kind == "command" {
            " (run it with --run-commands)"
        } else {
            ""
        };
        out += &format!(
            "\n{} ({kind}) was not run for {}; its recorded verdict counts{hint}.\n",
            sanitize(hook),
            plural(*times, "event")
        );
    }
    out
}
