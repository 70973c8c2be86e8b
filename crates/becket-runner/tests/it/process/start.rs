//! Starting a child: environment, working directory, and clear errors.

use std::ffi::OsString;
use std::time::Duration;

use becket_runner::process::{Command, Ending, StartError};

use super::{assert_exited, finish, sh};

#[track_caller]
fn start_error(command: &Command) -> StartError {
    match finish(command).ending {
        Ending::NotStarted(error) => error,
        other => panic!("expected no start: {other:?}"),
    }
}

fn pair(name: &str, value: impl Into<OsString>) -> (OsString, OsString) {
    (name.into(), value.into())
}

#[test]
fn arguments_are_passed_without_a_shell_in_between() {
    let finished = finish(&Command::exec("printf", ["%s|", "a b", "$HOME", "*"]));
    assert_exited(&finished, 0);
    assert_eq!(finished.stdout.text(), "a b|$HOME|*|");
}

#[test]
fn variables_are_added_replaced_and_removed() {
    let finished = finish(&Command {
        env: vec![
            pair("BECKET_A", "first"),
            pair("BECKET_A", "second"),
            pair("USER_OF_TEST", ""),
            pair("BECKET_BACK", "back"),
        ],
        env_remove: vec![
            "PWD".into(),
            "CARGO_MANIFEST_DIR".into(),
            "BECKET_BACK".into(),
        ],
        ..Command::exec("env", [] as [&str; 0])
    });
    let text = finished.stdout.text();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.contains(&"BECKET_A=second"), "{text}");
    assert!(!lines.contains(&"BECKET_A=first"), "{text}");
    assert!(lines.contains(&"USER_OF_TEST="), "{text}");
    assert!(lines.contains(&"BECKET_BACK=back"), "{text}");
    assert!(lines.iter().any(|line| line.starts_with("PATH=")), "{text}");
    assert!(!text.contains("CARGO_MANIFEST_DIR="), "{text}");
}

#[test]
fn child_runs_in_the_given_directory() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let real = dir.path().canonicalize().expect("it exists");
    let finished = finish(&Command {
        cwd: Some(dir.path().into()),
        ..Command::shell("pwd -P")
    });
    assert_eq!(
        finished.stdout.text().trim_end(),
        real.to_str().expect("plain path")
    );
}

#[test]
fn a_missing_program_is_not_found_and_named() {
    let by_name = start_error(&Command::exec("becket-no-such-program", ["x"]));
    assert!(
        matches!(by_name, StartError::NotFound { .. }),
        "{by_name:?}"
    );
    assert!(by_name.to_string().contains("becket-no-such-program"));
    let by_path = start_error(&Command::exec("/no/such/program", ["x"]));
    assert!(
        matches!(by_path, StartError::NotFound { .. }),
        "{by_path:?}"
    );
}

#[test]
fn shell_reports_missing_programs_itself() {
    let missing = sh("becket-no-such-program");
    assert_exited(&missing, 127);
    assert!(missing.stderr.text().contains("becket-no-such-program"));
    assert_exited(&sh("/"), 126);
}

#[test]
fn a_file_without_permission_to_run_is_not_executable() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let file = dir.path().join("plain.txt");
    std::fs::write(&file, "text").expect("writable");
    let error = start_error(&Command::exec(&file, [] as [&str; 0]));
    assert!(
        matches!(error, StartError::NotExecutable { .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("plain.txt"));
}

#[test]
fn a_script_whose_interpreter_is_missing_says_so() {
    let dir = tempfile::tempdir().expect("temporary directory");
    // Written by a child: a file that this process has open for writing may briefly also be open in a child that
    // another test is just starting, and cannot be executed then.
    let write = Command {
        cwd: Some(dir.path().into()),
        ..Command::shell("printf '#!/no/such/interpreter\\n' > script; chmod +x script")
    };
    assert_exited(&finish(&write), 0);
    let error = start_error(&Command {
        cwd: Some(dir.path().into()),
        ..Command::exec("./script", [] as [&str; 0])
    });
    assert!(
        matches!(error, StartError::NoInterpreter { .. }),
        "{error:?}"
    );
}

#[test]
fn a_missing_directory_is_named() {
    let dir = tempfile::tempdir().expect("temporary directory");
    let file = dir.path().join("file");
    std::fs::write(&file, "").expect("writable");
    for cwd in [dir.path().join("gone"), file, "".into()] {
        for command in [
            Command::shell("pwd"),
            Command::exec("no-such-program", ["x"]),
        ] {
            let error = start_error(&Command {
                cwd: Some(cwd.clone()),
                ..command
            });
            assert!(matches!(error, StartError::BadCwd { .. }), "{error:?}");
            assert!(
                error
                    .to_string()
                    .contains(cwd.to_str().expect("plain path"))
            );
        }
    }
}

#[test]
fn oversized_arguments_are_an_error() {
    let huge = "x".repeat(16 * 1024 * 1024);
    let in_environment = start_error(&Command {
        env: vec![pair("BECKET_HUGE", huge.as_str())],
        ..Command::shell("exit 0")
    });
    assert!(
        matches!(in_environment, StartError::TooBig { .. }),
        "{in_environment:?}"
    );
    let in_arguments = start_error(&Command::shell(format!(": {huge}")));
    assert!(
        matches!(in_arguments, StartError::TooBig { .. }),
        "{in_arguments:?}"
    );
}

#[test]
fn a_nul_byte_is_an_error_and_no_panic() {
    let commands = [
        Command::shell("echo a\0b"),
        Command::exec("a\0b", ["x"]),
        Command {
            env: vec![pair("A\0B", "x")],
            ..Command::shell("exit 0")
        },
    ];
    for command in commands {
        let error = start_error(&command);
        assert!(matches!(error, StartError::Other { .. }), "{error:?}");
    }
}

#[test]
fn unstarted_process_has_no_output() {
    let finished = finish(&Command {
        stdin: vec![b'x'; 1024 * 1024],
        timeout: Duration::from_secs(600),
        ..Command::exec("/no/such/program", ["x"])
    });
    assert!(matches!(finished.ending, Ending::NotStarted(_)));
    assert!(finished.stdout.bytes.is_empty() && finished.stderr.bytes.is_empty());
}
