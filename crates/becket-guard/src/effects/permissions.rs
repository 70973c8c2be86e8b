//! Rules about `chmod`, `chown` and similar programs.

use super::flags::{FlagGrammar, ParsedArgs};
use super::report::FindingReport;
use crate::command::{Invocation, Word};
use crate::facts::PathKind;
use crate::paths::{
    ClassifiedPath, FollowLinks, PathArea, PathContext, PersistenceKind, Protection, TargetMachine,
};
use crate::rule::Rule;
use crate::rules;

/// Checks the permissions that a command grants.
pub(super) fn check(
    command: &Invocation,
    context: &PathContext<'_>,
    report: &mut FindingReport<'_>,
) {
    match command.program.as_str() {
        "chmod" | "gchmod" => chmod(command, context, report),
        "chown" | "chgrp" | "gchown" => {
            let line = line(command);
            let by_reference = line.has(&["reference"]);
            targets(
                line.operands.get(usize::from(!by_reference)..),
                is_recursive(&line),
                context,
                report,
            );
        }
        "setcap" => report.add_command(&rules::CORE_SETUID),
        "setfacl" => setfacl(command, report),
        "chattr" | "chflags" => {
            let line = line(command);
            targets(line.operands.get(1..), is_recursive(&line), context, report);
        }
        "install" | "ginstall" => {
            let line = ParsedArgs::of(
                command,
                &FlagGrammar {
                    short: "tSmog",
                    long: &["mode="],
                    ..FlagGrammar::PLAIN
                },
            );
            for mode in line.values(&["m", "mode"]) {
                if FileMode::read(&mode.text).setuid {
                    report.add_command(&rules::CORE_SETUID);
                }
            }
        }
        _ => {}
    }
}

fn line(command: &Invocation) -> ParsedArgs<'_> {
    ParsedArgs::of(
        command,
        &FlagGrammar {
            long: &[
                "recursive",
                "reference=",
                "from=",
                "verbose",
                "changes",
                "silent",
                "quiet",
                "no-dereference",
                "preserve-root",
                "no-preserve-root",
            ],
            ..FlagGrammar::PLAIN
        },
    )
}

fn is_recursive(line: &ParsedArgs<'_>) -> bool {
    line.has(&["R", "recursive"])
}

fn chmod(command: &Invocation, context: &PathContext<'_>, report: &mut FindingReport<'_>) {
    let line = line(command);
    let recursive = is_recursive(&line);
    // `chmod -x file` removes permissions; the mode looks like a flag.
    let takes_away = line
        .flags
        .iter()
        .any(|flag| matches!(flag.name, "r" | "w" | "x" | "X" | "s" | "t"));
    if takes_away && line.has(&["x"]) {
        let is_hook = |word: &Word| {
            let candidates = context.classify_word(word, FollowLinks::Always);
            candidates.iter().any(|classified| {
                classified.protection == Some(Protection::Persistence(PersistenceKind::Git))
            })
        };
        if line.operands.iter().any(is_hook) {
            report.add_command(&rules::GUARD_DELETE_HOOKS);
        }
    }
    if takes_away || line.has(&["reference"]) {
        targets(Some(&line.operands), recursive, context, report);
        return;
    }
    let Some((mode, files)) = line.operands.split_first() else {
        return;
    };
    let mode = FileMode::read(&mode.text);
    let is_directory =
        |word: &Word| context.path_kind(&context.absolute(&word.text)) == Some(PathKind::Directory);
    if mode.setuid || mode.setgid && !files.iter().all(is_directory) {
        report.add_command(&rules::CORE_SETUID);
    }
    if !context.machine().is_container() {
        if mode.all || mode.others_write && recursive {
            report.add_command(&rules::CORE_WORLD_WRITABLE);
        } else if mode.others_write {
            report.add_command(&rules::CORE_OTHERS_WRITE);
        }
    }
    if mode.others_read {
        expose(files, context, report);
    }
    targets(Some(files), recursive, context, report);
}

fn expose(files: &[Word], context: &PathContext<'_>, report: &mut FindingReport<'_>) {
    let candidates = files
        .iter()
        .flat_map(|word| context.classify_word(word, FollowLinks::Always));
    for classified in candidates {
        if classified
            .secret
            .is_some_and(|secret| secret.sure && secret.is_confidential())
            && !classified.is_possible
        {
            report.add_path(&rules::SECRETS_EXPOSE, &classified.path);
        }
    }
}

fn targets(
    words: Option<&[Word]>,
    recursive: bool,
    context: &PathContext<'_>,
    report: &mut FindingReport<'_>,
) {
    for word in words.unwrap_or_default() {
        for classified in context.classify_word(word, FollowLinks::Always) {
            if let Some(rule) = permission_rule(&classified, recursive, context.machine()) {
                report.add_path(rule, &classified.path);
            }
        }
    }
}

fn permission_rule(
    classified: &ClassifiedPath,
    recursive: bool,
    machine: TargetMachine,
) -> Option<&'static Rule> {
    if classified.protection == Some(Protection::Becket) {
        return Some(&rules::GUARD_OWN);
    }
    match classified.area {
        PathArea::Root | PathArea::System | PathArea::Home if recursive => {
            Some(&rules::CORE_PERMISSIONS_VITAL)
        }
        _ if machine != TargetMachine::Local => None,
        PathArea::Root | PathArea::System | PathArea::InSystem | PathArea::Device => {
            Some(&rules::CORE_WRITE_SYSTEM)
        }
        PathArea::ProjectParent | PathArea::HomeTop | PathArea::InHome | PathArea::Outside
            if recursive && classified.secret.is_none() =>
        {
            Some(&rules::CORE_PERMISSIONS_OUTSIDE)
        }
        _ => None,
    }
}

fn setfacl(command: &Invocation, report: &mut FindingReport<'_>) {
    let gives = |word: &str| {
        word.split(',').any(|entry| {
            let mut parts = entry.split(':');
            let who = parts.next().unwrap_or("");
            let rights = parts.next_back().unwrap_or("");
            matches!(who, "o" | "other") && rights.contains('w')
        })
    };
    if command.words().any(gives) {
        report.add_command(&rules::CORE_OTHERS_WRITE);
    }
}

/// The permissions that a mode grants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a mode is a set of bits")]
struct FileMode {
    /// All permissions for all users.
    all: bool,
    others_write: bool,
    others_read: bool,
    setuid: bool,
    setgid: bool,
}

impl FileMode {
    fn read(text: &str) -> Self {
        let digits = text.strip_prefix(['=', '+']).unwrap_or(text);
        match u32::from_str_radix(digits, 8) {
            Ok(bits) => Self {
                all: bits & 0o077 == 0o077 && bits & 0o1000 == 0,
                others_write: bits & 0o002 != 0,
                others_read: bits & 0o004 != 0,
                setuid: bits & 0o4000 != 0,
                setgid: bits & 0o2000 != 0,
            },
            Err(_) => Self::symbolic(text),
        }
    }

    fn symbolic(text: &str) -> Self {
        let mut mode = Self::default();
        for clause in text.split(',') {
            let Some(at) = clause.find(['+', '=', '-']) else {
                continue;
            };
            let (who, what) = clause.split_at(at);
            if what.starts_with('-') {
                continue;
            }
            let others = who.contains(['o', 'a']);
            mode.all |= others && ['r', 'w', 'x'].iter().all(|right| what.contains(*right));
            mode.others_write |= others && what.contains('w');
            mode.others_read |= (others || who.is_empty()) && what.contains('r');
            mode.setuid |= what.contains('s') && (who.is_empty() || who.contains(['u', 'a']));
            mode.setgid |= what.contains('s') && who.contains('g');
        }
        mode
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_modes_parse_octal_and_symbolic() {
        for (text, all, write, setuid) in [
            ("777", true, true, false),
            ("0777", true, true, false),
            ("1777", false, true, false),
            ("4755", false, false, true),
            ("666", false, true, false),
            ("755", false, false, false),
            ("644", false, false, false),
            ("a+rwx", true, true, false),
            ("ugo=rwx", true, true, false),
            ("o+w", false, true, false),
            ("+x", false, false, false),
            ("+w", false, false, false),
            ("u+s", false, false, true),
            ("+s", false, false, true),
            ("go-rwx", false, false, false),
            ("u=rwX,go=rX", false, false, false),
        ] {
            let mode = FileMode::read(text);
            assert_eq!(
                (mode.all, mode.others_write, mode.setuid),
                (all, write, setuid),
                "{text}"
            );
        }
    }
}
