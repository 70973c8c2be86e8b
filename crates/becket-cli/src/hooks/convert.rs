//! `becket hooks convert`: prints hooks in another agent's format.

use std::path::Path;

use anyhow::{Context, bail};
use becket::load;
use becket::model::{Dialect, HookSpec};
use becket_agents::config;
use serde_json::json;

use crate::args::ProjectArgs;
use crate::exit::Exit;
use crate::report::{SCHEMA_VERSION, print, print_json, print_message, sanitize};

/// Prints hooks in another format; lists on standard error what that format cannot express.
pub(super) fn main(to: &str, file: Option<&Path>, here: &ProjectArgs) -> anyhow::Result<Exit> {
    let names = || {
        Dialect::ALL
            .iter()
            .map(|dialect| dialect.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let dialect = Dialect::parse(to)
        .with_context(|| format!("unknown format `{to}` (one of: {})", names()))?;
    let (home, root) = here.find()?;
    let file = match file {
        Some(file) => Some(
            file.canonicalize()
                .with_context(|| format!("cannot read `{}`", file.display()))?,
        ),
        None => None,
    };
    let wanted = |hook: &HookSpec| {
        file.as_ref().is_none_or(|file| {
            hook.source
                .file
                .canonicalize()
                .is_ok_and(|source| source == *file)
        })
    };
    let hooks: Vec<HookSpec> = load(&home, Some(&root), None)
        .loaded
        .hooks
        .into_iter()
        .filter(wanted)
        .collect();
    if hooks.is_empty() {
        bail!("no hooks to convert");
    }
    let converted = config::convert(&hooks, dialect);
    if here.json {
        print_json(
            &json!({ "schema_version": SCHEMA_VERSION, "dialect": to, "text": converted.text, "lost": converted.lost }),
        )?;
        return Ok(Exit::Success);
    }
    print(&converted.text);
    for lost in &converted.lost {
        print_message(&format!("lost: {}", sanitize(lost)));
    }
    Ok(Exit::Success)
}
