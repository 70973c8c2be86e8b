//! Sessions in few words, for tables.
//!
//! `> prompt`, `% prompt of a program`, `$ command`, `$ command !! what it said when it failed`,
//! `$ command => what it printed`, `~ file file` (changed), `. file` (read), `< answer`. A prompt begins a turn. In what a
//! command said, `⏎` is a new line.

use becket_learn::{Material, Step, Turn};
use becket_store::Stats;

/// The last turn of a script with all before it.
pub(crate) fn material(script: &str) -> Material {
    let mut turns = turns(script);
    let turn = turns.pop().expect("a turn");
    let failures = turn.steps.iter().filter(|step| !step.success).count();
    Material {
        stats: Stats {
            tool_calls: turn.steps.len() as u64,
            failures: failures as u64,
            ..Stats::default()
        },
        turn,
        earlier: turns,
        history: Vec::new(),
        worked: Vec::new(),
        project: Some("/home/ana/shop".into()),
    }
}

pub(crate) fn turns(script: &str) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for (number, line) in script.lines().map(str::trim).enumerate() {
        let Some((mark, rest)) = line.split_once(' ') else {
            continue;
        };
        if mark == ">" || mark == "%" {
            turns.push(Turn {
                id: format!("b{}", turns.len() + 1),
                prompt: Some(rest.replace('⏎', "\n")),
                by_person: mark == ">",
                ..Turn::default()
            });
            continue;
        }
        let turn = turns.last_mut().expect("a prompt comes first");
        match mark {
            "<" => turn.response = Some(rest.replace('⏎', "\n")),
            _ => turn.steps.push(step(mark, rest, number)),
        }
    }
    turns
}

fn step(mark: &str, rest: &str, number: usize) -> Step {
    let event = format!("e{number}");
    let files = || rest.split(' ').map(str::to_owned).collect();
    match mark {
        "~" => Step {
            event,
            tool: "Edit".into(),
            files: files(),
            success: true,
            ..Step::default()
        },
        "." => Step {
            event,
            tool: "Read".into(),
            files: files(),
            success: true,
            ..Step::default()
        },
        "$" => {
            let failed = rest.split_once(" !! ");
            let printed = rest.split_once(" => ");
            let command = failed.or(printed).map_or(rest, |(command, _)| command);
            Step {
                event,
                tool: "Bash".into(),
                command: Some(command.into()),
                success: failed.is_none(),
                error: failed.map(|(_, said)| said.replace('⏎', "\n")),
                output: printed.map(|(_, said)| said.replace('⏎', "\n")),
                ..Step::default()
            }
        }
        other => panic!("no such mark: {other}"),
    }
}
