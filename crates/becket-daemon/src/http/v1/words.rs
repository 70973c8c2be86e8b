//! Words that a parameter may be.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum Status {
    Active,
    Completed,
}

/// What numbers can be told apart by
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum By {
    Agent,
}

/// Verdicts that are asked for, with commas between them.
#[derive(Debug, Clone)]
pub(super) struct Verdicts(String);

/// What may stand in such a list. The last is for calls that hooks gave another input.
const VERDICTS: [&str; 6] = ["none", "allow", "ask", "deny", "halt", "rewrite"];

/// What a list of verdicts looks like, for the document.
pub(super) const VERDICT_LIST: &str =
    "^(none|allow|ask|deny|halt|rewrite)(,(none|allow|ask|deny|halt|rewrite))*$";

impl Verdicts {
    pub(super) fn text(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Verdicts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.split(',').find(|word| !VERDICTS.contains(word)) {
            None => Ok(Self(text)),
            Some(other) => Err(serde::de::Error::custom(format!(
                "unknown variant `{other}`, expected some of {}",
                VERDICTS.join(", ")
            ))),
        }
    }
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum Outcome {
    Open,
    Ran,
    Failed,
    Refused,
}

impl Status {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Completed => "completed",
        }
    }
}

impl Outcome {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Ran => "ran",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }
}
