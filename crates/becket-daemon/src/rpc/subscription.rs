//! Subscriptions: a filter, and a position in the event stream.

use std::path::Path;

use becket_model::EventKind;
use becket_store::StreamedEvent;

use super::notifications::{AUTOHAND_METHODS, RATE_LIMIT, RpcNotification};
use super::session::ALARM_METHOD;

/// Which events a client subscribes to. Empty: all events with a documented notification.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SubscriptionFilter {
    events: Vec<EventSelector>,
    /// The project's directory, or a parent of it.
    pub project: Option<String>,
    /// The session's id.
    pub session: Option<String>,
    /// The agent's id.
    pub agent: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum EventSelector {
    /// A notification method.
    Method(&'static str),
    /// All notifications of an event.
    Kind(EventKind),
}

impl SubscriptionFilter {
    /// Parses event names, in any spelling, or full notification methods.
    pub fn for_events(names: &[String]) -> Result<Self, String> {
        let events = names
            .iter()
            .map(|name| parse_selector(name))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            events,
            ..Self::default()
        })
    }

    /// Whether an event has the right project, session and agent.
    pub(super) fn matches(&self, event: &StreamedEvent) -> bool {
        let (session, project) = (event.session.as_deref(), event.project.as_deref());
        self.matches_scope(Some(&event.agent), session, project)
    }

    /// Whether agent, session and project match.
    pub(super) fn matches_scope(
        &self,
        agent: Option<&str>,
        session: Option<&str>,
        project: Option<&str>,
    ) -> bool {
        let equals = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        equals(&self.agent, agent)
            && equals(&self.session, session)
            && self.matches_project(project)
    }

    fn matches_project(&self, project: Option<&str>) -> bool {
        let Some(wanted) = &self.project else {
            return true;
        };
        project.is_some_and(|project| Path::new(project).starts_with(wanted))
    }

    /// Whether a notification about an event of this kind matches.
    pub(super) fn wants(&self, kind: &EventKind, notification: &RpcNotification) -> bool {
        if self.events.is_empty() {
            return AUTOHAND_METHODS.contains(&notification.method);
        }
        self.events.iter().any(|selector| match selector {
            EventSelector::Method(method) => *method == notification.method,
            // A failed tool call is reported with the same method as a successful one, and a changed file together with the tool
            // call that changed it.
            EventSelector::Kind(EventKind::FileModified) => {
                notification.method == "autohand.hook.fileModified"
            }
            EventSelector::Kind(EventKind::PostToolUse) => {
                notification.method == "autohand.hook.postTool"
            }
            EventSelector::Kind(selected) => {
                selected == kind && notification.method != "autohand.hook.fileModified"
            }
        })
    }

    /// Whether alarms are included.
    pub(super) fn wants_alarms(&self) -> bool {
        self.events.is_empty() || self.events.contains(&EventSelector::Method(ALARM_METHOD))
    }

    /// Whether pending permissions are included.
    pub(super) fn wants_permissions(&self) -> bool {
        self.events.is_empty()
            || self.events.iter().any(|selector| {
                matches!(
                    selector,
                    EventSelector::Kind(EventKind::PermissionRequest)
                        | EventSelector::Method("autohand.hook.permissionRequest")
                )
            })
    }
}

fn parse_selector(name: &str) -> Result<EventSelector, String> {
    let mut methods = AUTOHAND_METHODS.into_iter().chain([ALARM_METHOD]);
    if let Some(method) = methods.find(|method| *method == name) {
        return Ok(EventSelector::Method(method));
    }
    // A rate limit is a session error in the model, but has its own method.
    if name
        .replace(['-', '_'], "")
        .eq_ignore_ascii_case("ratelimit")
    {
        return Ok(EventSelector::Method(RATE_LIMIT));
    }
    let kind = EventKind::parse(name);
    if kind.is_known() {
        return Ok(EventSelector::Kind(kind));
    }
    // Agents have events that no list contains, so an unknown name is accepted if it resembles no known one.
    let is_name = !name.is_empty() && !name.starts_with("autohand.");
    match EventKind::suggest(name) {
        Some(near) => Err(format!(
            "unknown event `{name}`; did you mean `{}`?",
            near.name()
        )),
        None if is_name => Ok(EventSelector::Kind(kind)),
        None => Err(format!("unknown event `{name}`")),
    }
}

/// A client's subscription.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Subscription {
    pub(super) filter: SubscriptionFilter,
    /// The sequence number of the last event that was checked.
    pub(super) cursor: i64,
}
