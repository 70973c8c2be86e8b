//! Conditions under which the rules of a tool do not apply; `unless` in the tables names them.

use super::databases::is_disposable;
use super::tool::CommandContext;

/// `awslocal` talks to an emulator on this machine.
pub(super) fn talks_to_an_emulator(context: &CommandContext<'_>) -> bool {
    context.command.program == "awslocal"
}

/// `rpm -qp …`
pub(super) fn is_rpm_query(context: &CommandContext<'_>) -> bool {
    context.command.program == "rpm" && context.command.words().any(|word| word.starts_with("-q"))
}

/// `hdparm -I /dev/sda`
pub(super) fn only_reports_on_disks(context: &CommandContext<'_>) -> bool {
    let reports =
        |word: &str| matches!(word, "-I" | "-i" | "-t" | "-T" | "-tT") || word.starts_with('/');
    context.command.program == "hdparm" && context.command.words().all(reports)
}

const ENVIRONMENTS: &[&str] = &[
    "RAILS_ENV",
    "RACK_ENV",
    "NODE_ENV",
    "APP_ENV",
    "MIX_ENV",
    "ASPNETCORE_ENVIRONMENT",
    "DJANGO_ENV",
    "--env",
    "--environment",
];

/// Whether the environment selects test data and nothing contradicts it.
pub(super) fn is_test_environment(context: &CommandContext<'_>) -> bool {
    let variables = context
        .command
        .env
        .iter()
        .map(|(name, value)| (name.as_str(), value.text.as_str()));
    let given = context
        .command
        .words()
        .filter_map(|word| word.split_once('='));
    let mut says_test = false;
    for (name, value) in variables.chain(given) {
        let test = if name == "DATABASE_URL" {
            is_disposable(value)
        } else if ENVIRONMENTS.contains(&name) {
            value.eq_ignore_ascii_case("test") || value.eq_ignore_ascii_case("testing")
        } else {
            continue;
        };
        if !test {
            return false;
        }
        says_test = true;
    }
    says_test
}
