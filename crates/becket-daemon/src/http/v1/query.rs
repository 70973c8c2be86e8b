//! Query parameters: one struct per route.
//!
//! A struct is used for parsing and for the OpenAPI document. Unknown parameters are rejected.

use becket_model::EventKind;
use becket_recall::search::HitKind;
use becket_store::{
    ActivityFilter, AlarmFilter, DecisionFilter, EventFilter, MemoryKind, Millis, QueryScope,
    SearchFilter, SessionFilter,
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::enums::{GroupBy, OutcomeFilter, SessionStatus, VERDICT_LIST_PATTERN, VerdictList};
use crate::human_time;

/// The most rows of one response.
pub(super) const MAX_ROWS: usize = 1000;

/// The requested number of rows.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "u32")]
pub(super) struct PageLimit(pub(super) u32);

impl Default for PageLimit {
    fn default() -> Self {
        Self(50)
    }
}

impl TryFrom<u32> for PageLimit {
    type Error = String;

    fn try_from(requested: u32) -> Result<Self, String> {
        match usize::try_from(requested) {
            Ok(1..=MAX_ROWS) => Ok(Self(requested)),
            _ => Err(format!("{requested} is not between 1 and {MAX_ROWS}")),
        }
    }
}

impl PageLimit {
    pub(super) fn rows(self) -> usize {
        usize::try_from(self.0).unwrap_or(MAX_ROWS)
    }
}

/// The regular expression for a time, for the OpenAPI document.
pub(super) const TIME_PATTERN: &str = "^(-?[0-9]+|[0-9]+[smhdw]|[0-9]{4}-[0-9]{2}-[0-9]{2}(T.+)?)$";
/// The regular expression for a cursor.
const CURSOR_PATTERN: &str = "^-?[0-9]+_(#-?[0-9]+|[^#].*)?$";

/// Parses a time as people write it.
pub(super) fn parse_time<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Millis>, D::Error> {
    let text = String::deserialize(deserializer)?;
    let time = human_time::parse(&text, Millis::now());
    time.map(Some).map_err(serde::de::Error::custom)
}

/// Parses the `next` cursor of a page; an invalid cursor would silently restart at the beginning.
fn parse_cursor<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    if becket_store::is_cursor(&text) {
        return Ok(Some(text));
    }
    let why = "not the `next` of a page";
    Err(serde::de::Error::custom(why))
}

/// Parses an event name in any spelling.
fn parse_event_name<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Ok(Some(EventKind::parse(&text).name().to_owned()))
}

/// Parameters with a time range, a project and an agent.
macro_rules! scoped_params {
    ($(#[$outer:meta])* struct $name:ident { $($(#[$inner:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$outer])*
        #[derive(Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            $($(#[$inner])* pub(super) $field: $type,)*
            /// Only from this time on: a timestamp, a date, milliseconds since 1970, or a duration before now (`12h`, `7d`)
            #[serde(default, deserialize_with = "parse_time")]
            #[schemars(with = "Option<String>", extend("pattern" = TIME_PATTERN))]
            since: Option<Millis>,
            /// Only before this time, in the same formats
            #[serde(default, deserialize_with = "parse_time")]
            #[schemars(with = "Option<String>", extend("pattern" = TIME_PATTERN))]
            until: Option<Millis>,
            /// The project's directory
            project: Option<String>,
            /// The agent's id
            agent: Option<String>,
        }

        impl $name {
            pub(super) fn scope(&self) -> QueryScope<'_> {
                QueryScope {
                    since: self.since,
                    until: self.until,
                    project: self.project.as_deref(),
                    agent: self.agent.as_deref(),
                }
            }
        }
    };
}

/// No parameters.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NoParams {}

scoped_params! {
    struct SessionsParams {
        /// The session status
        status: Option<SessionStatus>,
        /// Only children of this session
        parent: Option<String>,
        /// The most results
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1, max = 1000))]
        limit: PageLimit,
        /// The `next` of the previous page
        #[serde(default, deserialize_with = "parse_cursor")]
        #[schemars(with = "Option<String>", extend("pattern" = CURSOR_PATTERN))]
        after: Option<String>,
    }
}

impl SessionsParams {
    pub(super) fn filter(&self) -> SessionFilter<'_> {
        SessionFilter {
            scope: self.scope(),
            status: self.status.map(SessionStatus::word),
            parent: self.parent.as_deref(),
            limit: self.limit.rows(),
            after: self.after.as_deref(),
        }
    }
}

/// A part of a session.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TimelineParams {
    /// The number of the first prompt, starting at 1
    pub(super) from: Option<u32>,
    /// The most prompts
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1, max = 1000))]
    pub(super) limit: PageLimit,
}

scoped_params! {
    struct ActivitiesParams {
        /// The session's id
        session: Option<String>,
        /// The canonical tool name
        tool: Option<String>,
        /// A file, relative to its project
        path: Option<String>,
        /// Whether the call succeeded
        success: Option<bool>,
        /// Search words, all of which must match; `"two words"` is a phrase, `pre*` a prefix
        q: Option<String>,
        /// The most results
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1, max = 1000))]
        limit: PageLimit,
        /// The `next` of the previous page
        #[serde(default, deserialize_with = "parse_cursor")]
        #[schemars(with = "Option<String>", extend("pattern" = CURSOR_PATTERN))]
        after: Option<String>,
    }
}

impl ActivitiesParams {
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

scoped_params! {
    struct SearchParams {
        /// Search words, all of which must match; `"two words"` is a phrase, `pre*` a prefix
        q: String,
        /// The session's id
        session: Option<String>,
        /// Only this kind of memories or code
        kind: Option<HitKind>,
        /// Only memories of this type
        #[serde(rename = "type")]
        memory_type: Option<MemoryKind>,
        /// Only memories and code that are in this file or refer to it; a directory includes all of its files
        file: Option<String>,
        /// The most results
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1, max = 1000))]
        limit: PageLimit,
    }
}

impl SearchParams {
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

scoped_params! {
    struct DecisionsParams {
        /// The session's id
        session: Option<String>,
        /// The verdict, or several separated by commas; `rewrite` selects calls whose input was changed
        #[schemars(with = "Option<String>", extend("pattern" = VERDICT_LIST_PATTERN))]
        verdict: Option<VerdictList>,
        /// The rule or the hook that took part in the decision
        rule: Option<String>,
        /// The outcome of the call
        outcome: Option<OutcomeFilter>,
        /// The most results
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1, max = 1000))]
        limit: PageLimit,
        /// The `next` of the previous page
        #[serde(default, deserialize_with = "parse_cursor")]
        #[schemars(with = "Option<String>", extend("pattern" = CURSOR_PATTERN))]
        after: Option<String>,
    }
}

impl DecisionsParams {
    pub(super) fn filter(&self) -> DecisionFilter<'_> {
        DecisionFilter {
            scope: self.scope(),
            session: self.session.as_deref(),
            verdict: self.verdict.as_ref().map(VerdictList::text),
            rule: self.rule.as_deref(),
            outcome: self.outcome.map(OutcomeFilter::word),
            limit: self.limit.rows(),
            after: self.after.as_deref(),
        }
    }
}

/// A filter for alarms.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AlarmsParams {
    /// Include acknowledged alarms
    #[serde(default)]
    all: bool,
    /// The most results
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1, max = 1000))]
    pub(super) limit: PageLimit,
}

impl AlarmsParams {
    pub(super) fn filter(&self) -> AlarmFilter {
        if self.all {
            AlarmFilter::All
        } else {
            AlarmFilter::Open
        }
    }
}

/// A filter for notifications.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NotificationsParams {
    /// The session's id
    pub(super) session: Option<String>,
    /// The most results
    #[serde(default)]
    #[schemars(with = "u32", range(min = 1, max = 1000))]
    pub(super) limit: PageLimit,
}

scoped_params! {
    struct ListParams {
        /// The most results
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1, max = 1000))]
        limit: PageLimit,
    }
}

scoped_params! {
    struct StatsParams {}
}

scoped_params! {
    struct TimeSeriesParams {
        /// The length of an interval in seconds; one hour by default
        #[schemars(range(min = 1))]
        step: Option<std::num::NonZeroU32>,
        /// `agent` counts each agent separately
        by: Option<GroupBy>,
    }
}

/// Parameters for events: a position and a filter.
macro_rules! event_params {
    ($(#[$outer:meta])* struct $name:ident { $($(#[$inner:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$outer])*
        #[derive(Debug, Clone, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            /// The position after which to start: the `cursor` of a response, or the `seq` of an event
            pub(super) since: Option<i64>,
            $($(#[$inner])* pub(super) $field: $type,)*
            /// The session's id
            session: Option<String>,
            /// The project's directory
            project: Option<String>,
            /// The agent's id
            agent: Option<String>,
            /// The event name, in any spelling
            #[serde(default, deserialize_with = "parse_event_name")]
            #[schemars(with = "Option<String>")]
            event: Option<String>,
            /// The verdict, or several separated by commas; `rewrite` selects calls whose input was changed
            #[schemars(with = "Option<String>", extend("pattern" = VERDICT_LIST_PATTERN))]
            verdict: Option<VerdictList>,
        }

        impl $name {
            pub(super) fn filter(&self, limit: usize) -> EventFilter<'_> {
                EventFilter {
                    scope: QueryScope {
                        project: self.project.as_deref(),
                        agent: self.agent.as_deref(),
                        ..QueryScope::default()
                    },
                    session: self.session.as_deref(),
                    kind: self.event.as_deref(),
                    verdict: self.verdict.as_ref().map(VerdictList::text),
                    limit,
                }
            }
        }
    };
}

event_params! {
    /// A filter for the event stream.
    struct EventStreamParams {}
}

event_params! {
    /// A filter for a page of events, forwards or backwards.
    struct EventListParams {
        /// Page backwards: the newest events before this position. The `cursor` of the response is then the next `before`
        before: Option<i64>,
        /// The most results
        #[serde(default)]
        #[schemars(with = "u32", range(min = 1, max = 1000))]
        limit: PageLimit,
    }
}
