//! Compiles a scenario for one client: native tool names and paths, with steps looked up by position.

use std::path::Path;

use serde_json::Value;

use super::record::{ModelReply, ParsedConversation, ScriptPosition};
use crate::scenario::{Scenario, ScriptedCall, SideReply, Step, When};
use crate::tools::{ToolError, ToolTable};

/// A tool call in the client's format.
#[derive(Debug, Clone, PartialEq)]
pub struct NativeCall {
    /// The client's tool name.
    pub name: String,
    /// The input in the client's format; a string for a free-form tool.
    pub input: Value,
}

/// A compiled scenario.
#[derive(Debug)]
pub(super) struct Script {
    steps: Vec<ModelReply>,
    conversations: Vec<(When, Vec<ModelReply>)>,
    after: ModelReply,
    side: SideReply,
}

impl Script {
    pub(super) fn new(
        scenario: &Scenario,
        tools: &ToolTable,
        work: &Path,
    ) -> Result<Self, ToolError> {
        let work = work.to_string_lossy();
        let ready = |steps: &[Step]| {
            let replies = steps.iter().map(|step| reply(step, tools, &work));
            replies.collect::<Result<Vec<_>, _>>()
        };
        let conversations = scenario.conversations.iter();
        Ok(Self {
            steps: ready(&scenario.steps)?,
            conversations: conversations
                .map(|(when, steps)| Ok((when.clone(), ready(steps)?)))
                .collect::<Result<_, ToolError>>()?,
            after: text(&scenario.after, &work),
            side: scenario.side.clone(),
        })
    }

    /// Selects the answer for the current state of a conversation.
    pub(super) fn play(&self, conversation: &ParsedConversation) -> (ScriptPosition, ModelReply) {
        if let SideReply::Harmless { text, json } = &self.side
            && conversation.tools.is_empty()
        {
            let text = if conversation.wants_json {
                json.to_string()
            } else {
                text.clone()
            };
            let calls = Vec::new();
            return (ScriptPosition::Side, ModelReply::Answer { text, calls });
        }
        let fitting = self.conversations.iter();
        let steps = fitting
            .filter(|(when, _)| when.fits(&conversation.opening))
            .map(|(_, steps)| steps)
            .next()
            .unwrap_or(&self.steps);
        match steps.get(conversation.answers) {
            Some(reply) => (ScriptPosition::Step(conversation.answers), reply.clone()),
            None => (
                ScriptPosition::After(conversation.answers),
                self.after.clone(),
            ),
        }
    }
}

fn reply(step: &Step, tools: &ToolTable, work: &str) -> Result<ModelReply, ToolError> {
    match step {
        Step::Say(said) => Ok(text(said, work)),
        Step::Fail(error) => Ok(ModelReply::Error(error.clone())),
        Step::Call { lead_in, calls } => {
            let calls = calls.iter().map(|call| native(call, tools, work));
            Ok(ModelReply::Answer {
                text: fill_in(lead_in, work),
                calls: calls.collect::<Result<_, _>>()?,
            })
        }
    }
}

fn text(said: &str, work: &str) -> ModelReply {
    ModelReply::Answer {
        text: fill_in(said, work),
        calls: Vec::new(),
    }
}

fn native(call: &ScriptedCall, tools: &ToolTable, work: &str) -> Result<NativeCall, ToolError> {
    let (name, mut input) = match call {
        ScriptedCall::Generic { tool, args } => tools.native(*tool, args)?,
        ScriptedCall::Native { name, input } => (name.clone(), input.clone()),
    };
    fill_in_value(&mut input, work);
    Ok(NativeCall { name, input })
}

fn fill_in(text: &str, work: &str) -> String {
    text.replace("${WORK}", work)
}

fn fill_in_value(value: &mut Value, work: &str) {
    match value {
        Value::String(text) => *text = fill_in(text, work),
        Value::Array(items) => items.iter_mut().for_each(|item| fill_in_value(item, work)),
        Value::Object(fields) => fields
            .values_mut()
            .for_each(|field| fill_in_value(field, work)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
