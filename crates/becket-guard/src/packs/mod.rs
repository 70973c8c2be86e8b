//! Rules about specific tools: what version control, databases, containers, clouds and other tools destroy, publish
//! or leak.
//!
//! A pack is a table of command-line patterns (`data/packs/`, `tool`, `pattern`) over one argument parser (`args`).
//! Git refspecs, SQL and HTTP requests need code in addition to the tables. `runners` sees through programs that only start other
//! programs. Packs do not look at paths; the core rules in [`effects`](crate::effects) do.

pub(crate) mod args;
mod containers;
mod databases;
mod exceptions;
mod git;
mod http;
mod pattern;
mod runners;
mod tool;

#[cfg(test)]
mod tests;

pub use git::git_shell_commands;

pub(crate) use http::is_metadata_service;

use crate::command::{Invocation, Script};
use crate::facts::{Facts, RunLocation};
use crate::rule::{Finding, Pack, Rule};
use crate::rules;
use args::FlagStyle;
use tool::{CommandContext, ToolRules, fine, on, report};

/// All packs that can be switched off, including those of the core rules.
pub const PACKS: &[Pack] = rules::PACKS;

include!(concat!(env!("OUT_DIR"), "/tools.rs"));

/// The tables that judge `program`, in order.
fn tools_of(program: &str) -> &'static [&'static ToolRules] {
    let at = TOOLS.binary_search_by(|(name, _)| (*name).cmp(program));
    at.map_or(&[], |at| TOOLS[at].1)
}

/// All rules of the packs in this module.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    rules::OF_PACKS.iter().copied()
}

/// Checks `command` with all packs and adds the findings to `found`.
pub fn check(
    command: &Invocation,
    script: &Script,
    location: &RunLocation,
    facts: &dyn Facts,
    found: &mut Vec<Finding>,
) {
    let context = CommandContext {
        command,
        script,
        location,
        facts,
    };
    for (depth, call) in runners::calls(command).enumerate() {
        if depth == runners::MAX_RUNNERS {
            return report(&rules::CORE_TOO_NESTED, command, call, found);
        }
        git::check(&context, call, found);
        databases::check(&context, call, found);
        containers::check(&context, call, found);
        http::check(&context, call, found);
        for tool in tools_of(call.program) {
            if let Some(rule) = tool.judge(&context, call) {
                report(rule, command, call, found);
            }
        }
    }
}
