//! Versions: of agents, beside those that their adapters were checked against, and of Becket itself.

use std::time::Duration;

use becket::runner::process::{Cancel, Command, Ending, Program, run};
use becket_agents::adapter;
use becket_agents::install::Installer;

use super::{Finding, State};
use crate::machine::is_reachable;

/// How long a program may take to say its version. Some of them start slowly.
const PATIENCE: Duration = Duration::from_secs(10);

/// The version of an agent on this machine, beside the one that is known to work.
pub(super) fn of_agent(installer: &'static dyn Installer) -> Option<Finding> {
    let id = installer.agent();
    let checked = adapter(id)?.checked_against()?;
    let mut programs = installer.traces().programs.iter();
    let program = programs.find(|program| is_reachable(program))?;
    let Some(version) = version_of(program) else {
        let message = format!("`{program} --version` says nothing that looks like a version");
        return Some(
            Finding::new(State::Warning, id, message)
                .fix(format!("see whether `{program}` starts")),
        );
    };
    let message = format!("version {version}; Becket was checked with {checked}");
    Some(match compare(&version, checked) {
        Drift::Close => Finding::new(State::Good, id, message),
        Drift::Older => Finding::new(State::Warning, id, message).fix(format!(
            "update `{program}`; older versions may not have all hooks"
        )),
        Drift::Newer => Finding::new(State::Warning, id, message)
            .fix("look for a newer Becket; hooks of this version may behave differently"),
    })
}

/// The version of an agent on this machine.
pub(super) fn of(installer: &dyn Installer) -> Option<String> {
    let mut programs = installer.traces().programs.iter();
    version_of(programs.find(|program| is_reachable(program))?)
}

/// The version of a program that an entry runs, if it is another than this one's.
pub(super) fn another_becket(program: &str) -> Option<String> {
    let own = std::env::current_exe().ok()?;
    let is_own = std::path::Path::new(program).canonicalize().ok() == own.canonicalize().ok();
    let version = (!is_own).then(|| version_of(program))??;
    (version != env!("CARGO_PKG_VERSION")).then_some(version)
}

/// How far a version is from another.
#[derive(Debug, PartialEq, Eq)]
enum Drift {
    Close,
    Older,
    Newer,
}

/// The last number changes all the time and says nothing; nor does a somewhat newer version.
fn compare(version: &str, checked: &str) -> Drift {
    let numbers = |text: &str| -> Vec<u64> {
        let parts = text.split('.').take(2);
        parts.map(|part| part.parse().unwrap_or(0)).collect()
    };
    let (version, checked) = (numbers(version), numbers(checked));
    if version < checked {
        Drift::Older
    } else if version.first() > checked.first() {
        Drift::Newer
    } else {
        Drift::Close
    }
}

fn version_of(program: &str) -> Option<String> {
    let done = run(
        &Command {
            program: Program::Exec {
                program: program.into(),
                args: vec!["--version".into()],
            },
            // Not in the project, whose files are nobody's business here.
            cwd: Some("/".into()),
            env: Vec::new(),
            env_remove: Vec::new(),
            stdin: Vec::new(),
            timeout: PATIENCE,
        },
        &Cancel::default(),
    );
    if !matches!(done.ending, Ending::Exited(0)) {
        return None;
    }
    version_in(&String::from_utf8_lossy(&done.stdout.bytes))
}

/// The first word that starts like `1.2`.
fn version_in(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',' || c == '(');
    let version = |word: &str| {
        let word = word.trim_start_matches('v').trim_end_matches('.');
        let (first, rest) = word.split_once('.')?;
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        (is_number(first) && rest.starts_with(|c: char| c.is_ascii_digit()))
            .then(|| word.to_owned())
    };
    words.take(64).find_map(version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_found_in_what_programs_say() {
        for (text, expected) in [
            ("2.1.325 (Claude Code)\n", Some("2.1.325")),
            ("codex-cli 0.166.0\n", Some("0.166.0")),
            (
                "GitHub Copilot CLI 1.0.102.\nRun 'copilot update'\n",
                Some("1.0.102"),
            ),
            ("v1.2.3-beta.1", Some("1.2.3-beta.1")),
            (" 0.0.1790142911-g12ab", Some("0.0.1790142911-g12ab")),
            ("no version", None),
            ("", None),
        ] {
            assert_eq!(version_in(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn only_versions_that_are_older_or_far_newer_are_remarkable() {
        for (version, expected) in [
            ("2.1.325", Drift::Close),
            ("2.1.1", Drift::Close),
            ("2.9.0", Drift::Close),
            ("2.0.9", Drift::Older),
            ("1.9.9", Drift::Older),
            ("3.0.0", Drift::Newer),
        ] {
            assert_eq!(compare(version, "2.1.325"), expected, "{version}");
        }
    }
}
