//! Hook configuration of every dialect, from text to a [`Layer`].
//!
//! Nothing here opens a file: the caller brings the text, and says where it came from. Whatever is
//! wrong comes back as problems with file, line and key beside the hooks that loaded; a bad entry
//! costs that entry only, and still counts as failed when its event fires. Start at [`settings`] for
//! Claude's files, [`becket`] for Becket's own; the three notations meet in `tree`, the dialects in `hook`.

mod autohand;
pub mod change;
mod codex;
mod convert;
mod copilot;
mod cursor;
mod flat;
mod front;
mod gemini;
mod groups;
mod hook;
mod keys;
mod learn;
mod lint;
mod nested;
mod own;
mod print;
mod reader;
mod schema;
mod shapes;
mod think;
pub(crate) mod tree;

use std::path::Path;

use becket_model::{Dialect, Layer, Level};

pub use autohand::autohand;
pub use codex::codex;
pub use convert::{Converted, convert};
pub use copilot::copilot;
pub use cursor::cursor;
pub use front::front_matter;
pub use gemini::gemini;
pub use learn::{Embedding, EmbeddingProvider, Learning, becket_learning};
pub use lint::{did_you_mean, is_own_entry};
pub use own::{Settings, Switches, Telling, becket, becket_settings, becket_with_settings};
pub use print::to_becket_toml;
pub use schema::schema;
pub use think::{HttpPolicy, KeySource, Llm, McpServer, Provider, Thinking, becket_thinking};

use reader::{Choice, Place, Reader};
use shapes::Scope;
use tree::{Node, Tree};

/// A configuration file that somebody has read.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Where it is; only for messages and for the source of its hooks.
    pub path: &'a Path,
    /// How near to the work it stands.
    pub level: Level,
    /// What it says.
    pub text: &'a str,
    /// The directory of the plugin or skill that it belongs to.
    pub root: Option<&'a Path>,
}

/// Reads the `hooks` of Claude's `settings.json` and `settings.local.json`. Matcher groups are
/// Claude's, named and plain hooks are claude-agent's; both may stand in one file.
pub fn settings(file: &File) -> Layer {
    let wanted = |key: &str| matches!(key, "hooks" | "dialect" | "disableAllHooks");
    read_json(file, wanted, |reader, node, at| {
        let mut scope = scope(Dialect::Claude);
        scope.choice = choice(reader, node, at);
        scope.enabled = !all_disabled(reader, node, at);
        hooks_of(reader, node, at, scope);
    })
}

/// Reads a plugin's `hooks/hooks.json`: `{description?, hooks: {Event: […]}}`, or the events themselves.
pub fn plugin(file: &File) -> Layer {
    events_or_hooks(file, Dialect::Claude)
}

/// Reads Code Agent's `.code-agent/hooks/hooks.json`: the events themselves, or `{hooks: {Event: […]}}`.
pub fn code_agent(file: &File) -> Layer {
    events_or_hooks(file, Dialect::CodeAgent)
}

fn scope(nested: Dialect) -> Scope {
    Scope {
        nested,
        choice: Choice::ByShape,
        enabled: true,
        subagent: false,
    }
}

fn events_or_hooks(file: &File, nested: Dialect) -> Layer {
    read_json(
        file,
        |_| true,
        |reader, node, at| {
            let mut scope = scope(nested);
            let wrapped = node
                .get("hooks")
                .is_some_and(|field| matches!(field.node.tree, Tree::Table(_)));
            match &node.tree {
                Tree::Table(fields) if !wrapped => {
                    let beside = ["$schema", "description", "name", "version"];
                    shapes::events(reader, fields, at, scope, &beside);
                }
                _ => {
                    scope.choice = choice(reader, node, at);
                    hooks_of(reader, node, at, scope);
                }
            }
        },
    )
}

fn read_json(
    file: &File,
    wanted: impl Fn(&str) -> bool,
    read: impl FnOnce(&mut Reader, &Node, &Place),
) -> Layer {
    let mut reader = Reader::new(file);
    match tree::json(file.text, wanted) {
        Err(error) => return reader.refuse(error),
        Ok(None) => {}
        Ok(Some(node)) => {
            let at = Place::root(node.line);
            if let Tree::Table(_) = node.tree {
                read(&mut reader, &node, &at);
            } else {
                let message = format!("expected an object, found {}", node.what());
                reader.error(&at, message, None);
            }
        }
    }
    reader.layer
}

/// What the file as a whole says about its dialect.
fn choice(reader: &mut Reader, node: &Node, at: &Place) -> Choice {
    node.get("dialect")
        .map_or(Choice::ByShape, |field| reader.dialect(field, at))
}

fn all_disabled(reader: &mut Reader, node: &Node, at: &Place) -> bool {
    let Some(field) = node.get("disableAllHooks") else {
        return false;
    };
    let at = at.field(field);
    match field.node.tree {
        Tree::Bool(true) => {
            reader.warn(&at, "all hooks of this file are switched off", None);
            true
        }
        Tree::Bool(false) => false,
        _ => {
            let message = format!("expected true or false, found {}", field.node.what());
            reader.error(&at, message, None);
            false
        }
    }
}

/// Reads the `hooks` key of a file.
fn hooks_of(reader: &mut Reader, node: &Node, at: &Place, scope: Scope) {
    if let Tree::Table(fields) = &node.tree {
        reader.duplicates(fields, at);
    }
    let Some(field) = node.get("hooks") else {
        return;
    };
    let at = at.field(field);
    if let Tree::Table(fields) = &field.node.tree {
        return shapes::events(reader, fields, &at, scope, &[]);
    }
    let message = format!("expected an object of events, found {}", field.node.what());
    let hint = "write {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": […]}]}";
    reader.error(&at, message, Some(hint.to_owned()));
}
