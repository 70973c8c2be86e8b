//! The `becket` command, as two programs that are installed side by side.
//!
//! Agents start `becket` for every event, so it is small: it answers `becket hook` itself and
//! becomes `becketd`, which knows everything else, for whatever people type. Only this crate prints
//! or exits.

mod detach;
mod exit;
mod handed;
mod hook;
mod stdin;
mod tell;
mod trail;
mod twin;
mod wake;

#[cfg(feature = "large")]
mod agents;
#[cfg(feature = "large")]
mod alarms;
#[cfg(feature = "large")]
mod args;
#[cfg(feature = "large")]
mod check;
#[cfg(feature = "large")]
mod codex;
#[cfg(feature = "large")]
mod daemon;
#[cfg(feature = "large")]
mod demo;
#[cfg(feature = "large")]
mod doctor;
#[cfg(feature = "large")]
mod everything;
#[cfg(feature = "large")]
mod examples;
#[cfg(feature = "large")]
mod explain;
#[cfg(feature = "large")]
mod export;
#[cfg(feature = "large")]
mod follow;
#[cfg(feature = "large")]
mod hooks;
#[cfg(feature = "large")]
mod index;
#[cfg(feature = "large")]
mod init;
#[cfg(feature = "large")]
mod learn;
#[cfg(feature = "large")]
mod leave;
#[cfg(feature = "large")]
mod look;
#[cfg(feature = "large")]
mod machine;
#[cfg(feature = "large")]
mod manual;
#[cfg(feature = "large")]
mod mcp;
#[cfg(feature = "large")]
mod memories;
#[cfg(feature = "large")]
mod notify;
#[cfg(feature = "large")]
mod progress;
#[cfg(feature = "large")]
mod prune;
#[cfg(feature = "large")]
mod recall;
#[cfg(feature = "large")]
mod records;
#[cfg(feature = "large")]
mod replay;
#[cfg(feature = "large")]
mod report;
#[cfg(feature = "large")]
mod rpc;
#[cfg(feature = "large")]
mod schema;
#[cfg(feature = "large")]
mod screen;
#[cfg(feature = "large")]
mod search;
#[cfg(feature = "large")]
mod servers;
#[cfg(feature = "large")]
mod sessions;
#[cfg(feature = "large")]
mod setup;
#[cfg(feature = "large")]
mod stats;
#[cfg(feature = "large")]
#[cfg(feature = "large")]
mod table;
#[cfg(feature = "large")]
mod tail;
#[cfg(feature = "large")]
mod target;
#[cfg(feature = "large")]
mod top;
#[cfg(feature = "large")]
mod trust;
#[cfg(feature = "large")]
mod turn;
#[cfg(feature = "large")]
mod typist;
#[cfg(feature = "large")]
mod ui;
#[cfg(feature = "large")]
mod up;

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
#[cfg(feature = "large")]
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
