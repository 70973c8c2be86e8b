//! Becket among an agent's MCP servers, so that the agent can ask about earlier work.
//!
//! One entry, called `becket`, that runs `becket mcp`. An entry of that name that runs something else is
//! somebody's own and is left alone. Start at [`servers`].

use serde_json::{Value, json};
use toml_edit::{Item, TableLike};

use super::plan::{check_binary, unexpected};
use super::strict::passes;
use super::{Base, Scope, SettingsFile};
use crate::edit::command::is_becket;
use crate::edit::{Document, Edit, EditError, Node, TomlDocument, toml_string};

/// The entry's name.
const NAME: &str = "becket";
/// What our program is told to be.
const WORD: &str = "mcp";

/// Where and how an agent keeps its servers.
pub struct Servers {
    agent: &'static str,
    user: SettingsFile,
    project: Option<SettingsFile>,
    form: Form,
}

enum Form {
    /// A member of the object under this key of a JSON file.
    Json(&'static str, fn(&str) -> Value),
    /// A table below this one of a TOML file.
    Toml(&'static str),
}

const SERVERS: &str = "mcpServers";

const ALL: [Servers; 9] = [
    Servers {
        agent: "claude",
        user: SettingsFile::new(Base::EnvOr("CLAUDE_CONFIG_DIR", ""), ".claude.json"),
        project: Some(SettingsFile::new(Base::Project, ".mcp.json")),
        form: Form::Json(SERVERS, typed),
    },
    Servers {
        agent: "codex",
        user: super::codex::CONFIG,
        project: None,
        form: Form::Toml("mcp_servers"),
    },
    Servers {
        agent: "copilot",
        user: SettingsFile::new(Base::EnvOr("COPILOT_HOME", ".copilot"), "mcp-config.json"),
        project: None,
        form: Form::Json(
            SERVERS,
            |binary| json!({ "type": "local", "command": binary, "args": [WORD], "tools": ["*"] }),
        ),
    },
    Servers {
        agent: "cursor",
        user: SettingsFile::new(Base::Home, ".cursor/mcp.json"),
        project: Some(SettingsFile::new(Base::Project, ".cursor/mcp.json")),
        form: Form::Json(SERVERS, plain),
    },
    Servers {
        agent: "droid",
        user: SettingsFile::new(Base::Home, ".factory/mcp.json"),
        project: Some(SettingsFile::new(Base::Project, ".factory/mcp.json")),
        form: Form::Json(SERVERS, typed),
    },
    Servers {
        agent: "gemini",
        user: SettingsFile::new(Base::EnvOr("GEMINI_CLI_HOME", ""), ".gemini/settings.json"),
        project: Some(SettingsFile::new(Base::Project, ".gemini/settings.json")),
        form: Form::Json(SERVERS, plain),
    },
    Servers {
        agent: "opencode",
        user: SettingsFile::new(
            Base::EnvOr("XDG_CONFIG_HOME", ".config"),
            "opencode/opencode.json",
        )
        .unless(&["opencode/opencode.jsonc"]),
        project: Some(
            SettingsFile::new(Base::Project, "opencode.json").unless(&["opencode.jsonc"]),
        ),
        form: Form::Json(
            WORD,
            |binary| json!({ "type": "local", "command": [binary, WORD], "enabled": true }),
        ),
    },
    Servers {
        agent: "qwen",
        user: SettingsFile::new(Base::EnvOr("QWEN_HOME", ".qwen"), "settings.json"),
        project: Some(SettingsFile::new(Base::Project, ".qwen/settings.json")),
        form: Form::Json(SERVERS, plain),
    },
    Servers {
        agent: "windsurf",
        user: SettingsFile::new(Base::Home, ".codeium/windsurf/mcp_config.json"),
        project: None,
        form: Form::Json(SERVERS, plain),
    },
];

fn plain(binary: &str) -> Value {
    json!({ "command": binary, "args": [WORD] })
}

fn typed(binary: &str) -> Value {
    json!({ "type": "stdio", "command": binary, "args": [WORD] })
}

/// Where an agent keeps its servers; `None` where Becket does not know.
pub fn servers(agent: &str) -> Option<&'static Servers> {
    ALL.iter().find(|servers| servers.agent == agent)
}

/// Whose an entry called `becket` is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Ours,
    Theirs,
}

impl Servers {
    /// The file to edit; `None` where the scope is not supported.
    pub fn file(&self, scope: Scope) -> Option<SettingsFile> {
        match scope {
            Scope::User => Some(self.user),
            Scope::Project => self.project,
        }
    }

    /// Whether a file has an entry of ours. One that cannot be read has none.
    pub fn has(&self, existing: &str) -> bool {
        let removed = self.plan_remove(existing);
        removed.is_ok_and(|edit| edit.changed)
    }

    /// The file with Becket among the servers. `None` is a file that does not exist yet.
    pub fn plan_add(&self, existing: Option<&str>, binary: &str) -> Result<Edit, EditError> {
        check_binary(binary, passes)?;
        let before = existing.unwrap_or_default();
        let mut edit = Edit::default();
        edit.text = match &self.form {
            Form::Json(key, entry) => add_json(before, key, &entry(binary), &mut edit)?,
            Form::Toml(key) => add_toml(before, key, binary, &mut edit)?,
        };
        edit.changed = edit.text != before;
        Ok(edit)
    }

    /// The file without Becket among the servers.
    pub fn plan_remove(&self, existing: &str) -> Result<Edit, EditError> {
        let text = match &self.form {
            Form::Json(key, _) => remove_json(existing, key)?,
            Form::Toml(key) => remove_toml(existing, key)?,
        };
        let changed = text != existing;
        Ok(Edit {
            changed,
            delete: changed && text.is_empty(),
            removed: reported(changed),
            text,
            ..Edit::default()
        })
    }
}

fn reported(changed: bool) -> Vec<String> {
    if changed {
        vec![WORD.to_owned()]
    } else {
        Vec::new()
    }
}

fn warning() -> String {
    format!("there is another MCP server called `{NAME}`; it is left as it is")
}

/// Where our entry is, by its indices, and whose.
fn find_json(document: &Document, key: &str) -> Result<Option<(Vec<usize>, Whose)>, EditError> {
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
    Ok(found.map(|(inner, entry)| (vec![outer, inner], whose(&entry.value))))
}

fn whose(entry: &Node) -> Whose {
    let text = |key: &str| entry.get(key).and_then(Node::as_str);
    let words = |key: &str| -> Vec<&str> {
        let all = entry.get(key).and_then(Node::elements).unwrap_or_default();
        all.iter().filter_map(Node::as_str).collect()
    };
    let line: Vec<&str> = text("command")
        .into_iter()
        .chain(words("command"))
        .chain(words("args"))
        .collect();
    match line[..] {
        [program, WORD] if is_becket(program) => Whose::Ours,
        _ => Whose::Theirs,
    }
}

fn add_json(before: &str, key: &str, entry: &Value, edit: &mut Edit) -> Result<String, EditError> {
    let mut document = Document::parse(before)?;
    match find_json(&document, key)? {
        Some((_, Whose::Theirs)) => {
            edit.warnings.push(warning());
            return Ok(before.to_owned());
        }
        Some((place, Whose::Ours)) => {
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

/// Where the program of our entry stands, and what it is.
fn program(document: &Document, place: &[usize]) -> Option<(Vec<usize>, String)> {
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
    let mut document = Document::parse(existing)?;
    if let Some((place, Whose::Ours)) = find_json(&document, key)? {
        document.remove(&place)?;
    }
    Ok(document.into_text())
}

fn add_toml(before: &str, key: &str, binary: &str, edit: &mut Edit) -> Result<String, EditError> {
    let mut document = TomlDocument::parse(before)?;
    let entry = document.members(&[key, NAME]);
    match entry.map(whose_toml) {
        Some(Whose::Theirs) => edit.warnings.push(warning()),
        Some(Whose::Ours) => {
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
            let block = format!("[{key}.{NAME}]\ncommand = {command}\nargs = [\"{WORD}\"]");
            document.append_tables(&[block])?;
            edit.added = reported(true);
        }
    }
    Ok(document.into_text())
}

fn whose_toml(entry: &dyn TableLike) -> Whose {
    let program = entry.get("command").and_then(Item::as_str);
    let args = entry.get("args").and_then(Item::as_array);
    let is_word = args.is_some_and(|args| {
        args.len() == 1 && args.get(0).and_then(toml_edit::Value::as_str) == Some(WORD)
    });
    match program {
        Some(program) if is_becket(program) && is_word => Whose::Ours,
        _ => Whose::Theirs,
    }
}

fn remove_toml(existing: &str, key: &str) -> Result<String, EditError> {
    let mut document = TomlDocument::parse(existing)?;
    let ours = document.members(&[key, NAME]).map(whose_toml) == Some(Whose::Ours);
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

    fn added(agent: &str, before: Option<&str>) -> Edit {
        let edit = servers(agent).expect("known").plan_add(before, BINARY);
        edit.unwrap_or_else(|error| panic!("{agent}: {error}"))
    }

    #[test]
    fn what_is_added_is_found_again_and_removed_without_a_trace() {
        for one in &ALL {
            let texts: &[&str] = match one.form {
                Form::Toml(_) => &[
                    "",
                    "model = \"x\" # mine\n",
                    "[mcp_servers.other]\ncommand = \"o\"\n",
                ],
                Form::Json(SERVERS, _) => &[
                    "",
                    "{}",
                    "{\n  // mine\n  \"a\": 1,\n}\n",
                    "{ \"mcpServers\": { \"other\": { \"command\": \"o\" } } }",
                    "{\n\t\"mcpServers\": {}\n}\n",
                ],
                Form::Json(..) => &["{}", "{\n  \"mcp\": { \"other\": {} }\n}\n"],
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
    fn another_program_of_ours_is_corrected_and_somebody_elses_is_left_alone() {
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
    fn a_file_that_is_not_understood_is_refused() {
        let claude = servers("claude").expect("known");
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
        let error = servers("codex")
            .expect("known")
            .plan_add(Some("= 1"), BINARY);
        assert!(error.is_err());
    }
}
