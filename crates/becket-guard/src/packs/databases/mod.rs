//! Databases: SQL through any client, document stores and caches, migrations.

mod clients;
mod documents;
mod lexer;
mod migrations;
pub(super) mod rules;
mod sql;

use super::tool::{Call, Scene, report};
use crate::rule::{Finding, Rule};
use rules::{
    ALTER_DROP, DELETE_ALL, DROP, DROP_OBJECT, REPLACE_TABLE, SHELL, TEST_DATA, TRUNCATE,
    UPDATE_ALL,
};

pub(super) use migrations::TOOLS;

pub(super) fn check(scene: &Scene<'_>, call: Call<'_>, found: &mut Vec<Finding>) {
    let document = match call.program {
        "mongo" | "mongosh" => documents::mongo(scene, call),
        "redis-cli" | "valkey-cli" | "keydb-cli" | "iredis" => documents::redis(scene, call),
        _ => None,
    };
    if let Some(rule) = document {
        report(rule, scene.command, call, found);
    }
    let Some(query) = clients::query(scene, call) else {
        return;
    };
    for text in &query.texts {
        if leaves_to_shell(text) {
            report(&SHELL, scene.command, call, found);
        }
        for rule in sql::judge(text, query.dialect) {
            let spared = query.disposable && stays_in_its_database(rule);
            report(
                if spared { &TEST_DATA } else { rule },
                scene.command,
                call,
                found,
            );
        }
    }
}

/// Whether a rule is about data of the database that the client is connected to.
fn stays_in_its_database(rule: &Rule) -> bool {
    [
        &DROP,
        &DROP_OBJECT,
        &TRUNCATE,
        &DELETE_ALL,
        &UPDATE_ALL,
        &ALTER_DROP,
        &REPLACE_TABLE,
    ]
    .iter()
    .any(|known| known.id == rule.id)
}

/// `\!` of psql and mysql, `.shell` of SQLite, at the start of a line.
fn leaves_to_shell(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        line.starts_with("\\!")
            || line.starts_with(".shell ")
            || line.starts_with(".system ")
            || (line.starts_with("\\copy") && line.contains(" program "))
            || line.starts_with("\\o |")
    })
}
