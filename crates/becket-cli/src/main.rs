//! The `becket` command.
//!
//! Agents start it for every event, so `becket hook` is decided on before anything else is looked
//! at; everything a person types goes through [`args`]. Only this crate prints or exits.

mod agents;
mod args;
mod detach;
mod doctor;
mod exit;
mod explain;
mod hook;
mod hooks;
mod init;
mod machine;
mod report;
mod schema;
mod stdin;
mod tail;
mod trail;
mod trust;

use std::process::ExitCode;

/// musl's own allocator takes most of the time of a short process.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let first = words.next();
    let code = match first.as_ref().and_then(|word| word.to_str()) {
        Some("hook") => hook::main(words),
        Some(detach::WORD) => detach::main(),
        _ => args::main(),
    };
    code.into()
}
