//! Claude's tool calls and subagents in a payload.

use becket_model::{Subagent, ToolCall};
use serde_json::{Map, Value};

use super::Tools;
use crate::adapter::ParseError;
use crate::fields::PayloadFields;

impl PayloadFields<'_> {
    /// A call that is about to happen: a guard has to see what it will do.
    pub(crate) fn announced_call(self, tools: &Tools) -> Result<ToolCall, ParseError> {
        self.required_object("tool_input")?;
        self.reported_call(tools)
    }

    /// A call that is over.
    pub(crate) fn reported_call(self, tools: &Tools) -> Result<ToolCall, ParseError> {
        let name = self.required_name("tool_name")?;
        let input = self.raw("tool_input").cloned();
        let input = input.unwrap_or_else(|| Value::Object(Map::new()));
        Ok(tools.call(name, input).with_id(self.scalar("tool_use_id")))
    }

    /// A session may have an `agent_type` of its own (`--agent`); only an id means a subagent.
    pub(crate) fn subagent(self) -> Option<Subagent> {
        let id = self.scalar("agent_id").filter(|id| !id.is_empty())?;
        Some(Subagent {
            id,
            kind: self.filled("agent_type"),
        })
    }
}
