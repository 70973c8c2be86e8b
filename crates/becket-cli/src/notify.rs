//! `becket notify [--then PROGRAM ARG…] JSON`: what Codex calls when a turn is over.
//!
//! Codex passes one JSON object as the last argument and listens to nothing. With `--then`, the
//! program that it called before Becket came is called with the same argument.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use becket::env::ProcessEnv;
use becket::{Home, Reply, Request, adapter, respond};

use crate::codex::ID;
use crate::everything::Everything;
use crate::exit::Exit;
use crate::hook::{deliver, end_hooks_on_signal, say, say_on_stdout};

const USAGE: &str = "usage: becket notify [--then PROGRAM [ARG…]] JSON";

pub(crate) fn main(words: impl Iterator<Item = OsString>) -> Exit {
    let mut words: Vec<OsString> = words.collect();
    if words
        .first()
        .is_some_and(|word| word == "--help" || word == "-h")
    {
        say_on_stdout(&format!(
            "Hears of the end of a turn from Codex, which calls this\n\n{USAGE}\n"
        ));
        return Exit::Success;
    }
    let Some(payload) = words.pop() else {
        say(&format!("becket: there is no notification\n{USAGE}\n"));
        return Exit::Usage;
    };
    match words.split_first() {
        None => {}
        Some((then, [program, arguments @ ..])) if then == "--then" => {
            pass_on(program, arguments, &payload);
        }
        Some((word, _)) => {
            let word = word.to_string_lossy();
            say(&format!("becket: unexpected argument `{word}`\n{USAGE}\n"));
            return Exit::Usage;
        }
    }
    let Some(adapter) = adapter(ID) else {
        return Exit::Usage;
    };
    let home = Home::find(&ProcessEnv);
    let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
    let request = Request {
        adapter,
        event: None,
        payload: payload.as_encoded_bytes(),
        home: &home,
        cwd: &cwd,
        before_hooks: &end_hooks_on_signal,
        maker: &Everything,
    };
    match respond(&request) {
        Reply::Ready(response) => deliver(*response, &request),
        Reply::Beyond => Exit::Failure,
    }
}

/// Starts the program that was there before, as Codex would, and does not wait for it either.
fn pass_on(program: &OsString, arguments: &[OsString], payload: &OsString) {
    let started = Command::new(program)
        .args(arguments)
        .arg(payload)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        let program = program.to_string_lossy();
        say(&format!("becket: `{program}` was not notified: {error}\n"));
    }
}
