//! What a child leaves behind: background processes, including ones in their own session.

use becket_runner::process::{Cancel, Command, run};

use super::{HUNG, Sleeper, assert_exited, assert_timed_out, brief, finish, sh};

#[test]
fn background_child_holding_stdout_neither_delays_nor_survives() {
    let sleeper = Sleeper::new();
    let finished = sh(format!("{} & echo started; exit 5", sleeper.command()));
    assert_exited(&finished, 5);
    assert_eq!(finished.stdout.bytes, b"started\n");
    sleeper.assert_gone();
}

#[test]
fn background_child_without_pipes_does_not_survive() {
    let sleeper = Sleeper::new();
    let finished = sh(format!(
        "{} </dev/null >/dev/null 2>&1 & exit 0",
        sleeper.command()
    ));
    assert_exited(&finished, 0);
    sleeper.assert_gone();
}

#[test]
fn background_children_that_ignore_sigterm_do_not_survive() {
    let sleeper = Sleeper::new();
    let sleep = sleeper.command();
    let finished = sh(format!(
        "trap '' TERM; {sleep} & {sleep} >/dev/null 2>&1 & exit 0"
    ));
    assert_exited(&finished, 0);
    sleeper.assert_gone();
}

#[test]
fn grandchildren_end_with_the_deadline() {
    let sleeper = Sleeper::new();
    let sleep = sleeper.command();
    let finished = finish(&brief(format!(
        "sh -c '{sleep} & {sleep} & wait' & {sleep}; :"
    )));
    assert_timed_out(&finished);
    sleeper.assert_gone();
}

#[test]
fn a_background_child_that_floods_stdout_is_ended() {
    let sleeper = Sleeper::new();
    // The number is an argument, so that the process can be found.
    let finished = sh(format!("yes {} & exit 6", sleeper.0));
    assert_exited(&finished, 6);
    sleeper.assert_gone();
}

#[cfg(target_os = "linux")]
#[test]
fn a_grandchild_in_its_own_session_cannot_hold_up_an_exit() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let sleeper = Sleeper::new();
    let finished = finish(&Command {
        cwd: Some(dir.path().into()),
        ..Command::shell(format!("{}; exit 7", run_away(&sleeper)))
    });
    assert_exited(&finished, 7);
    // It left the group on purpose, which is the only way to survive.
    assert_eq!(sleeper.alive().len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_grandchild_in_its_own_session_cannot_hold_up_the_deadline() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let sleeper = Sleeper::new();
    let finished = finish(&Command {
        cwd: Some(dir.path().into()),
        ..brief(format!("{}; exec sleep 600", run_away(&sleeper)))
    });
    assert_timed_out(&finished);
}

#[cfg(target_os = "linux")]
#[test]
fn chatty_grandchild_in_its_own_session_is_read_briefly() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let sleeper = Sleeper::new();
    let chat = "while :; do echo chat; sleep 0.01; done";
    let finished = finish(&Command {
        cwd: Some(dir.path().into()),
        // `$0` carries the number.
        ..Command::shell(format!(
            "setsid sh -c 'touch away; {chat}' {} & {AWAIT_AWAY}; exit 8",
            sleeper.0
        ))
    });
    assert_exited(&finished, 8);
}

/// A leader with job control: each of its jobs gets its own process group.
#[test]
fn child_ends_at_the_deadline_whatever_groups_it_creates() {
    let sleeper = Sleeper::new();
    let finished = finish(&brief(format!("set -m; {}; :", sleeper.command())));
    assert_timed_out(&finished);
}

#[test]
fn nothing_is_left_of_many_runs_that_were_cancelled_at_once() {
    let sleeper = Sleeper::new();
    let cancel = Cancel::new();
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0..20)
            .map(|_| {
                let line = format!("{sleep} & {sleep}", sleep = sleeper.command());
                let cancel = cancel.clone();
                scope.spawn(move || run(&Command::shell(line), &cancel))
            })
            .collect();
        cancel.cancel();
        for run in runs {
            let finished = run.join().expect("no panic");
            assert!(finished.duration < HUNG, "{finished:?}");
        }
    });
    sleeper.assert_gone();
}

#[cfg(target_os = "linux")]
const AWAIT_AWAY: &str = "while [ ! -e away ]; do sleep 0.01; done";

/// Starts a sleeper in its own session, and continues once it is there.
#[cfg(target_os = "linux")]
fn run_away(sleeper: &Sleeper) -> String {
    format!(
        "setsid sh -c 'touch away; exec {}' & {AWAIT_AWAY}",
        sleeper.command()
    )
}
