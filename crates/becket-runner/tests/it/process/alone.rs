//! Tests that need their own process: each starts this test program again for itself.

#[cfg(target_os = "linux")]
use std::process::Command as StdCommand;

#[cfg(target_os = "linux")]
use becket_runner::process::Ending;
use becket_runner::process::{Cancel, Command, run};

use super::brief;

const ALONE: &str = "BECKET_TEST_ALONE";

fn is_alone() -> bool {
    std::env::var_os(ALONE).is_some()
}

/// Runs the test `name` in its own process, started by `wrapper` with the program as `$0`.
#[track_caller]
fn run_alone(name: &str, wrapper: &str) {
    let program = std::env::current_exe().expect("the test program has a path");
    let finished = super::finish(&Command {
        env: vec![(ALONE.into(), "1".into())],
        ..Command::exec(
            "/bin/sh",
            [
                "-c".into(),
                wrapper.into(),
                program.into_os_string(),
                "--exact".into(),
                format!("process::alone::{name}").into(),
            ],
        )
    });
    let stdout = finished.stdout.text();
    assert!(
        stdout.contains("1 passed"),
        "{stdout}\n{}",
        finished.stderr.text()
    );
}

#[test]
fn descriptors_do_not_pile_up() {
    if !is_alone() {
        return run_alone("descriptors_do_not_pile_up", "exec \"$0\" \"$@\"");
    }
    let round = |number: u32| {
        let cancel = Cancel::new();
        let command = match number % 5 {
            0 => Command::shell("cat"),
            1 => Command::exec("/no/such/program", ["x"]),
            2 => Command::shell("kill -9 $$"),
            3 => Command::shell("echo x; exit 1"),
            _ => Command {
                timeout: std::time::Duration::from_millis(1),
                ..brief("sleep 600")
            },
        };
        run(&command, &cancel);
    };
    (0..5).for_each(round);
    let before = open_descriptors();
    (0..200).for_each(round);
    assert_eq!(open_descriptors(), before);
}

fn open_descriptors() -> usize {
    std::fs::read_dir("/dev/fd").expect("listable").count()
}

#[cfg(target_os = "linux")]
#[test]
fn the_child_inherits_no_descriptor_but_its_three_streams() {
    let list = "ls /proc/self/fd";
    let plain = StdCommand::new("/bin/sh")
        .args(["-c", list])
        .output()
        .expect("a shell starts");
    let cancel = Cancel::new();
    // The first run creates the handle's descriptor; the second must not pass it on.
    run(&Command::shell("exit 0"), &cancel);
    let finished = run(&Command::shell(list), &cancel);
    assert_eq!(
        finished.stdout.text(),
        String::from_utf8_lossy(&plain.stdout)
    );
}

/// If SIGCHLD is ignored, which programs inherit, the system discards exit statuses. The test is skipped if `env`
/// cannot arrange that.
#[cfg(target_os = "linux")]
#[test]
fn lost_exit_status_is_never_success() {
    if !is_alone() {
        let possible = super::sh("env --ignore-signal=CHLD true");
        if !matches!(possible.ending, Ending::Exited(0)) {
            return;
        }
        return run_alone(
            "lost_exit_status_is_never_success",
            "exec env --ignore-signal=CHLD \"$0\" \"$@\"",
        );
    }
    let finished = run(&Command::exec("echo", ["said"]), &Cancel::never());
    assert!(matches!(finished.ending, Ending::Lost(_)), "{finished:?}");
    assert_eq!(finished.stdout.bytes, b"said\n");
    let finished = run(&brief("sleep 600"), &Cancel::never());
    assert!(matches!(finished.ending, Ending::TimedOut), "{finished:?}");
}
