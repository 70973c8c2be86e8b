//! Checks the versions of agents against the tested ones, and the version of Becket.

use std::time::Duration;

use becket::runner::process::{Cancel, Command, Ending, Program, run};
use becket_agents::adapter;
use becket_agents::install::Installer;

use super::{CheckStatus, Finding};
use crate::machine::is_reachable;

/// Timeout of `--version`. Some agents start slowly.
const VERSION_TIMEOUT: Duration = Duration::from_secs(10);

/// Compares the installed version of an agent with the version Becket was tested with.
pub(super) fn check_agent(installer: &'static dyn Installer) -> Option<Finding> {
    let id = installer.agent();
    let checked = adapter(id)?.checked_against()?;
    let mut programs = installer.detection_hints().programs.iter();
    let program = programs.find(|program| is_reachable(program))?;
    let Some(version) = version_of(program) else {
        let message = format!("`{program} --version` prints no version");
        return Some(
            Finding::new(CheckStatus::Warning, id, message)
                .fix(format!("check whether `{program}` starts")),
        );
    };
    let message = format!("version {version} (tested with {checked})");
    Some(match compare(&version, checked) {
        VersionDrift::Close => Finding::new(CheckStatus::Ok, id, message),
        VersionDrift::Older => Finding::new(CheckStatus::Warning, id, message).fix(format!(
            "update `{program}`; older versions may lack some hooks"
        )),
        VersionDrift::Newer => Finding::new(CheckStatus::Warning, id, message)
            .fix("check for a newer Becket; hooks of this version may behave differently"),
    })
}

/// The installed version of an agent.
pub(super) fn agent_version(installer: &dyn Installer) -> Option<String> {
    let mut programs = installer.detection_hints().programs.iter();
    version_of(programs.find(|program| is_reachable(program))?)
}

/// The version of the Becket program that an entry runs, if it differs from this one.
pub(super) fn other_becket_version(program: &str) -> Option<String> {
    let own = std::env::current_exe().ok()?;
    let is_own = std::path::Path::new(program).canonicalize().ok() == own.canonicalize().ok();
    let version = (!is_own).then(|| version_of(program))??;
    (version != env!("CARGO_PKG_VERSION")).then_some(version)
}

/// How an installed version relates to the tested one.
#[derive(Debug, PartialEq, Eq)]
enum VersionDrift {
    Close,
    Older,
    Newer,
}

/// Compares major and minor only. Newer minor versions count as close.
fn compare(version: &str, checked: &str) -> VersionDrift {
    let numbers = |text: &str| -> Vec<u64> {
        let parts = text.split('.').take(2);
        parts.map(|part| part.parse().unwrap_or(0)).collect()
    };
    let (version, checked) = (numbers(version), numbers(checked));
    if version < checked {
        VersionDrift::Older
    } else if version.first() > checked.first() {
        VersionDrift::Newer
    } else {
        VersionDrift::Close
    }
}

fn version_of(program: &str) -> Option<String> {
    let done = run(
        &Command {
            program: Program::Exec {
                program: program.into(),
                args: vec!["--version".into()],
            },
            // Not in the project, so that its files cannot influence the program.
            cwd: Some("/".into()),
            env: Vec::new(),
            env_remove: Vec::new(),
            stdin: Vec::new(),
            timeout: VERSION_TIMEOUT,
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
    fn version_is_found_in_program_output() {
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
    fn older_and_much_newer_versions_are_reported() {
        for (version, expected) in [
            ("2.1.325", VersionDrift::Close),
            ("2.1.1", VersionDrift::Close),
            ("2.9.0", VersionDrift::Close),
            ("2.0.9", VersionDrift::Older),
            ("1.9.9", VersionDrift::Older),
            ("3.0.0", VersionDrift::Newer),
        ] {
            assert_eq!(compare(version, "2.1.325"), expected, "{version}");
        }
    }
}
