//! A replay for people, and for programs.

use std::collections::BTreeMap;

use becket::model::Verdict;
use becket_daemon::setup::{self, Counts, NotRun, ReplayReport, RuleCount};
use serde_json::Value;

use super::ReplayArgs;
use super::tally::{Case, Cases, Tally};
use crate::records::{day_and_time, of};
use crate::report::{SCHEMA_VERSION, Style, tame};
use crate::table::{Cell, Look, Side, Table, cell, count, looking, width};

const VERDICTS: [Verdict; 5] = [
    Verdict::NoOpinion,
    Verdict::Allow,
    Verdict::Ask,
    Verdict::Deny,
    Verdict::Halt,
];

pub(super) fn json(tally: &Tally, args: &ReplayArgs) -> anyhow::Result<Value> {
    Ok(serde_json::to_value(report(tally, args))?)
}

/// Everything, for programs.
pub(super) fn report(tally: &Tally, args: &ReplayArgs) -> ReplayReport {
    let cases = |cases: &Cases| setup::Cases {
        count: cases.count,
        items: items(cases, args.limit),
    };
    let changes = changes(tally).map(|((then, now), cases)| setup::Change {
        count: cases.count,
        items: items(cases, args.limit),
        then: then.word().to_owned(),
        now: now.word().to_owned(),
    });
    let rules = rules(tally).map(|((hook, rule, verdict), times)| RuleCount {
        hook: hook.clone(),
        rule: rule.clone(),
        verdict: verdict.word().to_owned(),
        times,
    });
    let not_run = tally.not_run.iter().map(|((hook, kind), times)| NotRun {
        hook: hook.clone(),
        kind: (*kind).to_owned(),
        times: *times,
    });
    ReplayReport {
        schema_version: SCHEMA_VERSION,
        replayed_with: args.subject(),
        complete: tally.complete,
        looked_at: tally.looked_at,
        replayed: tally.replayed,
        sessions: tally.sessions(),
        unreadable: tally.unreadable,
        then: counts(&tally.then),
        now: counts(&tally.now),
        changed: tally.changed(),
        changes: changes.collect(),
        denied_that_ran: cases(&tally.denied),
        asked_that_ran: cases(&tally.asked),
        rules: rules.collect(),
        not_run: not_run.collect(),
    }
}

fn counts(of: &BTreeMap<Verdict, u64>) -> Counts {
    let count = |verdict: Verdict| of.get(&verdict).copied().unwrap_or(0);
    Counts {
        none: count(Verdict::NoOpinion),
        allow: count(Verdict::Allow),
        ask: count(Verdict::Ask),
        deny: count(Verdict::Deny),
        halt: count(Verdict::Halt),
    }
}

fn items(cases: &Cases, limit: usize) -> Vec<setup::Case> {
    cases.first(limit).into_iter().map(told).collect()
}

fn told(case: &Case) -> setup::Case {
    let case = case.clone();
    setup::Case {
        event_id: case.event_id,
        at: case.at,
        agent: case.agent,
        session: case.session,
        project: case.project,
        tool: case.tool,
        subject: case.subject,
        then: case.then.word().to_owned(),
        now: case.now.word().to_owned(),
        hook: case.hook,
        rule: case.rule,
        reason: case.reason,
        outcome: case.outcome,
        times: case.times,
    }
}

/// The most frequent first.
fn changes(tally: &Tally) -> impl Iterator<Item = (&(Verdict, Verdict), &Cases)> {
    let mut changes: Vec<_> = tally.changes.iter().collect();
    changes.sort_by_key(|(_, cases)| std::cmp::Reverse(cases.count));
    changes.into_iter()
}

/// The most frequent first.
fn rules(tally: &Tally) -> impl Iterator<Item = (&(String, Option<String>, Verdict), u64)> {
    let mut rules: Vec<_> = tally
        .rules
        .iter()
        .map(|(key, times)| (key, *times))
        .collect();
    rules.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    rules.into_iter()
}

pub(super) fn text(tally: &Tally, args: &ReplayArgs, style: Style) -> String {
    let mut out = head(tally, args);
    if tally.replayed == 0 {
        return out;
    }
    let mut parts = vec![(String::new(), verdicts(tally))];
    for ((then, now), cases) in changes(tally) {
        // What would hit only calls that ran well stands below.
        if [&tally.denied, &tally.asked]
            .into_iter()
            .any(|ran| ran.is_same_as(cases))
        {
            continue;
        }
        let change = format!("{} → {}", then.word(), now.word());
        let title = format!("{change}: {}", of(cases.count, "event"));
        parts.push((title, list(cases, args.limit)));
    }
    let ran = [
        (&tally.denied, "Would be denied now, and ran well then"),
        (&tally.asked, "Would be asked about now, and ran well then"),
    ];
    for (cases, title) in ran {
        if cases.count > 0 {
            let title = format!("{title}: {}", of(cases.count, "event"));
            parts.push((title, list(cases, args.limit)));
        }
    }
    if !tally.rules.is_empty() {
        parts.push((
            "What was decided by which rule".to_owned(),
            by_rule(tally, args.limit),
        ));
    }
    for (title, table) in parts {
        out.push('\n');
        if !title.is_empty() {
            out += &format!("{}\n", style.bold(&title));
        }
        out += &table.render(width(), style);
    }
    out + &not_run(tally)
}

fn head(tally: &Tally, args: &ReplayArgs) -> String {
    let mut out = format!(
        "{} of {}, decided anew by {}",
        of(tally.replayed, "event"),
        of(tally.sessions(), "session"),
        tame(&args.subject())
    );
    if let Some((first, last)) = tally.span {
        out += &format!(
            "; from {} to {} UTC",
            day_and_time(first),
            day_and_time(last)
        );
    }
    out += &match tally.changed() {
        _ if tally.replayed == 0 => ": none concerns it.\n".to_owned(),
        0 => ".\nEverything would be decided as it was.\n".to_owned(),
        changed => format!(".\n{changed} would be decided otherwise.\n"),
    };
    if tally.unreadable > 0 {
        out += &format!("{} could not be read.\n", of(tally.unreadable, "event"));
    }
    out
}

fn verdicts(tally: &Tally) -> Table {
    let mut table = Table::new(&[
        ("VERDICT", Side::Left),
        ("THEN", Side::Right),
        ("NOW", Side::Right),
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
        Verdict::NoOpinion => Look::Dim,
        Verdict::Allow => Look::Good,
        Verdict::Ask => Look::Warn,
        Verdict::Deny | Verdict::Halt => Look::Bad,
    };
    looking(verdict.word(), look)
}

fn list(cases: &Cases, limit: usize) -> Table {
    let mut table = Table::new(&[
        ("TIMES", Side::Right),
        ("SESSION", Side::Left),
        ("TOOL", Side::Left),
        ("ABOUT", Side::Left),
        ("RULE", Side::Left),
    ]);
    for case in cases.first(limit) {
        let session: String = case
            .session
            .iter()
            .flat_map(|id| id.chars())
            .take(8)
            .collect();
        let rule = case.rule.as_deref().or(case.reason.as_deref());
        table.push(vec![
            count(case.times),
            looking(session, Look::Dim),
            cell(&case.tool),
            cell(&case.subject),
            cell(rule.or(case.hook.as_deref()).unwrap_or("·")),
        ]);
    }
    table
}

fn by_rule(tally: &Tally, limit: usize) -> Table {
    let mut table = Table::new(&[
        ("TIMES", Side::Right),
        ("VERDICT", Side::Left),
        ("HOOK", Side::Left),
        ("RULE", Side::Left),
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

fn not_run(tally: &Tally) -> String {
    let mut out = String::new();
    for ((hook, kind), times) in &tally.not_run {
        let hint = if *kind == "command" {
            " (--run-commands runs it)"
        } else {
            ""
        };
        out += &format!(
            "\n{} ({kind}) was not run for {}, and is taken to say what it said then{hint}.\n",
            tame(hook),
            of(*times, "event")
        );
    }
    out
}
