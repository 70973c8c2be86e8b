//! The `becket` command line: the small hook client `becket` and the full binary `becketd`, installed side by side.
//!
//! Agents start `becket` for every event, so it is small: it runs `becket hook` itself and executes `becketd` for every
//! other command. Start at [`becket()`]; `args` dispatches the commands of the full binary. Only this crate prints to the
//! terminal or sets exit codes; hooks, storage and rules live in the other crates.

mod autostart;
mod detach;
mod exit;
mod full_binary;
mod hook;
mod inject;
mod memfd;
mod recorder;
mod stdin;

/// The modules of the full binary. They are addressed as `crate::NAME`, like those of the hook client.
#[cfg(feature = "large")]
#[path = "."]
mod full {
    pub(crate) mod agents;
    pub(crate) mod alarms;
    pub(crate) mod all_hooks;
    pub(crate) mod args;
    pub(crate) mod caller;
    pub(crate) mod check;
    pub(crate) mod codex;
    pub(crate) mod command_groups;
    pub(crate) mod daemon;
    pub(crate) mod demo;
    pub(crate) mod doctor;
    pub(crate) mod examples;
    pub(crate) mod explain;
    pub(crate) mod export;
    pub(crate) mod follow;
    pub(crate) mod hooks;
    pub(crate) mod index;
    pub(crate) mod init;
    pub(crate) mod learn;
    pub(crate) mod machine;
    pub(crate) mod manual;
    pub(crate) mod mcp;
    pub(crate) mod mcp_servers;
    pub(crate) mod memories;
    pub(crate) mod notify;
    pub(crate) mod progress;
    pub(crate) mod prune;
    pub(crate) mod recall;
    pub(crate) mod records;
    pub(crate) mod replay;
    pub(crate) mod report;
    pub(crate) mod rpc;
    pub(crate) mod schema;
    pub(crate) mod search;
    pub(crate) mod sessions;
    pub(crate) mod settings_target;
    pub(crate) mod setup;
    pub(crate) mod stats;
    pub(crate) mod table;
    pub(crate) mod tail;
    pub(crate) mod terminal;
    pub(crate) mod top;
    pub(crate) mod trust;
    pub(crate) mod turn_stats;
    pub(crate) mod ui;
    pub(crate) mod uninstall;
    pub(crate) mod up;
    pub(crate) mod widgets;
}

#[cfg(feature = "large")]
#[allow(
    clippy::wildcard_imports,
    reason = "the modules are the crate's own; one `cfg` covers them all"
)]
use full::*;

use std::process::ExitCode;

/// musl's allocator would dominate the run time of a short process.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// Entry point of the hook client.
pub fn becket() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let first = words.next();
    let code = match first.as_ref().and_then(|word| word.to_str()) {
        Some("hook") => hook::main(words, &becket::CoreHooks),
        Some(detach::SUBCOMMAND) => detach::main(&becket::CoreHooks),
        _ => full_binary::exec_or_fail(),
    };
    code.into()
}

/// Entry point of the full binary: every command, and events whose hooks the client cannot run.
#[cfg(feature = "large")]
pub fn becketd() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let first = words.next();
    let code = match first.as_ref().and_then(|word| word.to_str()) {
        Some("hook") => hook::main(words, &all_hooks::AllHooks),
        Some("notify") => notify::main(words),
        Some(detach::SUBCOMMAND) => detach::main(&all_hooks::AllHooks),
        _ => args::main(),
    };
    code.into()
}
