//! Databases: SQL through any client, document stores and caches, migrations.

mod clients;
mod documents;
mod lexer;
mod migrations;
pub(super) mod rules;
mod sql;

use super::tool::{Call, Scene, report};
use crate::rule::{Finding, Severity};
use rules::{SHELL, TEST_DATA};

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
            let spared =
                query.disposable && rule.severity >= Severity::Doubtful && rule.id != SHELL.id;
            report(
                if spared { &TEST_DATA } else { rule },
                scene.command,
                call,
                found,
            );
        }
    }
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
