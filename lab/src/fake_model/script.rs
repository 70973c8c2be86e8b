//! A scenario made ready for one client: native tool names, paths filled in, steps found by position.

use std::path::Path;

use serde_json::Value;

use super::record::{Heard, Position, Reply};
use crate::scenario::{Call, Scenario, Side, Step, When};
use crate::tools::{ToolError, ToolTable};

/// A tool call in the client's own words.
#[derive(Debug, Clone, PartialEq)]
pub struct NativeCall {
    /// The client's name of the tool.
    pub name: String,
    /// The input in the client's shape; a string for a free-form tool.
    pub input: Value,
}

/// What the server plays from.
#[derive(Debug)]
pub(super) struct Script {
    steps: Vec<Reply>,
    conversations: Vec<(When, Vec<Reply>)>,
    after: Reply,
    side: Side,
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

    /// What to answer to a conversation that stands like this.
    pub(super) fn play(&self, heard: &Heard) -> (Position, Reply) {
        if let Side::Harmless { text, json } = &self.side
            && heard.tools.is_empty()
        {
            let text = if heard.wants_json {
                json.to_string()
            } else {
                text.clone()
            };
            let calls = Vec::new();
            return (Position::Side, Reply::Answer { text, calls });
        }
        let fitting = self.conversations.iter();
        let steps = fitting
            .filter(|(when, _)| when.fits(&heard.opening))
            .map(|(_, steps)| steps)
            .next()
            .unwrap_or(&self.steps);
        match steps.get(heard.answers) {
            Some(reply) => (Position::Step(heard.answers), reply.clone()),
            None => (Position::After(heard.answers), self.after.clone()),
        }
    }
}

fn reply(step: &Step, tools: &ToolTable, work: &str) -> Result<Reply, ToolError> {
    match step {
        Step::Say(said) => Ok(text(said, work)),
        Step::Fail(error) => Ok(Reply::Error(error.clone())),
        Step::Call { lead_in, calls } => {
            let calls = calls.iter().map(|call| native(call, tools, work));
            Ok(Reply::Answer {
                text: fill_in(lead_in, work),
                calls: calls.collect::<Result<_, _>>()?,
            })
        }
    }
}

fn text(said: &str, work: &str) -> Reply {
    Reply::Answer {
        text: fill_in(said, work),
        calls: Vec::new(),
    }
}

fn native(call: &Call, tools: &ToolTable, work: &str) -> Result<NativeCall, ToolError> {
    let (name, mut input) = match call {
        Call::Generic { tool, args } => tools.native(*tool, args)?,
        Call::Native { name, input } => (name.clone(), input.clone()),
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
