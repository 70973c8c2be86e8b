//! Maps generic tools to each client's own, with the table `tools.json`.
//!
//! Only the table knows a client's tool names. A new client is a new row. Start at [`ToolTable::of`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::scenario::GenericTool;

/// One client's row of the table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolTable {
    /// The model for the client to use.
    pub model: String,
    tools: HashMap<GenericTool, NativeTool>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct NativeTool {
    name: String,
    /// Generic argument name to native argument name.
    #[serde(default)]
    args: BTreeMap<String, String>,
    /// Arguments that the client requires and scenarios do not set.
    #[serde(default)]
    constant: Map<String, Value>,
    /// Native argument name to its value: a template, or a value that contains templates.
    #[serde(default)]
    composed: BTreeMap<String, Composed>,
    /// For a free-form tool: the templates for the lines of its input.
    text: Option<Vec<Template>>,
}

/// A line with at most one generic argument, as `{name}`. A multi-line value becomes as many lines, so that a table can
/// describe a patch.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
struct Template(String);

/// A value that contains templates.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum Composed {
    Text(Template),
    List(Vec<Composed>),
    Object(BTreeMap<String, Composed>),
}

/// Why a generic call has no native form.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The table has no such client.
    #[error("no tools are listed for the client `{0}`")]
    UnknownClient(String),
    /// The client has no such tool.
    #[error("the client has no `{0:?}` tool")]
    NoSuchTool(GenericTool),
    /// The tool has no such argument.
    #[error("`{tool:?}` has no argument `{name}`")]
    UnknownArgument {
        /// The generic tool.
        tool: GenericTool,
        /// The argument.
        name: String,
    },
    /// The tool needs this argument.
    #[error("`{tool:?}` is missing its argument `{name}`")]
    MissingArgument {
        /// The generic tool.
        tool: GenericTool,
        /// The argument.
        name: String,
    },
}

impl ToolTable {
    /// The row of `client`.
    pub fn of(client: &str) -> Result<Self, ToolError> {
        let mut table: HashMap<String, Self> = serde_json::from_str(include_str!("../tools.json"))
            .expect("tools.json is part of the crate and read by its tests");
        table
            .remove(client)
            .ok_or_else(|| ToolError::UnknownClient(client.to_owned()))
    }

    /// The client's name and input for a generic call.
    pub fn native(
        &self,
        tool: GenericTool,
        args: &Map<String, Value>,
    ) -> Result<(String, Value), ToolError> {
        let native = self.tools.get(&tool).ok_or(ToolError::NoSuchTool(tool))?;
        let wanted = native.arguments();
        if let Some(&name) = wanted.iter().find(|name| !args.contains_key(**name)) {
            let name = name.to_owned();
            return Err(ToolError::MissingArgument { tool, name });
        }
        if let Some(name) = args.keys().find(|name| !wanted.contains(name.as_str())) {
            let name = name.clone();
            return Err(ToolError::UnknownArgument { tool, name });
        }
        Ok((native.name.clone(), native.input(args)))
    }
}

impl NativeTool {
    /// The generic arguments, all required.
    fn arguments(&self) -> BTreeSet<&str> {
        let composed = self.composed.values().flat_map(Composed::templates);
        let templates = composed.chain(self.text.iter().flatten());
        let in_templates = templates.filter_map(Template::argument);
        let plain = self.args.keys().map(String::as_str);
        plain.chain(in_templates).collect()
    }

    fn input(&self, args: &Map<String, Value>) -> Value {
        if let Some(templates) = &self.text {
            let lines = templates.iter().flat_map(|template| template.fill(args));
            return lines.map(|line| line + "\n").collect::<String>().into();
        }
        let mut input = self.constant.clone();
        for (name, native_name) in &self.args {
            if let Some(value) = args.get(name) {
                input.insert(native_name.clone(), value.clone());
            }
        }
        for (native_name, composed) in &self.composed {
            input.insert(native_name.clone(), composed.fill(args));
        }
        Value::Object(input)
    }
}

impl Composed {
    fn templates(&self) -> Vec<&Template> {
        match self {
            Self::Text(template) => vec![template],
            Self::List(parts) => parts.iter().flat_map(Self::templates).collect(),
            Self::Object(parts) => parts.values().flat_map(Self::templates).collect(),
        }
    }

    fn fill(&self, args: &Map<String, Value>) -> Value {
        match self {
            Self::Text(template) => template.fill(args).join("\n").into(),
            Self::List(parts) => parts.iter().map(|part| part.fill(args)).collect(),
            Self::Object(parts) => {
                let filled = parts
                    .iter()
                    .map(|(key, part)| (key.clone(), part.fill(args)));
                Value::Object(filled.collect())
            }
        }
    }
}

impl Template {
    fn split(&self) -> Option<(&str, &str, &str)> {
        let (before, rest) = self.0.split_once('{')?;
        let (name, after) = rest.split_once('}')?;
        Some((before, name, after))
    }

    fn argument(&self) -> Option<&str> {
        self.split().map(|(_, name, _)| name)
    }

    fn fill(&self, args: &Map<String, Value>) -> Vec<String> {
        let Some((before, name, after)) = self.split() else {
            return vec![self.0.clone()];
        };
        let value = match args.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => String::new(),
        };
        let lines = value.lines();
        lines.map(|line| format!("{before}{line}{after}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn args(value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => panic!("{other} is not an object"),
        }
    }

    #[test]
    fn generic_call_maps_to_the_native_tool() {
        let claude = ToolTable::of("claude").unwrap();
        let generic = args(json!({"path": "a.txt", "old": "x", "new": "y"}));
        let (name, input) = claude.native(GenericTool::Edit, &generic).unwrap();
        assert_eq!(name, "Edit");
        assert_eq!(
            input,
            json!({"file_path": "a.txt", "old_string": "x", "new_string": "y"})
        );
    }

    #[test]
    fn unknown_and_missing_arguments_are_errors() {
        let claude = ToolTable::of("claude").unwrap();
        let message = |generic| {
            let result = claude.native(GenericTool::Shell, &args(generic));
            result.unwrap_err().to_string()
        };
        assert_eq!(
            message(json!({"command": "ls", "cmd": "ls"})),
            "`Shell` has no argument `cmd`"
        );
        assert_eq!(
            message(json!({})),
            "`Shell` is missing its argument `command`"
        );
    }

    #[test]
    fn every_client_has_every_generic_tool() {
        for agent in crate::Agent::ALL {
            let table = ToolTable::of(agent.name()).unwrap();
            for (tool, generic) in [
                (GenericTool::Shell, json!({"command": "ls"})),
                (GenericTool::Write, json!({"path": "a", "content": "x"})),
                (
                    GenericTool::Edit,
                    json!({"path": "a", "old": "x", "new": "y"}),
                ),
                (GenericTool::Read, json!({"path": "a"})),
            ] {
                let native = table.native(tool, &args(generic));
                assert!(native.is_ok(), "{agent}: {native:?}");
            }
        }
    }

    #[test]
    fn free_form_tool_gets_its_input_as_text() {
        let codex = ToolTable::of("codex").unwrap();
        let generic = args(json!({"path": "a.txt", "old": "x", "new": "y {z}\nw"}));
        let (name, input) = codex.native(GenericTool::Edit, &generic).unwrap();
        assert_eq!(name, "apply_patch");
        assert_eq!(
            input,
            "*** Begin Patch\n*** Update File: a.txt\n@@\n-x\n+y {z}\n+w\n*** End Patch\n"
        );
        let missing = codex.native(
            GenericTool::Edit,
            &args(json!({"path": "a.txt", "old": "x"})),
        );
        let message = missing.unwrap_err().to_string();
        assert_eq!(message, "`Edit` is missing its argument `new`");
    }

    #[test]
    fn argument_can_be_composed_from_templates() {
        let codex = ToolTable::of("codex").unwrap();
        let generic = args(json!({"path": "a b.txt"}));
        let (name, input) = codex.native(GenericTool::Read, &generic).unwrap();
        assert_eq!(name, "exec_command");
        assert_eq!(input, json!({"cmd": "cat 'a b.txt'"}));
    }

    #[test]
    fn unknown_client_is_an_error() {
        assert!(matches!(
            ToolTable::of("no-such-client"),
            Err(ToolError::UnknownClient(name)) if name == "no-such-client"
        ));
    }
}
