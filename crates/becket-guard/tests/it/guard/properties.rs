//! Properties that hold for every command and tool call.

use becket_guard::command::{Launcher, Redirect, RedirectKind, Script, Stdin};
use becket_guard::{Invocation, NoFacts, Word, effects, tools};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Value, json};

use super::fake_machine::{FakeMachine, location};

const PROGRAMS: &[&str] = &[
    "rm",
    "cp",
    "mv",
    "ln",
    "install",
    "tar",
    "zip",
    "7z",
    "dd",
    "find",
    "chmod",
    "chown",
    "curl",
    "wget",
    "http",
    "nc",
    "socat",
    "openssl",
    "gpg",
    "ssh-keygen",
    "grep",
    "rg",
    "sed",
    "awk",
    "jq",
    "yq",
    "perl",
    "cut",
    "sort",
    "uniq",
    "tee",
    "rsync",
    "scp",
    "mkfs",
    "wipefs",
    "kill",
    "env",
    "export",
    "becket",
    "claude",
    "dig",
    "sh",
    "setfacl",
    "",
];

#[rustfmt::skip]
const PARTS: &[&str] = &[
    "-", "--", "-r", "-rf", "-t", "-o", "-C", "-exec", "-name", "-delete", "=", "of=", "@", ":", "/", "//", "~", "..", ".", "*", "**",
    "?", "[", "[a-", "]", "{", "}", ",", "\u{FFFC}", ".env", ".git", "é", "\u{202E}", "\n", "\0", "/proc/self/cwd", "c:\\", "777",
    "a+rwx", "https://[", "file://", "%", "host:", " ",
];

fn text() -> impl Strategy<Value = String> {
    vec(select(PARTS), 0..6).prop_map(|parts| parts.concat())
}

fn word() -> impl Strategy<Value = Word> {
    (text(), any::<bool>(), vec(0..6usize, 0..2)).prop_map(|(text, glob, from)| Word {
        glob,
        from,
        ..Word::literal(text)
    })
}

prop_compose! {
    fn command()(
        program in select(PROGRAMS),
        args in vec(word(), 0..6),
        target in word(),
        kind in select(vec![RedirectKind::Read, RedirectKind::Truncate, RedirectKind::Append]),
        has_cwd in any::<bool>(),
        via in select(vec!["", "find", "xargs", "ssh"]),
        source in 0..6usize,
        more_operands in any::<bool>(),
    ) -> Invocation {
        Invocation {
            program: program.into(),
            args,
            redirects: vec![Redirect { kind, target }],
            cwd: has_cwd.then(|| location().cwd),
            via: match via {
                "" => Vec::new(),
                "ssh" => vec![Launcher::Remote("ssh".into())],
                via => vec![Launcher::Wrapper(via.into())],
            },
            stdin: Stdin::Pipe(source),
            sources: vec![source],
            more_operands,
            ..Invocation::default()
        }
    }
}

fn input() -> impl Strategy<Value = Value> {
    let keys = [
        "path",
        "file_path",
        "patch",
        "content",
        "source",
        "uri",
        "glob",
        "url",
        "paths",
    ];
    vec((select(keys.to_vec()), text()), 0..4).prop_map(|fields| {
        let fields = fields
            .into_iter()
            .map(|(key, text)| (key.to_owned(), json!(text)));
        Value::Object(fields.collect())
    })
}

proptest! {
    /// Any commands are judged without a panic, and every finding is printable.
    #[test]
    fn random_scripts_are_judged_without_panic(commands in vec(command(), 1..5)) {
        let script = Script { commands, doubts: Vec::new() };
        let machine = FakeMachine::with(&["/home/me/work/app/a", "/home/me/work/app/l -> /home/me"]);
        let mut found = Vec::new();
        for command in &script.commands {
            effects::check(command, &script, &location(), &NoFacts, &mut found);
            effects::check(command, &script, &location(), &machine, &mut found);
            effects::check_variables("é$", command, &script, &mut found);
        }
        for finding in found {
            prop_assert!(!finding.subject.contains(char::is_control), "{:?}", finding.subject);
            prop_assert!(finding.subject.chars().count() <= 81);
        }
    }

    /// Any input of any tool is judged without a panic.
    #[test]
    fn random_tool_calls_are_judged_without_panic(
        tool in select(vec!["Read", "Write", "Edit", "Delete", "Grep", "WebFetch", "ApplyPatch", "mcp__a__move", "mcp__a__x"]),
        input in input(),
    ) {
        let mut found = Vec::new();
        tools::check(tool, &input, &location(), &NoFacts, &mut found);
        for finding in found {
            prop_assert!(!finding.subject.contains(char::is_control), "{:?}", finding.subject);
        }
    }
}
