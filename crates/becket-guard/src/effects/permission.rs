//! `chmod`, `chown` and their kin.

use super::flags::{Grammar, Line};
use super::report::Report;
use super::rules;
use crate::command::{Invocation, Word};
use crate::facts::Found;
use crate::paths::{Area, Follow, Guarded, Machine, Persistence, Scene, Spot};
use crate::rule::Rule;

/// Adds what is wrong with the permissions that a command gives.
pub(super) fn check(command: &Invocation, scene: &Scene<'_>, report: &mut Report<'_>) {
    match command.program.as_str() {
        "chmod" | "gchmod" => chmod(command, scene, report),
        "chown" | "chgrp" | "gchown" => {
            let line = line(command);
            let by_reference = line.has(&["reference"]);
            targets(
                line.operands.get(usize::from(!by_reference)..),
                is_recursive(&line),
                scene,
                report,
            );
        }
        "setcap" => report.command(&rules::SETUID),
        "setfacl" => setfacl(command, report),
        "chattr" | "chflags" => {
            let line = line(command);
            targets(line.operands.get(1..), is_recursive(&line), scene, report);
        }
        "install" | "ginstall" => {
            let line = Line::of(
                command,
                &Grammar {
                    short: "tSmog",
                    long: &["mode="],
                    ..Grammar::PLAIN
                },
            );
            for mode in line.values(&["m", "mode"]) {
                if Mode::read(&mode.text).setuid {
                    report.command(&rules::SETUID);
                }
            }
        }
        _ => {}
    }
}

fn line(command: &Invocation) -> Line<'_> {
    Line::of(
        command,
        &Grammar {
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
            ..Grammar::PLAIN
        },
    )
}

fn is_recursive(line: &Line<'_>) -> bool {
    line.has(&["R", "recursive"])
}

fn chmod(command: &Invocation, scene: &Scene<'_>, report: &mut Report<'_>) {
    let line = line(command);
    let recursive = is_recursive(&line);
    // `chmod -x file` takes rights away and looks like a flag.
    let takes_away = line
        .flags
        .iter()
        .any(|flag| matches!(flag.name, "r" | "w" | "x" | "X" | "s" | "t"));
    if takes_away && line.has(&["x"]) {
        let is_hook = |word: &Word| {
            let spots = scene.spots(word, Follow::Links);
            spots
                .iter()
                .any(|spot| spot.guarded == Some(Guarded::Persistence(Persistence::Git)))
        };
        if line.operands.iter().any(is_hook) {
            report.command(&rules::SKIP_HOOKS);
        }
    }
    if takes_away || line.has(&["reference"]) {
        targets(Some(&line.operands), recursive, scene, report);
        return;
    }
    let Some((mode, files)) = line.operands.split_first() else {
        return;
    };
    let mode = Mode::read(&mode.text);
    let is_directory =
        |word: &Word| scene.found(&scene.absolute(&word.text)) == Some(Found::Directory);
    if mode.setuid || mode.setgid && !files.iter().all(is_directory) {
        report.command(&rules::SETUID);
    }
    if !scene.machine().is_container() {
        if mode.all || mode.others_write && recursive {
            report.command(&rules::WORLD_WRITABLE);
        } else if mode.others_write {
            report.command(&rules::OTHERS_WRITE);
        }
    }
    if mode.others_read {
        expose(files, scene, report);
    }
    targets(Some(files), recursive, scene, report);
}

fn expose(files: &[Word], scene: &Scene<'_>, report: &mut Report<'_>) {
    let spots = files
        .iter()
        .flat_map(|word| scene.spots(word, Follow::Links));
    for spot in spots {
        if spot
            .secret
            .is_some_and(|secret| secret.sure && secret.is_hidden())
            && !spot.possible
        {
            report.path(&rules::SECRET_EXPOSE, &spot.path);
        }
    }
}

fn targets(words: Option<&[Word]>, recursive: bool, scene: &Scene<'_>, report: &mut Report<'_>) {
    for word in words.unwrap_or_default() {
        for spot in scene.spots(word, Follow::Links) {
            if let Some(rule) = on(&spot, recursive, scene.machine()) {
                report.path(rule, &spot.path);
            }
        }
    }
}

fn on(spot: &Spot, recursive: bool, machine: Machine) -> Option<&'static Rule> {
    if spot.guarded == Some(Guarded::Own) {
        return Some(&rules::OWN_CONFIG);
    }
    match spot.area {
        Area::Root | Area::System | Area::Home if recursive => Some(&rules::PERMISSIONS_VITAL),
        _ if machine != Machine::Local => None,
        Area::Root | Area::System | Area::InSystem | Area::Device => Some(&rules::WRITE_SYSTEM),
        Area::ProjectParent | Area::HomeTop | Area::InHome | Area::Outside
            if recursive && spot.secret.is_none() =>
        {
            Some(&rules::PERMISSIONS_OUTSIDE)
        }
        _ => None,
    }
}

fn setfacl(command: &Invocation, report: &mut Report<'_>) {
    let gives = |word: &str| {
        word.split(',').any(|entry| {
            let mut parts = entry.split(':');
            let who = parts.next().unwrap_or("");
            let rights = parts.next_back().unwrap_or("");
            matches!(who, "o" | "other") && rights.contains('w')
        })
    };
    if command.words().any(gives) {
        report.command(&rules::OTHERS_WRITE);
    }
}

/// What a mode gives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "a mode is a set of bits")]
struct Mode {
    /// Everything to everybody.
    all: bool,
    others_write: bool,
    others_read: bool,
    setuid: bool,
    setgid: bool,
}

impl Mode {
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
    fn modes_are_read_in_numbers_and_letters() {
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
            let mode = Mode::read(text);
            assert_eq!(
                (mode.all, mode.others_write, mode.setuid),
                (all, write, setuid),
                "{text}"
            );
        }
    }
}
