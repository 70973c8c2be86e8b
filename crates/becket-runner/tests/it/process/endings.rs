//! How a run ends: exit code, signal, deadline, cancellation; and that the child is reaped.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use becket_runner::process::{Cancel, Captured, Command, Ending, Finished, run};
use becket_testkit::read_when_there;
use rustix::io::Errno;
use rustix::process::{Pid, WaitId, WaitIdOptions};
use signal_hook::consts::SIGINT;
use signal_hook::flag::register_conditional_default;

use super::{Sleeper, assert_exited, assert_timed_out, brief, finish, sh};

#[test]
fn exit_codes_come_back_as_they_are() {
    for code in [0, 1, 2, 126, 127, 255] {
        assert_exited(&sh(format!("exit {code}")), code);
    }
}

/// A background job of a shell starts with SIGINT ignored, and so do its children, which cannot change that if they are
/// shells. A signal that this process handles is reset in its children. Here it still ends the process.
fn reset_sigint_in_children() {
    let as_by_default = Arc::new(AtomicBool::new(true));
    register_conditional_default(SIGINT, as_by_default).expect("registered");
}

#[test]
fn death_by_signal_is_not_an_exit() {
    reset_sigint_in_children();
    for (name, number) in [("TERM", 15), ("KILL", 9), ("INT", 2)] {
        let finished = sh(format!("echo before; kill -{name} $$; sleep 600"));
        assert!(
            matches!(finished.ending, Ending::Signaled(actual) if actual == number),
            "{finished:?}"
        );
        assert_eq!(finished.stdout.bytes, b"before\n");
    }
}

#[test]
fn children_get_the_default_sigpipe() {
    // A shell that was started with the signal ignored would survive it.
    let finished = sh("kill -PIPE $$; echo survived");
    assert!(
        matches!(finished.ending, Ending::Signaled(13)),
        "{finished:?}"
    );
}

#[test]
fn the_deadline_ends_a_child_that_never_exits_and_keeps_what_it_said() {
    let sleeper = Sleeper::new();
    let finished = finish(&brief(format!(
        "echo out; echo err >&2; {}",
        sleeper.command()
    )));
    assert_timed_out(&finished);
    assert!(finished.duration >= Duration::from_millis(1500));
    assert_eq!(finished.stdout.bytes, b"out\n");
    assert_eq!(finished.stderr.bytes, b"err\n");
    sleeper.assert_gone();
}

#[test]
fn ignoring_sigterm_does_not_help() {
    let sleeper = Sleeper::new();
    let finished = finish(&brief(format!(
        "trap '' TERM; {sleep} & while :; do {sleep}; done",
        sleep = sleeper.command()
    )));
    assert_timed_out(&finished);
    sleeper.assert_gone();
}

#[test]
fn the_deadline_covers_a_child_that_closed_its_outputs() {
    let sleeper = Sleeper::new();
    let finished = finish(&brief(format!("exec >&- 2>&-; {}", sleeper.command())));
    assert_timed_out(&finished);
    sleeper.assert_gone();
}

#[test]
fn the_deadline_covers_a_child_that_stopped_itself() {
    assert_timed_out(&finish(&brief("kill -STOP $$")));
}

#[test]
fn no_time_at_all_starts_nothing() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let mark = dir.path().join("mark");
    let finished = finish(&Command {
        timeout: Duration::ZERO,
        ..Command::exec("touch", [&mark])
    });
    assert_timed_out(&finished);
    assert!(!mark.exists());
}

#[test]
fn an_endless_timeout_is_no_overflow() {
    let finished = finish(&Command {
        timeout: Duration::MAX,
        ..Command::shell("exit 3")
    });
    assert_exited(&finished, 3);
}

#[test]
fn another_thread_can_cancel() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let ready = dir.path().join("ready");
    let sleeper = Sleeper::new();
    let command = Command {
        cwd: Some(dir.path().into()),
        ..Command::shell(format!("echo said; touch ready; {}", sleeper.command()))
    };
    let cancel = Cancel::new();
    let finished = std::thread::scope(|scope| {
        scope.spawn(|| {
            read_when_there(&ready);
            cancel.clone().cancel();
        });
        run(&command, &cancel)
    });
    assert!(matches!(finished.ending, Ending::Cancelled), "{finished:?}");
    assert!(finished.duration < super::HUNG, "{finished:?}");
    assert_eq!(finished.stdout.bytes, b"said\n");
    sleeper.assert_gone();
}

#[test]
fn one_handle_cancels_every_run_that_holds_it() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let sleeper = Sleeper::new();
    let cancel = Cancel::new();
    let names = ["a", "b", "c"];
    std::thread::scope(|scope| {
        let runs = names.map(|name| {
            let line = format!("touch {name}; {}", sleeper.command());
            let command = Command {
                cwd: Some(dir.path().into()),
                ..Command::shell(line)
            };
            let cancel = cancel.clone();
            scope.spawn(move || run(&command, &cancel))
        });
        for name in names {
            read_when_there(&dir.path().join(name));
        }
        cancel.cancel();
        for run in runs {
            let finished = run.join().expect("no panic");
            assert!(matches!(finished.ending, Ending::Cancelled), "{finished:?}");
            assert!(finished.duration < super::HUNG, "{finished:?}");
        }
    });
    sleeper.assert_gone();
}

#[test]
fn a_cancelled_handle_starts_nothing() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let mark = dir.path().join("mark");
    let cancel = Cancel::new();
    cancel.cancel();
    let finished = run(&Command::exec("touch", [&mark]), &cancel);
    assert!(matches!(finished.ending, Ending::Cancelled), "{finished:?}");
    assert!(!mark.exists());
}

#[test]
fn a_handle_that_is_never_used_changes_nothing() {
    let finished = run(&Command::shell("echo fine"), &Cancel::new());
    assert_exited(&finished, 0);
    assert_eq!(finished.stdout.bytes, b"fine\n");
    Cancel::never().cancel();
    assert!(!Cancel::never().is_cancelled());
}

#[test]
fn the_child_is_reaped_however_it_ended() {
    let exited = sh("echo $$");
    let signaled = sh("echo $$; kill -9 $$");
    let timed_out = finish(&brief("echo $$; trap '' TERM; sleep 600"));
    let left_others = sh("echo $$; sleep 600 &");
    for finished in [exited, signaled, timed_out, left_others] {
        assert_reaped(&finished);
    }
}

#[test]
fn a_hundred_runs_at_once_do_not_disturb_each_other() {
    std::thread::scope(|scope| {
        let runs: Vec<_> = (0_i32..100)
            .map(|number| {
                scope.spawn(move || {
                    let payload = format!("{number};").repeat(40_000).into_bytes();
                    let command = Command {
                        stdin: payload.clone(),
                        ..Command::shell(format!("cat; echo {number} >&2; exit {number}"))
                    };
                    (number, payload, run(&command, &Cancel::never()))
                })
            })
            .collect();
        for run in runs {
            let (number, payload, finished) = run.join().expect("no panic");
            assert!(
                matches!(finished.ending, Ending::Exited(code) if code == number),
                "{:?}",
                finished.ending
            );
            assert!(finished.stdout.bytes == payload, "run {number} differs");
            assert_eq!(finished.stderr, heard(&format!("{number}\n")));
        }
    });
}

fn heard(text: &str) -> Captured {
    Captured {
        bytes: text.into(),
        dropped: 0,
    }
}

/// An unreaped process is still a child of this one and can be waited for.
#[track_caller]
fn assert_reaped(finished: &Finished) {
    let said = finished.stdout.text();
    let pid = said.trim().parse().ok().and_then(Pid::from_raw);
    let pid = pid.expect("the child tells its id");
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = rustix::process::waitid(WaitId::Pid(pid), options);
    assert_eq!(status.map(|_| ()), Err(Errno::CHILD), "{finished:?}");
}
