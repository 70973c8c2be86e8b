//! What may stand behind the `?`: one struct a question.
//!
//! A struct is both what is read and what the document says of it. What it does not know is refused.

use becket::model::EventKind;
use becket_recall::search::Kind;
use becket_store::{
    ActivityFilter, AlarmFilter, DecisionFilter, EventFilter, MemoryKind, Millis, Scope,
    SearchFilter, SessionFilter,
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::words::{By, Outcome, Status, VERDICT_LIST, Verdicts};
use crate::moment;

/// The most rows of one answer.
pub(super) const MOST: usize = 1000;

/// How many rows are wanted.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "u32")]
pub(super) struct Limit(pub(super) u32);

impl Default for Limit {
    fn default() -> Self {
        Self(50)
    }
}

impl TryFrom<u32> for Limit {
    type Error = String;

    fn try_from(wanted: u32) -> Result<Self, String> {
        match usize::try_from(wanted) {
            Ok(1..=MOST) => Ok(Self(wanted)),
            _ => Err(format!("{wanted} is not between 1 and {MOST}")),
        }
    }
}

impl Limit {
    pub(super) fn rows(self) -> usize {
        usize::try_from(self.0).unwrap_or(MOST)
    }
}

/// What a moment looks like, for the document.
pub(super) const MOMENT: &str = "^(-?[0-9]+|[0-9]+[smhdw]|[0-9]{4}-[0-9]{2}-[0-9]{2}(T.+)?)$";
/// What a place looks like.
const CURSOR: &str = "^-?[0-9]+_(#-?[0-9]+|[^#].*)?$";

/// A moment, as people write them.
pub(super) fn a_moment<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Millis>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let moment = moment::parse(&text, Millis::now());
    moment.map(Some).map_err(serde::de::Error::custom)
}

/// A place that a page gave as its `next`; anything else would quietly begin again.
fn a_cursor<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if becket_store::is_place(&text) {
        return Ok(Some(text));
    }
    let why = "this is not the `next` of a page";
    Err(serde::de::Error::custom(why))
}

/// The name of an event in any spelling.
fn an_event<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(Some(EventKind::parse(&text).name().to_owned()))
}

/// Questions that can be narrowed to a time, a project and an agent.
macro_rules! scoped {
    ($(#[$outer:meta])* struct $name:ident { $($(#[$inner:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$outer])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            $($(#[$inner])* pub(super) $field: $type,)*
            /// From then on: a time, a day, milliseconds since 1970, or how long ago (`12h`, `7d`)
            #[serde(default, deserialize_with = "a_moment")]
            #[schemars(with = "Option<String>", extend("pattern" = MOMENT))]
            since: Option<Millis>,
            /// Before then, in the same forms
            #[serde(default, deserialize_with = "a_moment")]
            #[schemars(with = "Option<String>", extend("pattern" = MOMENT))]
            until: Option<Millis>,
            /// The directory of a project
            project: Option<String>,
            /// The id of an agent
            agent: Option<String>,
        }

        impl $name {
            pub(super) fn scope(&self) -> Scope<'_> {
                Scope {
                    since: self.since,
                    until: self.until,
                    project: self.project.as_deref(),
                    agent: self.agent.as_deref(),
                }
            }
        }
    };
}

/// Nothing may be asked for.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

scoped! {
    struct Sessions {
        /// Whether they are over
        status: Option<Status>,
        /// The children of this session
        parent: Option<String>,
        /// How many
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1, max = 1000))]
        limit: Limit,
        /// The `next` of the page before
        #[serde(default, deserialize_with = "a_cursor")]
        #[schemars(with = "Option<String>", extend("pattern" = CURSOR))]
        after: Option<String>,
    }
}

impl Sessions {
    pub(super) fn filter(&self) -> SessionFilter<'_> {
        SessionFilter {
            scope: self.scope(),
            status: self.status.map(Status::word),
            parent: self.parent.as_deref(),
            limit: self.limit.rows(),
            after: self.after.as_deref(),
        }
    }
}

/// A part of a session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Part {
    /// The number of the prompt to begin with; the first is 1
    pub(super) from: Option<u32>,
    /// How many prompts
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1, max = 1000))]
    pub(super) limit: Limit,
}

scoped! {
    struct Activities {
        /// The id of a session
        session: Option<String>,
        /// The canonical name of a tool
        tool: Option<String>,
        /// A file, as its project sees it
        path: Option<String>,
        /// Whether it succeeded
        success: Option<bool>,
        /// Words, of which all have to be found; `"two words"` is a phrase, `pre*` a beginning
        q: Option<String>,
        /// How many
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1, max = 1000))]
        limit: Limit,
        /// The `next` of the page before
        #[serde(default, deserialize_with = "a_cursor")]
        #[schemars(with = "Option<String>", extend("pattern" = CURSOR))]
        after: Option<String>,
    }
}

impl Activities {
    pub(super) fn filter(&self) -> ActivityFilter<'_> {
        ActivityFilter {
            scope: self.scope(),
            session: self.session.as_deref(),
            tool: self.tool.as_deref(),
            path: self.path.as_deref(),
            success: self.success,
            text: self.q.as_deref(),
            limit: self.limit.rows(),
            after: self.after.as_deref(),
        }
    }
}

scoped! {
    struct Search {
        /// Words, of which all have to be found; `"two words"` is a phrase, `pre*` a beginning
        q: String,
        /// The id of a session
        session: Option<String>,
        /// Of what is remembered and of code: only these
        kind: Option<Kind>,
        /// Of what is remembered: only this sort
        #[serde(rename = "type")]
        memory_type: Option<MemoryKind>,
        /// Of what is remembered and of code: only what is in this file or about it; a directory means all of its files
        file: Option<String>,
        /// How many
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1, max = 1000))]
        limit: Limit,
    }
}

impl Search {
    pub(super) fn project(&self) -> Option<&str> {
        self.project.as_deref()
    }

    pub(super) fn filter(&self) -> SearchFilter<'_> {
        SearchFilter {
            text: &self.q,
            scope: self.scope(),
            session: self.session.as_deref(),
            limit: self.limit.rows(),
        }
    }
}

scoped! {
    struct Decisions {
        /// The id of a session
        session: Option<String>,
        /// What was decided, several with commas between; `rewrite` is for calls that were given another input
        #[schemars(with = "Option<String>", extend("pattern" = VERDICT_LIST))]
        verdict: Option<Verdicts>,
        /// The rule or the hook that had something to say
        rule: Option<String>,
        /// What became of the call
        outcome: Option<Outcome>,
        /// How many
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1, max = 1000))]
        limit: Limit,
        /// The `next` of the page before
        #[serde(default, deserialize_with = "a_cursor")]
        #[schemars(with = "Option<String>", extend("pattern" = CURSOR))]
        after: Option<String>,
    }
}

impl Decisions {
    pub(super) fn filter(&self) -> DecisionFilter<'_> {
        DecisionFilter {
            scope: self.scope(),
            session: self.session.as_deref(),
            verdict: self.verdict.as_ref().map(Verdicts::text),
            rule: self.rule.as_deref(),
            outcome: self.outcome.map(Outcome::word),
            limit: self.limit.rows(),
            after: self.after.as_deref(),
        }
    }
}

/// Which alarms.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Alarms {
    /// Those that were acknowledged, too
    #[serde(default)]
    all: bool,
    /// How many
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1, max = 1000))]
    pub(super) limit: Limit,
}

impl Alarms {
    pub(super) fn filter(&self) -> AlarmFilter {
        if self.all {
            AlarmFilter::All
        } else {
            AlarmFilter::Open
        }
    }
}

/// Which notifications.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Notifications {
    /// The id of a session
    pub(super) session: Option<String>,
    /// How many
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1, max = 1000))]
    pub(super) limit: Limit,
}

scoped! {
    struct Listed {
        /// How many
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1, max = 1000))]
        limit: Limit,
    }
}

scoped! {
    struct Numbers {}
}

scoped! {
    struct OverTime {
        /// How long a stretch is, in seconds; an hour unless said
        #[schemars(range(min = 1))]
        step: Option<std::num::NonZeroU32>,
        /// `agent` tells of each agent by itself
        by: Option<By>,
    }
}

/// Questions for events: where to begin, and which.
macro_rules! of_events {
    ($(#[$outer:meta])* struct $name:ident { $($(#[$inner:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            /// The place after which to begin: the `cursor` of an answer, the `seq` of an event
            pub(super) since: Option<i64>,
            $($(#[$inner])* pub(super) $field: $type,)*
            /// The id of a session
            session: Option<String>,
            /// The directory of a project
            project: Option<String>,
            /// The id of an agent
            agent: Option<String>,
            /// The name of an event, in any spelling
            #[serde(default, deserialize_with = "an_event")]
            #[schemars(with = "Option<String>")]
            event: Option<String>,
            /// What was decided, several with commas between; `rewrite` is for calls that were given another input
            #[schemars(with = "Option<String>", extend("pattern" = VERDICT_LIST))]
            verdict: Option<Verdicts>,
        }

        impl $name {
            pub(super) fn filter(&self, limit: usize) -> EventFilter<'_> {
                EventFilter {
                    scope: Scope {
                        project: self.project.as_deref(),
                        agent: self.agent.as_deref(),
                        ..Scope::default()
                    },
                    session: self.session.as_deref(),
                    kind: self.event.as_deref(),
                    verdict: self.verdict.as_ref().map(Verdicts::text),
                    limit,
                }
            }
        }
    };
}

of_events! {
    /// Which events, from where on.
    struct Events {}
}

of_events! {
    /// Which events, from where on or back from where.
    struct EventsListed {
        /// Not from a place on but back from one: the latest before it. The `cursor` then is what to ask for next as `before`
        before: Option<i64>,
        /// How many
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1, max = 1000))]
        limit: Limit,
    }
}
