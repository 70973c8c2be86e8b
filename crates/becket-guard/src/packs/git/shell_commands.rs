//! Shell text that git runs: aliases, `submodule foreach`, `bisect run`, `rebase --exec`.

use super::super::args::{Args, FlagStyle};
use super::{GitGlobals, alias, subcommands};
use crate::command::{Invocation, Word};
use crate::facts::{Facts, RunLocation};

/// The shell texts that a git command would run.
///
/// The caller analyzes them like any other shell text; the packs see only words.
pub fn git_shell_commands(
    command: &Invocation,
    location: &RunLocation,
    facts: &dyn Facts,
) -> Vec<String> {
    if command.program != "git" {
        return Vec::new();
    }
    let (globals, rest) = GitGlobals::read(&command.args);
    let Some((subcommand, args)) = rest.split_first() else {
        return Vec::new();
    };
    let name = subcommand.text.as_str();
    if let Some(text) = alias::shell_text(command, location, facts, &globals, name) {
        return vec![with_words(text, args)];
    }
    let read = Args::read(args, subcommands::values_of(name), FlagStyle::Abbreviating);
    match name {
        "rebase" => owned(read.values_of(&["x", "exec"])),
        "difftool" => {
            let read = Args::read(args, "-x --extcmd -t --tool", FlagStyle::Gnu);
            owned(read.values_of(&["x", "extcmd"]))
        }
        "grep" => {
            let read = Args::read(args, "-e -f -m -A -B -C --threads -O?", FlagStyle::Gnu);
            owned(read.values_of(&["O", "open-files-in-pager"]))
        }
        "instaweb" => {
            let read = Args::read(args, "-d --httpd -b --browser", FlagStyle::Gnu);
            owned(read.values_of(&["d", "httpd", "b", "browser"]))
        }
        "send-email" => {
            let read = Args::read(args, "--smtp-server --sendmail-cmd", FlagStyle::Gnu);
            let values = read.values_of(&["smtp-server", "sendmail-cmd"]);
            owned(values.filter(|value| value.contains('/')))
        }
        "submodule" if read.operand(0) == Some("foreach") => after(args, "foreach"),
        "bisect" if read.operand(0) == Some("run") => after(args, "run"),
        _ => Vec::new(),
    }
}

fn owned<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    texts.map(str::to_owned).collect()
}

/// The command after a word and its flags: a single word is shell text, several words are arguments.
fn after(args: &[Word], word: &str) -> Vec<String> {
    let Some(at) = args.iter().position(|arg| arg.text == word) else {
        return Vec::new();
    };
    let rest = &args[at + 1..];
    let flags = rest
        .iter()
        .take_while(|arg| arg.text.starts_with('-'))
        .count();
    match &rest[flags..] {
        [] => Vec::new(),
        [text] => vec![text.text.clone()],
        [first, words @ ..] => vec![with_words(quoted(&first.text), words)],
    }
}

fn with_words(mut text: String, words: &[Word]) -> String {
    for word in words {
        text.push(' ');
        text.push_str(&quoted(&word.text));
    }
    text
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:@%+,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::PathKind;
    use crate::plain_shell;

    struct AliasFacts;

    impl Facts for AliasFacts {
        fn path_kind(&self, _: &str) -> Option<PathKind> {
            None
        }
        fn real_path(&self, _: &str) -> Option<String> {
            None
        }
        fn script_text(&self, _: &str) -> Option<String> {
            None
        }
        fn git_alias(&self, name: &str, cwd: &str) -> Option<String> {
            assert_eq!(cwd, "/home/dev/app");
            match name {
                "wipe" => Some("!rm -rf build".to_owned()),
                "undo" => Some("reset --hard".to_owned()),
                "loop" => Some("loop".to_owned()),
                _ => None,
            }
        }
        fn list_names(&self, _: &str) -> Vec<String> {
            Vec::new()
        }
    }

    fn script(line: &str) -> crate::command::Script {
        plain_shell::script(line).expect("plain")
    }

    #[test]
    fn git_shell_texts_are_returned() {
        for (line, expected) in [
            ("git wipe 'a b'", &["rm -rf build 'a b'"][..]),
            ("git -c alias.x='!id' x", &["id"]),
            (
                "git submodule foreach --recursive 'git reset --hard'",
                &["git reset --hard"],
            ),
            ("git submodule foreach git clean -fd", &["git clean -fd"]),
            ("git bisect run sh -c 'exit 1'", &["sh -c 'exit 1'"]),
            (
                "git rebase -i -x 'make test' --exec ./x main",
                &["make test", "./x"],
            ),
            ("git difftool -x ./x HEAD", &["./x"]),
            ("git undo", &[]),
            ("git status", &[]),
            ("git submodule status", &[]),
            ("ls", &[]),
        ] {
            let texts = git_shell_commands(
                &script(line).commands[0],
                &RunLocation::default(),
                &AliasFacts,
            );
            assert_eq!(texts, expected, "{line}");
        }
    }

    #[test]
    fn configured_aliases_are_judged_by_their_expansion() {
        for (line, expected) in [
            ("git undo", Some("git.reset-hard")),
            ("git undo HEAD~3", Some("git.reset-hard")),
            ("git loop", Some("git.unknown-command")),
            ("git wipe", None),
            ("git harmless", None),
        ] {
            let script = script(line);
            let mut found = Vec::new();
            crate::packs::check(
                &script.commands[0],
                &script,
                &RunLocation::default(),
                &AliasFacts,
                &mut found,
            );
            assert_eq!(
                found.first().map(|finding| finding.rule.id),
                expected,
                "{line}"
            );
        }
    }

    /// Provides facts about one file.
    struct OneFileFacts;

    impl Facts for OneFileFacts {
        fn path_kind(&self, path: &str) -> Option<PathKind> {
            Some(if path == "/home/dev/app/README.md" {
                PathKind::File
            } else {
                PathKind::Missing
            })
        }
        fn real_path(&self, _: &str) -> Option<String> {
            None
        }
        fn script_text(&self, _: &str) -> Option<String> {
            None
        }
        fn git_alias(&self, _: &str, _: &str) -> Option<String> {
            None
        }
        fn list_names(&self, _: &str) -> Vec<String> {
            Vec::new()
        }
    }

    #[test]
    fn checkout_of_a_file_differs_from_checkout_of_a_branch() {
        for (line, discards) in [
            ("git checkout README.md", true),
            ("git checkout main", false),
            ("git -C /srv checkout README.md", false),
            ("git -C /home/dev -C app checkout README.md", true),
            ("git -C .. checkout README.md", false),
        ] {
            let script = script(line);
            let mut found = Vec::new();
            crate::packs::check(
                &script.commands[0],
                &script,
                &RunLocation::default(),
                &OneFileFacts,
                &mut found,
            );
            assert_eq!(
                found.iter().any(|finding| finding.rule.id == "git.discard"),
                discards,
                "{line}"
            );
        }
    }
}
