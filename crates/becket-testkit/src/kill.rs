//! Kills a child process between two of its steps, wherever that is.
//!
//! A test and an ignored test work together: the ignored one calls [`may_continue`] before each step, and
//! [`kill_after`] starts it, lets it take some steps and kills it.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Stdio};

const QUESTION: &str = "killed test: may I continue?";

/// How a killed test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KilledTest {
    /// It was killed before a step.
    Killed,
    /// It took all of its steps.
    Finished,
}

/// Asks the parent process whether to continue, and waits for the answer.
pub fn may_continue() {
    let mut out = std::io::stdout();
    writeln!(out, "{QUESTION}")
        .and_then(|()| out.flush())
        .expect("a parent");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).expect("an answer");
}

/// Starts an ignored test of this program with variables, and kills it with SIGKILL after a number of steps.
pub fn kill_after<V: AsRef<OsStr>>(
    steps: usize,
    ignored_test: &str,
    env: impl IntoIterator<Item = (&'static str, V)>,
) -> KilledTest {
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args([ignored_test, "--exact", "--ignored", "--nocapture"])
        .arg("--test-threads=1")
        .envs(env)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a child");
    let mut answers = child.stdin.take().expect("its input");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let questions = lines
        .map_while(Result::ok)
        .filter(|line| line.contains(QUESTION));
    for (asked, _) in questions.enumerate() {
        if asked == steps {
            child.kill().expect("killed");
            break;
        }
        writeln!(answers, "yes").expect("it listens");
    }
    let ended = child.wait().expect("it ended");
    match (ended.code(), ended.signal()) {
        (Some(0), _) => KilledTest::Finished,
        (_, Some(9)) => KilledTest::Killed,
        _ => panic!("neither killed nor finished: {ended:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TestDir;

    const FILE: &str = "BECKET_TESTKIT_FILE";

    #[test]
    #[ignore = "the other half of a test: it is started to be killed"]
    fn three_steps() {
        let path = std::env::var(FILE).expect("a file");
        for step in ["1", "2", "3"] {
            may_continue();
            std::fs::write(&path, step).expect("written");
        }
    }

    #[test]
    fn child_is_killed_before_the_step_or_finishes() {
        let dir = TestDir::new();
        for steps in 0..5 {
            let ended = kill_after(
                steps,
                "kill::tests::three_steps",
                [(FILE, dir.path("step"))],
            );
            let expected = if steps < 3 {
                KilledTest::Killed
            } else {
                KilledTest::Finished
            };
            assert_eq!(ended, expected, "{steps}");
            let taken = ["", "1", "2", "3", "3"][steps];
            assert_eq!(dir.read("step"), taken);
        }
    }
}
