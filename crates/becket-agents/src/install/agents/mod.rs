//! Every agent's files, events and peculiarities; a table more than a program.
//!
//! What is known about an agent comes from its source or from watching it run, with the version named
//! beside. An event is left out only for a reason that stands beside the list: entries that a person
//! adds for it by hand are kept and corrected like all others.

mod flat;
mod listed;
mod nested;
mod own;

use super::Installer;

/// In the order in which people are shown them.
pub(super) static ALL: &[&dyn Installer] = &[
    &crate::claude::install::INSTALLER,
    &nested::CODEX,
    &nested::GEMINI,
    &nested::QWEN,
    &flat::COPILOT,
    &own::OPENCODE,
    &flat::CURSOR,
    &listed::AUTOHAND,
    &flat::WINDSURF,
    &nested::DEVIN,
    &nested::DROID,
    &own::CLINE,
    &listed::KIRO,
    &nested::AUGMENT,
    &flat::CRUSH,
    &nested::GOOSE,
    &own::AMP,
];
