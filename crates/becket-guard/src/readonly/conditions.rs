//! Conditions under which a command line of the table only reads; `when` in `data/read-only.toml` names them.

use crate::packs::args::Args;

pub(super) use super::scripts::{
    awk_only_reads, cargo_passes_no_flags_on, jq_reads_no_environment, sed_only_reads,
};

pub(super) fn has_no_operands(args: &Args<'_>) -> bool {
    args.operands.is_empty()
}

pub(super) fn has_one_operand(args: &Args<'_>) -> bool {
    args.operands.len() == 1
}

pub(super) fn has_at_most_one_operand(args: &Args<'_>) -> bool {
    args.operands.len() <= 1
}

pub(super) fn has_only_flags(args: &Args<'_>) -> bool {
    !args.flags.is_empty() && has_no_operands(args)
}

pub(super) fn has_one_flag_only(args: &Args<'_>) -> bool {
    has_no_operands(args) && args.flags.len() == 1
}

pub(super) fn only_asks_for_version(args: &Args<'_>) -> bool {
    has_one_flag_only(args) && (args.has("version") || args.has("V"))
}

pub(super) fn has_check_flag(args: &Args<'_>) -> bool {
    args.has("check")
}

/// `date +%F`; another operand sets the clock.
pub(super) fn date_only_formats(args: &Args<'_>) -> bool {
    args.texts().all(|text| text.starts_with('+'))
}

/// `ps aux`
pub(super) fn ps_only_selects(args: &Args<'_>) -> bool {
    args.texts()
        .all(|text| text.chars().all(|c| "auxwflj".contains(c)))
}

/// `command -v ls`
pub(super) fn command_only_looks_up(args: &Args<'_>) -> bool {
    args.has("v") || args.has("V")
}

pub(super) fn cargo_fmt_only_checks(args: &Args<'_>) -> bool {
    args.has("check") && args.separator.is_none()
}

pub(super) fn rustup_only_lists(args: &Args<'_>) -> bool {
    args.surely_matches("show") || args.surely_matches("_ list")
}

/// For a single package, `go build` writes a program into the working directory.
pub(super) fn go_writes_no_program(args: &Args<'_>) -> bool {
    args.surely_matches("test") || args.surely_matches("build ./... $")
}

pub(super) fn poetry_only_shows(args: &Args<'_>) -> bool {
    !args.surely_matches("env") || args.surely_matches("env info|list")
}

pub(super) fn kubectl_shows_no_secret(args: &Args<'_>) -> bool {
    names_no_secrets(args) && !args.surely_matches("cluster-info dump")
}

pub(super) fn terraform_locks_no_provider(args: &Args<'_>) -> bool {
    !args.surely_matches("providers lock|mirror")
}

pub(super) fn terraform_shows_no_state(args: &Args<'_>) -> bool {
    !args.surely_matches("state show")
}

/// `-w` opens a browser for `view`, and names a workflow for `run list`.
pub(super) fn gh_opens_no_browser(args: &Args<'_>) -> bool {
    !args.has("w") || args.surely_matches("run list")
}

pub(super) fn gh_api_only_gets(args: &Args<'_>) -> bool {
    args.operands.len() == 2 && args.operand(1) != Some("graphql") && names_no_secrets(args)
}

fn names_no_secrets(args: &Args<'_>) -> bool {
    !args
        .texts()
        .any(|text| text.to_ascii_lowercase().contains("secret"))
}
