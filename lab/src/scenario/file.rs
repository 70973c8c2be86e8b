//! The JSON format of scenario files.
//!
//! ```json
//! {
//!   "steps": [
//!     {"tool": "shell", "args": {"command": "echo hello > out.txt"}},
//!     {"calls": [{"tool": "read", "args": {"path": "${WORK}/README.md"}},
//!                {"name": "Glob", "input": {"pattern": "*"}}], "text": "Looking around."},
//!     {"error": 529, "error_type": "overloaded_error", "message": "busy"},
//!     {"text": "All done."}
//!   ],
//!   "conversations": [{"contains": "SUBTASK", "steps": [{"text": "Sub done."}]},
//!                     {"match": "^Summari[sz]e", "steps": [{"text": "Short."}]}],
//!   "after_text": "Nothing more to do.",
//!   "side_text": "ok",
//!   "side_json": {"title": "t"},
//!   "script_side_requests": false
//! }
//! ```
//!
//! A step is an error, or text, or calls with optional text before them; a step with a single call may contain its keys
//! directly. Only `steps` is required. Unknown keys are errors: otherwise a misspelt key would let a test pass for the
//! wrong reason.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::{ApiError, GenericTool, Scenario, ScriptedCall, SideReply, Step, When};

/// Why a scenario file cannot be loaded.
#[derive(Debug, thiserror::Error)]
#[error("failed to load the scenario `{}`", path.display())]
pub struct ScenarioError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub kind: ScenarioErrorKind,
}

/// What is wrong with a scenario.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScenarioErrorKind {
    /// The file cannot be read.
    #[error("cannot be read")]
    Unreadable(#[from] io::Error),
    /// The text is not JSON of the documented shape.
    #[error("not a scenario")]
    Shape(#[from] serde_json::Error),
    /// A step mixes kinds or is empty.
    #[error("step {number} {problem}")]
    Step {
        /// The step, counted from 1 within its list.
        number: usize,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A conversation has no condition, or two.
    #[error("a conversation needs exactly one of `match` and `contains`")]
    Condition,
    /// A conversation's pattern cannot be compiled.
    #[error("`match` is not a valid regex")]
    Pattern(#[from] regex::Error),
}

pub(super) fn load(path: &Path) -> Result<Scenario, ScenarioError> {
    let parsed = fs::read_to_string(path)
        .map_err(ScenarioErrorKind::from)
        .and_then(|text| text.parse());
    parsed.map_err(|kind| ScenarioError {
        path: path.to_owned(),
        kind,
    })
}

impl std::str::FromStr for Scenario {
    type Err = ScenarioErrorKind;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wire: ScenarioWire = serde_json::from_str(text)?;
        let mut scenario = Scenario::new(steps(wire.steps)?);
        for conversation in wire.conversations {
            let when = match (conversation.pattern, conversation.contains) {
                (Some(pattern), None) => When::matches(&pattern)?,
                (None, Some(text)) => When::contains(text),
                _ => return Err(ScenarioErrorKind::Condition),
            };
            scenario = scenario.conversation(when, steps(conversation.steps)?);
        }
        if let Some(text) = wire.after_text {
            scenario = scenario.after(text);
        }
        if let SideReply::Harmless { text, json } = &mut scenario.side {
            *text = wire.side_text.unwrap_or_else(|| std::mem::take(text));
            *json = wire.side_json.unwrap_or_else(|| json.take());
        }
        if wire.script_side_requests {
            scenario = scenario.script_side_requests();
        }
        Ok(scenario)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScenarioWire {
    steps: Vec<StepWire>,
    #[serde(default)]
    conversations: Vec<ConversationWire>,
    after_text: Option<String>,
    side_text: Option<String>,
    side_json: Option<Value>,
    #[serde(default)]
    script_side_requests: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ConversationWire {
    #[serde(rename = "match")]
    pattern: Option<String>,
    contains: Option<String>,
    steps: Vec<StepWire>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct StepWire {
    text: Option<String>,
    calls: Option<Vec<CallWire>>,
    tool: Option<GenericTool>,
    args: Option<Map<String, Value>>,
    name: Option<String>,
    input: Option<Value>,
    error: Option<u16>,
    error_type: Option<String>,
    message: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallWire {
    tool: Option<GenericTool>,
    args: Option<Map<String, Value>>,
    name: Option<String>,
    input: Option<Value>,
}

fn steps(wires: Vec<StepWire>) -> Result<Vec<Step>, ScenarioErrorKind> {
    let numbered = wires.into_iter().zip(1..);
    numbered
        .map(|(wire, number)| {
            step(wire).map_err(|problem| ScenarioErrorKind::Step { number, problem })
        })
        .collect()
}

fn step(wire: StepWire) -> Result<Step, &'static str> {
    let in_place = CallWire {
        tool: wire.tool,
        args: wire.args,
        name: wire.name,
        input: wire.input,
    };
    let calls = match (wire.calls, in_place.is_empty()) {
        (Some(_), false) => return Err("has `calls` and the keys of a single call"),
        (Some(calls), true) => calls,
        (None, false) => vec![in_place],
        (None, true) => Vec::new(),
    };
    let calls = calls.into_iter().map(call).collect::<Result<Vec<_>, _>>()?;
    match (wire.error, wire.text, calls.is_empty()) {
        (Some(status), None, true) => Ok(Step::Fail(ApiError {
            status,
            kind: wire.error_type.unwrap_or_else(|| "api_error".to_owned()),
            message: wire.message.unwrap_or_else(|| "scripted error".to_owned()),
        })),
        (Some(_), _, _) => Err("has an `error` and other keys"),
        (None, Some(text), true) => Ok(Step::Say(text)),
        (None, text, false) => Ok(Step::Call {
            lead_in: text.unwrap_or_default(),
            calls,
        }),
        (None, None, true) => Err("is empty"),
    }
}

impl CallWire {
    fn is_empty(&self) -> bool {
        self.tool.is_none() && self.args.is_none() && self.name.is_none() && self.input.is_none()
    }
}

fn call(wire: CallWire) -> Result<ScriptedCall, &'static str> {
    match wire {
        CallWire {
            tool: Some(tool),
            args,
            name: None,
            input: None,
        } => Ok(ScriptedCall::Generic {
            tool,
            args: args.unwrap_or_default(),
        }),
        CallWire {
            tool: None,
            args: None,
            name: Some(name),
            input: Some(input),
        } => Ok(ScriptedCall::Native { name, input }),
        _ => Err("has a call that is neither `tool` with `args` nor `name` with `input`"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(value: &Value) -> Result<Scenario, ScenarioErrorKind> {
        value.to_string().parse()
    }

    #[test]
    fn every_kind_of_step_is_parsed() {
        let scenario = parse(&json!({"steps": [
            {"tool": "shell", "args": {"command": "ls"}},
            {"calls": [{"tool": "read", "args": {"path": "a"}}, {"name": "Glob", "input": {"pattern": "*"}}], "text": "Looking."},
            {"error": 529, "error_type": "overloaded_error", "message": "busy"},
            {"error": 500},
            {"text": "Done."},
        ]}))
        .unwrap();
        let expected = [
            Step::shell("ls"),
            Step::Call {
                lead_in: "Looking.".to_owned(),
                calls: vec![
                    ScriptedCall::read("a"),
                    ScriptedCall::native("Glob", json!({"pattern": "*"})),
                ],
            },
            Step::fail(529, "overloaded_error", "busy"),
            Step::fail(500, "api_error", "scripted error"),
            Step::say("Done."),
        ];
        assert_eq!(scenario.steps, expected);
    }

    #[test]
    fn conversations_are_selected_by_substring_or_regex() {
        let scenario = parse(&json!({"steps": [], "conversations": [
            {"contains": "a.c", "steps": [{"text": "one"}]},
            {"match": "^a.c", "steps": [{"text": "two"}]},
        ]}))
        .unwrap();
        let fitting = |text| {
            let fits = scenario
                .conversations
                .iter()
                .map(|(when, _)| when.fits(text));
            fits.collect::<Vec<_>>()
        };
        assert_eq!(fitting("see a.c"), [true, false]);
        assert_eq!(fitting("a\nc"), [false, true]);
        assert_eq!(fitting("nothing"), [false, false]);
    }

    #[test]
    fn invalid_step_is_an_error_with_its_number() {
        let message = |value: &Value| parse(value).unwrap_err().to_string();
        let one_step = |step: Value| message(&json!({"steps": [{"text": "fine"}, step]}));
        assert_eq!(one_step(json!({})), "step 2 is empty");
        assert_eq!(
            one_step(json!({"error": 500, "text": "x"})),
            "step 2 has an `error` and other keys"
        );
        assert_eq!(
            one_step(json!({"calls": [], "tool": "shell"})),
            "step 2 has `calls` and the keys of a single call"
        );
        assert_eq!(
            one_step(json!({"name": "Bash"})),
            "step 2 has a call that is neither `tool` with `args` nor `name` with `input`"
        );
        let misspelt = one_step(json!({"txt": "x"}));
        assert_eq!(misspelt, "not a scenario");
        assert_eq!(
            message(&json!({"steps": [], "conversations": [{"steps": []}]})),
            "a conversation needs exactly one of `match` and `contains`"
        );
        assert_eq!(
            message(&json!({"steps": [], "conversations": [{"match": "(", "steps": []}]})),
            "`match` is not a valid regex"
        );
    }

    #[test]
    fn file_sets_the_answers_outside_the_steps() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = json!({
            "steps": [],
            "after_text": "over",
            "side_text": "aside",
            "side_json": {"a": 1},
        });
        fs::write(file.path(), text.to_string()).unwrap();
        let scenario = Scenario::load(file.path()).unwrap();
        assert_eq!(scenario.after, "over");
        let SideReply::Harmless { text, json } = &scenario.side else {
            panic!("{:?}", scenario.side);
        };
        assert_eq!((text.as_str(), json), ("aside", &json!({"a": 1})));
    }

    #[test]
    fn missing_file_is_named() {
        let error = Scenario::load(Path::new("/no/such/scenario.json")).unwrap_err();
        assert!(error.to_string().contains("/no/such/scenario.json"));
        assert!(matches!(error.kind, ScenarioErrorKind::Unreadable(_)));
    }
}
