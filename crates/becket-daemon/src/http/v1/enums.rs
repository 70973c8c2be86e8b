//! Enumerated values of query parameters.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum SessionStatus {
    Active,
    Completed,
}

/// What to group statistics by
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum GroupBy {
    Agent,
}

/// A comma-separated list of verdicts.
#[derive(Debug, Clone)]
pub(super) struct VerdictList(String);

/// The allowed values. `rewrite` selects calls whose input hooks changed.
const VERDICTS: [&str; 6] = ["none", "allow", "ask", "deny", "halt", "rewrite"];

/// The regular expression for a list, for the OpenAPI document.
pub(super) const VERDICT_LIST_PATTERN: &str =
    "^(none|allow|ask|deny|halt|rewrite)(,(none|allow|ask|deny|halt|rewrite))*$";

impl VerdictList {
    pub(super) fn text(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for VerdictList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.split(',').find(|word| !VERDICTS.contains(word)) {
            None => Ok(Self(text)),
            Some(other) => Err(serde::de::Error::custom(format!(
                "unknown verdict `{other}`, expected one or more of {}",
                VERDICTS.join(", ")
            ))),
        }
    }
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub(super) enum OutcomeFilter {
    Open,
    Ran,
    Failed,
    Refused,
}

impl SessionStatus {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Completed => "completed",
        }
    }
}

impl OutcomeFilter {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Ran => "ran",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }
}
