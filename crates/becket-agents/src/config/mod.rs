//! Loads hook configuration of every dialect: text in, a [`Layer`] out.
//!
//! Nothing here opens a file: the caller passes the text and its path. Problems are returned with file,
//! line and key, together with the hooks that loaded. A bad entry affects only itself, and still counts
//! as failed when its event fires. Start at [`settings`] for Claude's files and at [`becket()`] for
//! Becket's own. JSON, TOML and YAML become one tree in `tree`; `hook` has what the dialects share.

mod autohand;
mod becket;
pub mod change;
mod codex;
mod convert;
mod copilot;
mod cursor;
mod event_groups;
mod flat;
mod front_matter;
mod gemini;
mod hook;
mod keys;
mod learn;
mod lint;
mod matcher_groups;
mod print;
mod reader;
mod schema;
mod services;
mod shapes;
pub(crate) mod tree;

use std::path::Path;

use becket_model::{Dialect, Layer, Level};

pub use autohand::autohand;
pub use becket::{
    BecketSettings, HookSwitches, RecallSettings, becket, becket_settings, becket_with_settings,
};
pub use codex::codex;
pub use convert::{ConvertedFile, convert};
pub use copilot::copilot;
pub use cursor::cursor;
pub use front_matter::front_matter;
pub use gemini::gemini;
pub use learn::{EmbeddingConfig, EmbeddingProvider, LearnConfig, becket_learn_config};
pub use lint::{did_you_mean, is_own_entry};
pub use print::to_becket_toml;
pub use schema::schema;
pub use services::{
    HttpPolicy, KeySource, LlmConfig, LlmProvider, McpServer, ServicesConfig, becket_services,
};

use reader::{ConfigReader, DialectChoice, KeyPath};
use shapes::FileScope;
use tree::{ConfigNode, ConfigValue};

/// A configuration file and its text.
#[derive(Debug, Clone, Copy)]
pub struct ConfigFile<'a> {
    /// Its path, for messages and for the source of its hooks.
    pub path: &'a Path,
    /// Its configuration level: managed, user, project or local.
    pub level: Level,
    /// Its contents.
    pub text: &'a str,
    /// The directory of the plugin or skill it belongs to.
    pub root: Option<&'a Path>,
}

/// Reads the `hooks` of Claude's `settings.json` and `settings.local.json`. Matcher groups use Claude's
/// dialect, named and plain hooks claude-agent's; one file may contain both.
pub fn settings(file: &ConfigFile) -> Layer {
    let wanted = |key: &str| matches!(key, "hooks" | "dialect" | "disableAllHooks");
    read_json(file, wanted, |reader, node, at| {
        let mut scope = scope(Dialect::Claude);
        scope.choice = choice(reader, node, at);
        scope.enabled = !all_disabled(reader, node, at);
        hooks_of(reader, node, at, scope);
    })
}

/// Reads a plugin's `hooks/hooks.json`: `{description?, hooks: {Event: […]}}`, or the events themselves.
pub fn plugin(file: &ConfigFile) -> Layer {
    events_or_hooks(file, Dialect::Claude)
}

/// Reads Code Agent's `.code-agent/hooks/hooks.json`: the events themselves, or `{hooks: {Event: […]}}`.
pub fn code_agent(file: &ConfigFile) -> Layer {
    events_or_hooks(file, Dialect::CodeAgent)
}

fn scope(nested: Dialect) -> FileScope {
    FileScope {
        nested,
        choice: DialectChoice::ByShape,
        enabled: true,
        subagent: false,
    }
}

fn events_or_hooks(file: &ConfigFile, nested: Dialect) -> Layer {
    read_json(
        file,
        |_| true,
        |reader, node, at| {
            let mut scope = scope(nested);
            let wrapped = node
                .get("hooks")
                .is_some_and(|field| matches!(field.node.tree, ConfigValue::Table(_)));
            match &node.tree {
                ConfigValue::Table(fields) if !wrapped => {
                    let non_events = ["$schema", "description", "name", "version"];
                    shapes::events(reader, fields, at, scope, &non_events);
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
    file: &ConfigFile,
    wanted: impl Fn(&str) -> bool,
    read: impl FnOnce(&mut ConfigReader, &ConfigNode, &KeyPath),
) -> Layer {
    let mut reader = ConfigReader::new(file);
    match tree::json(file.text, wanted) {
        Err(error) => return reader.syntax_error(error),
        Ok(None) => {}
        Ok(Some(node)) => {
            let at = KeyPath::root(node.line);
            if let ConfigValue::Table(_) = node.tree {
                read(&mut reader, &node, &at);
            } else {
                let message = format!("expected an object, found {}", node.describe());
                reader.error(&at, message, None);
            }
        }
    }
    reader.layer
}

/// The dialect that the file as a whole selects.
fn choice(reader: &mut ConfigReader, node: &ConfigNode, at: &KeyPath) -> DialectChoice {
    node.get("dialect")
        .map_or(DialectChoice::ByShape, |field| reader.dialect(field, at))
}

fn all_disabled(reader: &mut ConfigReader, node: &ConfigNode, at: &KeyPath) -> bool {
    let Some(field) = node.get("disableAllHooks") else {
        return false;
    };
    let at = at.field(field);
    match field.node.tree {
        ConfigValue::Bool(true) => {
            reader.warn(&at, "all hooks in this file are disabled", None);
            true
        }
        ConfigValue::Bool(false) => false,
        _ => {
            let message = format!("expected true or false, found {}", field.node.describe());
            reader.error(&at, message, None);
            false
        }
    }
}

/// Reads the `hooks` key of a file.
fn hooks_of(reader: &mut ConfigReader, node: &ConfigNode, at: &KeyPath, scope: FileScope) {
    if let ConfigValue::Table(fields) = &node.tree {
        reader.duplicates(fields, at);
    }
    let Some(field) = node.get("hooks") else {
        return;
    };
    let at = at.field(field);
    if let ConfigValue::Table(fields) = &field.node.tree {
        return shapes::events(reader, fields, &at, scope, &[]);
    }
    let message = format!(
        "expected an object of events, found {}",
        field.node.describe()
    );
    let hint = "write {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": […]}]}";
    reader.error(&at, message, Some(hint.to_owned()));
}
