//! A short notation for sessions, for use in tables.
//!
//! `> prompt`, `% prompt of a program`, `$ command`, `$ command !! error output`, `$ command => output`,
//! `~ file file` (changed), `. file` (read), `< answer`. A prompt starts a turn. In command output, `⏎` is a line break.

use becket_learn::{LearningInput, RecordedStep, RecordedTurn};
use becket_store::ActivityStats;

/// The last turn of a script, with the earlier ones as history.
pub(crate) fn input(script: &str) -> LearningInput {
    let mut turns = turns(script);
    let turn = turns.pop().expect("a turn");
    let failures = turn.steps.iter().filter(|step| !step.success).count();
    LearningInput {
        stats: ActivityStats {
            tool_calls: turn.steps.len() as u64,
            failures: failures as u64,
            ..ActivityStats::default()
        },
        turn,
        earlier: turns,
        changed_files: Vec::new(),
        succeeded_commands: Vec::new(),
        project: Some("/home/ana/shop".into()),
    }
}

pub(crate) fn turns(script: &str) -> Vec<RecordedTurn> {
    let mut turns: Vec<RecordedTurn> = Vec::new();
    for (number, line) in script.lines().map(str::trim).enumerate() {
        let Some((mark, rest)) = line.split_once(' ') else {
            continue;
        };
        if mark == ">" || mark == "%" {
            turns.push(RecordedTurn {
                id: format!("b{}", turns.len() + 1),
                prompt: Some(rest.replace('⏎', "\n")),
                by_person: mark == ">",
                ..RecordedTurn::default()
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

fn step(mark: &str, rest: &str, number: usize) -> RecordedStep {
    let event = format!("e{number}");
    let files = || rest.split(' ').map(str::to_owned).collect();
    match mark {
        "~" => RecordedStep {
            event,
            tool: "Edit".into(),
            files: files(),
            success: true,
            ..RecordedStep::default()
        },
        "." => RecordedStep {
            event,
            tool: "Read".into(),
            files: files(),
            success: true,
            ..RecordedStep::default()
        },
        "$" => {
            let failed = rest.split_once(" !! ");
            let printed = rest.split_once(" => ");
            let command = failed.or(printed).map_or(rest, |(command, _)| command);
            RecordedStep {
                event,
                tool: "Bash".into(),
                command: Some(command.into()),
                success: failed.is_none(),
                error: failed.map(|(_, said)| said.replace('⏎', "\n")),
                output: printed.map(|(_, said)| said.replace('⏎', "\n")),
                ..RecordedStep::default()
            }
        }
        other => panic!("no such mark: {other}"),
    }
}
