//! Generic tools to each client's own, by the table `tools.json`.
//!
//! The table is the only place that knows a client's tool names. It is data so that another client
//! is another row. Start at [`ToolTable::of`].

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::scenario::Tool;

/// One client's row of the table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolTable {
    /// The model that the client is told to use.
    pub model: String,
    tools: HashMap<Tool, NativeTool>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct NativeTool {
    name: String,
    /// Generic argument name to native argument name.
    args: HashMap<String, String>,
    /// Arguments that the client requires and no scenario cares about.
    #[serde(default)]
    constant: Map<String, Value>,
}

/// Why a generic call has no native counterpart.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The table has no such client.
    #[error("no tools are listed for the client `{0}`")]
    UnknownClient(String),
    /// The client has no such tool.
    #[error("the client has no `{0:?}` tool")]
    NoSuchTool(Tool),
    /// The tool has no such argument.
    #[error("`{tool:?}` has no argument `{name}`")]
    UnknownArgument {
        /// The generic tool.
        tool: Tool,
        /// The argument.
        name: String,
    },
    /// The tool needs this argument.
    #[error("`{tool:?}` lacks its argument `{name}`")]
    MissingArgument {
        /// The generic tool.
        tool: Tool,
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
        tool: Tool,
        args: &Map<String, Value>,
    ) -> Result<(String, Value), ToolError> {
        let native = self.tools.get(&tool).ok_or(ToolError::NoSuchTool(tool))?;
        if let Some(name) = native.args.keys().find(|name| !args.contains_key(*name)) {
            let name = name.clone();
            return Err(ToolError::MissingArgument { tool, name });
        }
        let mut input = native.constant.clone();
        for (name, value) in args {
            let Some(native_name) = native.args.get(name) else {
                let name = name.clone();
                return Err(ToolError::UnknownArgument { tool, name });
            };
            input.insert(native_name.clone(), value.clone());
        }
        Ok((native.name.clone(), Value::Object(input)))
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
    fn a_generic_call_becomes_the_clients_own() {
        let claude = ToolTable::of("claude").unwrap();
        let generic = args(json!({"path": "a.txt", "old": "x", "new": "y"}));
        let (name, input) = claude.native(Tool::Edit, &generic).unwrap();
        assert_eq!(name, "Edit");
        assert_eq!(
            input,
            json!({"file_path": "a.txt", "old_string": "x", "new_string": "y"})
        );
    }

    #[test]
    fn arguments_that_the_tool_does_not_have_or_lacks_are_errors() {
        let claude = ToolTable::of("claude").unwrap();
        let message = |generic| {
            let result = claude.native(Tool::Shell, &args(generic));
            result.unwrap_err().to_string()
        };
        assert_eq!(
            message(json!({"command": "ls", "cmd": "ls"})),
            "`Shell` has no argument `cmd`"
        );
        assert_eq!(message(json!({})), "`Shell` lacks its argument `command`");
    }

    #[test]
    fn an_unknown_client_is_an_error() {
        assert!(matches!(
            ToolTable::of("nobody"),
            Err(ToolError::UnknownClient(name)) if name == "nobody"
        ));
    }
}
