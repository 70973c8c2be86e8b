//! Registers Becket as an MCP server in an agent's settings, so that the agent can query earlier work.
//!
//! One entry, named `becket`, that runs `becket mcp`. An entry of that name that runs something else belongs
//! to the user and is left alone. Start at [`mcp_servers()`].

use serde_json::{Value, json};
use toml_edit::{Item, TableLike};

use super::plan::{check_binary, unexpected};
use super::strict::passes_verbatim;
use super::{InstallScope, PathBase, SettingsFile};
use crate::edit::command::is_becket;
use crate::edit::{EditError, FileEdit, JsonDocument, JsonNode, TomlDocument, toml_string};

const NAME: &str = "becket";
/// The subcommand that our entry runs.
const SUBCOMMAND: &str = "mcp";

/// Where and in which format an agent keeps its MCP servers.
pub struct McpServersFile {
    agent: &'static str,
    user: SettingsFile,
    project: Option<SettingsFile>,
    form: ServersFormat,
}

enum ServersFormat {
    /// A member of the object under this key of a JSON file.
    Json(&'static str, fn(&str) -> Value),
    /// A table below this one of a TOML file.
    Toml(&'static str),
}

const SERVERS: &str = "mcpServers";

const ALL: [McpServersFile; 9] = [
    McpServersFile {
        agent: "claude",
        user: SettingsFile::new(PathBase::EnvOr("CLAUDE_CONFIG_DIR", ""), ".claude.json"),
        project: Some(SettingsFile::new(PathBase::Project, ".mcp.json")),
        form: ServersFormat::Json(SERVERS, typed),
    },
    McpServersFile {
        agent: "codex",
        user: super::codex::CONFIG,
        project: None,
        form: ServersFormat::Toml("mcp_servers"),
    },
    McpServersFile {
        agent: "copilot",
        user: SettingsFile::new(
            PathBase::EnvOr("COPILOT_HOME", ".copilot"),
            "mcp-config.json",
        ),
        project: None,
        form: ServersFormat::Json(
            SERVERS,
            |binary| json!({ "type": "local", "command": binary, "args": [SUBCOMMAND], "tools": ["*"] }),
        ),
    },
    McpServersFile {
        agent: "cursor",
        user: SettingsFile::new(PathBase::Home, ".cursor/mcp.json"),
        project: Some(SettingsFile::new(PathBase::Project, ".cursor/mcp.json")),
        form: ServersFormat::Json(SERVERS, plain),
    },
    McpServersFile {
        agent: "droid",
        user: SettingsFile::new(PathBase::Home, ".factory/mcp.json"),
        project: Some(SettingsFile::new(PathBase::Project, ".factory/mcp.json")),
        form: ServersFormat::Json(SERVERS, typed),
    },
    McpServersFile {
        agent: "gemini",
        user: SettingsFile::new(
            PathBase::EnvOr("GEMINI_CLI_HOME", ""),
            ".gemini/settings.json",
        ),
        project: Some(SettingsFile::new(
            PathBase::Project,
            ".gemini/settings.json",
        )),
        form: ServersFormat::Json(SERVERS, plain),
    },
    McpServersFile {
        agent: "opencode",
        user: SettingsFile::new(
            PathBase::EnvOr("XDG_CONFIG_HOME", ".config"),
            "opencode/opencode.json",
        )
        .with_alternatives(&["opencode/opencode.jsonc"]),
        project: Some(
            SettingsFile::new(PathBase::Project, "opencode.json")
                .with_alternatives(&["opencode.jsonc"]),
        ),
        form: ServersFormat::Json(
            SUBCOMMAND,
            |binary| json!({ "type": "local", "command": [binary, SUBCOMMAND], "enabled": true }),
        ),
    },
    McpServersFile {
        agent: "qwen",
        user: SettingsFile::new(PathBase::EnvOr("QWEN_HOME", ".qwen"), "settings.json"),
        project: Some(SettingsFile::new(PathBase::Project, ".qwen/settings.json")),
        form: ServersFormat::Json(SERVERS, plain),
    },
    McpServersFile {
        agent: "windsurf",
        user: SettingsFile::new(PathBase::Home, ".codeium/windsurf/mcp_config.json"),
        project: None,
        form: ServersFormat::Json(SERVERS, plain),
    },
];

fn plain(binary: &str) -> Value {
    json!({ "command": binary, "args": [SUBCOMMAND] })
}

fn typed(binary: &str) -> Value {
    json!({ "type": "stdio", "command": binary, "args": [SUBCOMMAND] })
}

/// Where an agent keeps its MCP servers; `None` if Becket does not know.
pub fn mcp_servers(agent: &str) -> Option<&'static McpServersFile> {
    ALL.iter().find(|servers| servers.agent == agent)
}

/// The owner of an entry named `becket`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryOwner {
    Ours,
    Theirs,
}

impl McpServersFile {
    /// The file to edit; `None` where the scope is not supported.
    pub fn file(&self, scope: InstallScope) -> Option<SettingsFile> {
        match scope {
            InstallScope::User => Some(self.user),
            InstallScope::Project => self.project,
        }
    }

    /// Whether a file has an entry of ours. An unreadable file has none.
    pub fn has(&self, existing: &str) -> bool {
        let removed = self.plan_remove(existing);
        removed.is_ok_and(|edit| edit.changed)
    }

    /// The file with Becket's entry. `None` means that the file does not exist yet.
    pub fn plan_add(&self, existing: Option<&str>, binary: &str) -> Result<FileEdit, EditError> {
        check_binary(binary, passes_verbatim)?;
        let before = existing.unwrap_or_default();
        let mut edit = FileEdit::default();
        edit.text = match &self.form {
            ServersFormat::Json(key, entry) => add_json(before, key, &entry(binary), &mut edit)?,
            ServersFormat::Toml(key) => add_toml(before, key, binary, &mut edit)?,
        };
        edit.changed = edit.text != before;
        Ok(edit)
    }

    /// The file without Becket's entry.
    pub fn plan_remove(&self, existing: &str) -> Result<FileEdit, EditError> {
        let text = match &self.form {
            ServersFormat::Json(key, _) => remove_json(existing, key)?,
            ServersFormat::Toml(key) => remove_toml(existing, key)?,
        };
        let changed = text != existing;
        Ok(FileEdit {
            changed,
            delete: changed && text.is_empty(),
            removed: reported(changed),
            text,
            ..FileEdit::default()
        })
    }
}

fn reported(changed: bool) -> Vec<String> {
    if changed {
        vec![SUBCOMMAND.to_owned()]
    } else {
        Vec::new()
    }
}

fn warning() -> String {
    format!("another MCP server is named `{NAME}`; it is left unchanged")
}

/// The child indices of the entry named `becket`, and its owner.
fn find_json(
    document: &JsonDocument,
    key: &str,
) -> Result<Option<(Vec<usize>, EntryOwner)>, EditError> {
    let Some(root) = document.root() else {
        return Ok(None);
    };
    if root.members().is_none() {
        return Err(unexpected(document, "settings", "an object", root));
    }
    let Some((outer, member)) = root.member(key) else {
        return Ok(None);
    };
    if member.value.members().is_none() {
        return Err(unexpected(document, key, "an object", &member.value));
    }
    let found = member.value.member(NAME);
    Ok(found.map(|(inner, entry)| (vec![outer, inner], owner(&entry.value))))
}

fn owner(entry: &JsonNode) -> EntryOwner {
    let text = |key: &str| entry.get(key).and_then(JsonNode::as_str);
    let words = |key: &str| -> Vec<&str> {
        let all = entry
            .get(key)
            .and_then(JsonNode::elements)
            .unwrap_or_default();
        all.iter().filter_map(JsonNode::as_str).collect()
    };
    let line: Vec<&str> = text("command")
        .into_iter()
        .chain(words("command"))
        .chain(words("args"))
        .collect();
    match line[..] {
        [program, SUBCOMMAND] if is_becket(program) => EntryOwner::Ours,
        _ => EntryOwner::Theirs,
    }
}

fn add_json(
    before: &str,
    key: &str,
    entry: &Value,
    edit: &mut FileEdit,
) -> Result<String, EditError> {
    let mut document = JsonDocument::parse(before)?;
    match find_json(&document, key)? {
        Some((_, EntryOwner::Theirs)) => {
            edit.warnings.push(warning());
            return Ok(before.to_owned());
        }
        Some((place, EntryOwner::Ours)) => {
            let program = program(&document, &place);
            let wanted = entry["command"]
                .as_str()
                .or_else(|| entry["command"][0].as_str());
            if let (Some((path, old)), Some(wanted)) = (program, wanted)
                && old != wanted
            {
                document.replace_string(&path, wanted)?;
                edit.updated = reported(true);
            }
            return Ok(document.into_text());
        }
        None => {}
    }
    edit.added = reported(true);
    let outer = document
        .root()
        .map(|root| root.member(key).map(|(index, _)| index));
    match outer {
        None => document.create_root(&json!({ (key): { NAME: entry } }), 3)?,
        Some(None) => document.append_member(&[], key, &json!({ NAME: entry }), 2)?,
        Some(Some(index)) => document.append_member(&[index], NAME, entry, 1)?,
    }
    Ok(document.into_text())
}

/// The position of our entry's program, and the program.
fn program(document: &JsonDocument, place: &[usize]) -> Option<(Vec<usize>, String)> {
    let (index, command) = document.node(place)?.member("command")?;
    let mut path = [place, &[index]].concat();
    if let Some(text) = command.value.as_str() {
        return Some((path, text.to_owned()));
    }
    let first = command.value.elements()?.first()?.as_str()?;
    path.push(0);
    Some((path, first.to_owned()))
}

fn remove_json(existing: &str, key: &str) -> Result<String, EditError> {
    let mut document = JsonDocument::parse(existing)?;
    if let Some((place, EntryOwner::Ours)) = find_json(&document, key)? {
        document.remove(&place)?;
    }
    Ok(document.into_text())
}

fn add_toml(
    before: &str,
    key: &str,
    binary: &str,
    edit: &mut FileEdit,
) -> Result<String, EditError> {
    let mut document = TomlDocument::parse(before)?;
    let entry = document.members(&[key, NAME]);
    match entry.map(owner_toml) {
        Some(EntryOwner::Theirs) => edit.warnings.push(warning()),
        Some(EntryOwner::Ours) => {
            let command = document.item(&[key, NAME, "command"]);
            let place = command
                .filter(|it| it.as_str() != Some(binary))
                .and_then(Item::span);
            if let Some(place) = place {
                document.replace(place, &toml_string(binary))?;
                edit.updated = reported(true);
            }
        }
        None => {
            let command = toml_string(binary);
            let block = format!("[{key}.{NAME}]\ncommand = {command}\nargs = [\"{SUBCOMMAND}\"]");
            document.append_tables(&[block])?;
            edit.added = reported(true);
        }
    }
    Ok(document.into_text())
}

fn owner_toml(entry: &dyn TableLike) -> EntryOwner {
    let program = entry.get("command").and_then(Item::as_str);
    let args = entry.get("args").and_then(Item::as_array);
    let is_word = args.is_some_and(|args| {
        args.len() == 1 && args.get(0).and_then(toml_edit::Value::as_str) == Some(SUBCOMMAND)
    });
    match program {
        Some(program) if is_becket(program) && is_word => EntryOwner::Ours,
        _ => EntryOwner::Theirs,
    }
}

fn remove_toml(existing: &str, key: &str) -> Result<String, EditError> {
    let mut document = TomlDocument::parse(existing)?;
    let ours = document.members(&[key, NAME]).map(owner_toml) == Some(EntryOwner::Ours);
    let table = document.item(&[key, NAME]).and_then(Item::as_table);
    let block = table
        .filter(|_| ours)
        .and_then(|table| document.block(table));
    if let Some(block) = block {
        document.remove_tables(&[block])?;
    }
    Ok(document.into_text())
}

#[cfg(test)]
mod tests {
    use super::*;

    const BINARY: &str = "/usr/local/bin/becket";

    fn added(agent: &str, before: Option<&str>) -> FileEdit {
        let edit = mcp_servers(agent).expect("known").plan_add(before, BINARY);
        edit.unwrap_or_else(|error| panic!("{agent}: {error}"))
    }

    #[test]
    fn added_entry_is_found_and_removed_without_a_trace() {
        for one in &ALL {
            let texts: &[&str] = match one.form {
                ServersFormat::Toml(_) => &[
                    "",
                    "model = \"x\" # mine\n",
                    "[mcp_servers.other]\ncommand = \"o\"\n",
                ],
                ServersFormat::Json(SERVERS, _) => &[
                    "",
                    "{}",
                    "{\n  // mine\n  \"a\": 1,\n}\n",
                    "{ \"mcpServers\": { \"other\": { \"command\": \"o\" } } }",
                    "{\n\t\"mcpServers\": {}\n}\n",
                ],
                ServersFormat::Json(..) => &["{}", "{\n  \"mcp\": { \"other\": {} }\n}\n"],
            };
            for before in texts {
                let edit = added(one.agent, Some(before));
                assert!(
                    edit.changed && one.has(&edit.text),
                    "{}: {}",
                    one.agent,
                    edit.text
                );
                assert!(edit.text.contains(BINARY), "{}: {}", one.agent, edit.text);
                let again = added(one.agent, Some(&edit.text));
                assert!(!again.changed, "{}: {}", one.agent, again.text);
                let removed = one.plan_remove(&edit.text).expect("removed");
                assert_eq!(removed.text, *before, "{}", one.agent);
                assert_eq!(removed.delete, before.is_empty(), "{}", one.agent);
            }
        }
    }

    #[test]
    fn own_entry_is_corrected_and_foreign_entry_is_left_alone() {
        for one in &ALL {
            let old = one.plan_add(None, "/old/becket").expect("added").text;
            let edit = added(one.agent, Some(&old));
            assert!(
                edit.text.contains(BINARY) && !edit.text.contains("/old/"),
                "{}",
                edit.text
            );
            let theirs = old.replace("/old/becket", "/opt/rope");
            let edit = added(one.agent, Some(&theirs));
            assert_eq!(
                (edit.changed, edit.warnings.len()),
                (false, 1),
                "{}",
                one.agent
            );
            assert!(!one.has(&theirs), "{}", one.agent);
        }
    }

    #[test]
    fn unreadable_file_is_refused() {
        let claude = mcp_servers("claude").expect("known");
        for (text, why) in [
            ("{ \"mcpServers\": [] }", "`mcpServers` at line 1"),
            ("[]", "should be an object"),
            ("{", "not valid JSON"),
        ] {
            let error = claude
                .plan_add(Some(text), BINARY)
                .expect_err("refused")
                .to_string();
            assert!(error.contains(why), "{error}");
        }
        let error = mcp_servers("codex")
            .expect("known")
            .plan_add(Some("= 1"), BINARY);
        assert!(error.is_err());
    }
}
