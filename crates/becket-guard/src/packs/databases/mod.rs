//! Databases: SQL through any client, document stores and caches, migrations.

mod clients;
mod lexer;
mod nosql;
mod sql;

use super::tool::{CommandContext, ProgramCall, report};
use crate::rule::{Finding, Rule};
use crate::rules;

pub(super) use clients::is_disposable;

pub(super) fn check(context: &CommandContext<'_>, call: ProgramCall<'_>, found: &mut Vec<Finding>) {
    let document = match call.program {
        "mongo" | "mongosh" => nosql::mongo(context, call),
        "redis-cli" | "valkey-cli" | "keydb-cli" | "iredis" => nosql::redis(context, call),
        _ => None,
    };
    if let Some(rule) = document {
        report(rule, context.command, call, found);
    }
    let Some(query) = clients::query(context, call) else {
        return;
    };
    for text in &query.texts {
        if escapes_to_shell(text) {
            report(&rules::DATABASES_SHELL, context.command, call, found);
        }
        for rule in sql::judge(text, query.dialect) {
            let spared = query.disposable && stays_in_its_database(rule);
            report(
                if spared {
                    &rules::DATABASES_TEST_DATA
                } else {
                    rule
                },
                context.command,
                call,
                found,
            );
        }
    }
}

/// Whether a rule concerns data of the connected database only.
fn stays_in_its_database(rule: &Rule) -> bool {
    [
        &rules::DATABASES_DROP,
        &rules::DATABASES_DROP_OBJECT,
        &rules::DATABASES_TRUNCATE,
        &rules::DATABASES_DELETE_ALL,
        &rules::DATABASES_UPDATE_ALL,
        &rules::DATABASES_ALTER_DROP,
        &rules::DATABASES_REPLACE_TABLE,
    ]
    .iter()
    .any(|known| known.id == rule.id)
}

/// Shell escapes at the start of a line: `\!` of psql and mysql, `.shell` of SQLite.
fn escapes_to_shell(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        line.starts_with("\\!")
            || line.starts_with(".shell ")
            || line.starts_with(".system ")
            || (line.starts_with("\\copy") && line.contains(" program "))
            || line.starts_with("\\o |")
    })
}
