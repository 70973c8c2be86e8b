//! Every agent's files, events and peculiarities, mostly as data.
//!
//! The facts about an agent come from its source or from observing it, and the version is named next to them.
//! An event is left out only for a reason stated next to the list: entries that a user adds for it by hand
//! are kept and corrected like all others.

mod flat;
mod generated;
mod listed;
mod nested;

use super::Installer;

/// In display order.
pub(super) static ALL: &[&dyn Installer] = &[
    &crate::claude::install::INSTALLER,
    &nested::CODEX,
    &nested::GEMINI,
    &nested::QWEN,
    &flat::COPILOT,
    &generated::OPENCODE,
    &flat::CURSOR,
    &listed::AUTOHAND,
    &flat::WINDSURF,
    &nested::DEVIN,
    &nested::DROID,
    &generated::CLINE,
    &listed::KIRO,
    &nested::AUGMENT,
    &flat::CRUSH,
    &nested::GOOSE,
    &generated::AMP,
];
