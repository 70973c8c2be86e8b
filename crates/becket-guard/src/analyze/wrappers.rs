//! The table of commands that run other commands, with the words before the wrapped command (`data/wrappers.toml`).

use super::options::{LongOptions, NONE, OptionSpec};

/// Position of the wrapped command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrappedCommand {
    /// The remaining words.
    Words,
    /// The remaining words, joined and parsed by a shell.
    Joined,
    /// Each remaining word, parsed by a separate shell.
    EachText,
    /// Only the words after `--`.
    AfterDashes,
    /// The words after `--`, or the remaining words if there is none.
    DashesOrWords,
    /// The value of an option, parsed by a shell; nothing without the option.
    Text(&'static [&'static str]),
    /// The value of an option, or the remaining words.
    TextOrWords(&'static [&'static str]),
    /// The words after an option that ends the options.
    FromOption(&'static [&'static str]),
}

/// The effect of running a command through the wrapper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrapperKind {
    Plain,
    Root,
    Elsewhere,
}

/// A command that runs another one.
#[derive(Debug, Clone, Copy)]
pub(super) struct WrapperSpec {
    pub(super) name: &'static str,
    /// The subcommand that runs another command, in words; empty if there is none.
    pub(super) verbs: &'static [&'static str],
    /// Options before and between the subcommand's words.
    pub(super) globals: OptionSpec,
    /// Options before the wrapped command.
    pub(super) options: OptionSpec,
    /// Number of operands before the wrapped command.
    pub(super) operands: usize,
    /// Whether `NAME=value` may precede the wrapped command.
    pub(super) assignments: bool,
    pub(super) runs: WrappedCommand,
    pub(super) kind: WrapperKind,
    /// Whether the wrapped program is a package name with a version.
    pub(super) packages: bool,
}

include!(concat!(env!("OUT_DIR"), "/wrappers.rs"));

/// The entries of a program, in order.
pub(super) fn wrappers_of(name: &str) -> impl Iterator<Item = &'static WrapperSpec> {
    let from = WRAPPERS.partition_point(|wrapper| wrapper.name < name);
    WRAPPERS[from..]
        .iter()
        .take_while(move |wrapper| wrapper.name == name)
}
