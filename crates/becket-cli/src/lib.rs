//! The `becket` command, as two programs that are installed side by side.
//!
//! Agents start `becket` for every event, so it is small: it answers `becket hook` itself and
//! becomes `becketd`, which knows everything else, for whatever people type. Only this crate prints
//! or exits.

mod agents;
mod args;
mod check;
mod codex;
mod daemon;
mod detach;
mod doctor;
mod everything;
mod exit;
mod explain;
mod handed;
mod hook;
mod hooks;
mod init;
mod machine;
mod notify;
mod report;
mod schema;
mod stdin;
mod tail;
mod target;
mod trail;
mod trust;
mod twin;

use std::process::ExitCode;

/// musl's own allocator takes most of the time of a short process.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// What agents start.
pub fn becket() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let first = words.next();
    let code = match first.as_ref().and_then(|word| word.to_str()) {
        Some("hook") => hook::main(words, &becket::Essentials),
        Some(detach::WORD) => detach::main(&becket::Essentials),
        _ => twin::become_becketd(),
    };
    code.into()
}

/// Everything that people type, and events whose hooks need more than the small program has.
pub fn becketd() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let first = words.next();
    let code = match first.as_ref().and_then(|word| word.to_str()) {
        Some("hook") => hook::main(words, &everything::Everything),
        Some("notify") => notify::main(words),
        Some(detach::WORD) => detach::main(&everything::Everything),
        _ => args::main(),
    };
    code.into()
}
