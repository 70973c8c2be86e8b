//! Finds the commit that a turn made.

use crate::turn::RecordedStep;

/// The last id that `git commit` printed.
pub(super) fn last_commit(steps: &[RecordedStep]) -> Option<String> {
    let made = steps
        .iter()
        .rev()
        .filter(|step| step.success && is_commit(step));
    made.filter_map(|step| step.output.as_deref())
        .find_map(printed)
}

fn is_commit(step: &RecordedStep) -> bool {
    let command = step.command.as_deref().unwrap_or_default();
    command.contains("git") && command.contains(" commit")
}

/// `[main 1a2b3c4] message`, `[main (root-commit) 1a2b3c4] message`
fn printed(output: &str) -> Option<String> {
    output.lines().find_map(|line| {
        let (inside, _) = line.trim().strip_prefix('[')?.split_once(']')?;
        let id = inside.rsplit(' ').next()?;
        let is_id = (7..=40).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        (is_id && inside.contains(' ')).then(|| id.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commit_id_is_parsed_from_git_output() {
        for (command, output, expected) in [
            (
                "git commit -m x",
                "[main 1a2b3c4] x\n 1 file changed",
                Some("1a2b3c4"),
            ),
            (
                "git add . && git commit -qm x",
                "hook ok\n[feat/a (root-commit) abcdef0] x",
                Some("abcdef0"),
            ),
            ("git commit -m x", "nothing to commit", None),
            ("git commit -m x", "[1a2b3c4]", None),
            ("cargo test", "[main 1a2b3c4] x", None),
        ] {
            let step = RecordedStep {
                tool: "Bash".into(),
                command: Some(command.into()),
                output: Some(output.into()),
                success: true,
                ..RecordedStep::default()
            };
            assert_eq!(
                last_commit(&[step]).as_deref(),
                expected,
                "{command} {output}"
            );
        }
    }
}
