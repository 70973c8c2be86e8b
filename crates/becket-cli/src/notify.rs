//! `becket notify [--then PROGRAM ARG…] JSON`: receives Codex's turn-finished notification.
//!
//! Codex passes one JSON object as the last argument and ignores the output. With `--then`, Becket also starts the program
//! that was configured before it, with the same argument.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use becket::env::ProcessEnv;
use becket::{Home, NeedsFullBinary, Request, adapter, respond};

use crate::all_hooks::AllHooks;
use crate::codex::ID;
use crate::exit::Exit;
use crate::hook::{cancel_hooks_on_signal, deliver, print_stderr, print_stdout};

const USAGE: &str = "usage: becket notify [--then PROGRAM [ARG…]] JSON";

pub(crate) fn main(words: impl Iterator<Item = OsString>) -> Exit {
    let mut words: Vec<OsString> = words.collect();
    if words
        .first()
        .is_some_and(|word| word == "--help" || word == "-h")
    {
        print_stdout(&format!(
            "Receives Codex's turn-finished notification (called by Codex)\n\n{USAGE}\n"
        ));
        return Exit::Success;
    }
    let Some(payload) = words.pop() else {
        print_stderr(&format!("becket: missing notification\n{USAGE}\n"));
        return Exit::Usage;
    };
    match words.split_first() {
        None => {}
        Some((then, [program, arguments @ ..])) if then == "--then" => {
            start_next_program(program, arguments, &payload);
        }
        Some((word, _)) => {
            let word = word.to_string_lossy();
            print_stderr(&format!("becket: unexpected argument `{word}`\n{USAGE}\n"));
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
        before_hooks: &cancel_hooks_on_signal,
        factory: &AllHooks,
    };
    match respond(&request) {
        Ok(response) => deliver(response, &request),
        Err(NeedsFullBinary) => Exit::Failure,
    }
}

/// Starts the previously configured program without waiting for it, as Codex would.
fn start_next_program(program: &OsString, arguments: &[OsString], payload: &OsString) {
    let started = Command::new(program)
        .args(arguments)
        .arg(payload)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = started {
        let program = program.to_string_lossy();
        print_stderr(&format!("becket: cannot start `{program}`: {error}\n"));
    }
}
