//! What a client wants to hear of, and where in the stream it is.

use std::path::Path;

use becket_model::EventKind;
use becket_store::StreamedEvent;

use super::notify::{DOCUMENTED, Notification, RATE_LIMIT};
use super::session::ALARM;

/// What a client wants to hear of. Empty: everything that has a documented notification.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wanted {
    events: Vec<WantedEvent>,
    /// The directory of a project, or one above it.
    pub project: Option<String>,
    /// The id of a session.
    pub session: Option<String>,
    /// The name of an agent.
    pub agent: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum WantedEvent {
    /// A notification, by its full name.
    Method(&'static str),
    /// Whatever is told of an event.
    Kind(EventKind),
}

impl Wanted {
    /// Takes the names of events, in any spelling, or of notifications, in full.
    pub fn events(names: &[String]) -> Result<Self, String> {
        let events = names
            .iter()
            .map(|name| named(name))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            events,
            ..Self::default()
        })
    }

    /// Whether an event is of the right project, session and agent.
    pub(super) fn covers(&self, event: &StreamedEvent) -> bool {
        let (session, project) = (event.session.as_deref(), event.project.as_deref());
        self.covers_place(Some(&event.agent), session, project)
    }

    /// Whether this is the right agent, session and project.
    pub(super) fn covers_place(
        &self,
        agent: Option<&str>,
        session: Option<&str>,
        project: Option<&str>,
    ) -> bool {
        let is = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        is(&self.agent, agent) && is(&self.session, session) && self.covers_project(project)
    }

    fn covers_project(&self, project: Option<&str>) -> bool {
        let Some(wanted) = &self.project else {
            return true;
        };
        project.is_some_and(|project| Path::new(project).starts_with(wanted))
    }

    /// Whether a notification about an event of this kind is wanted.
    pub(super) fn wants(&self, kind: &EventKind, notification: &Notification) -> bool {
        if self.events.is_empty() {
            return DOCUMENTED.contains(&notification.method);
        }
        self.events.iter().any(|wanted| match wanted {
            WantedEvent::Method(method) => *method == notification.method,
            // The end of a tool is one event to those who know no other name for its failure, and a
            // changed file is told of with the tool that changed it.
            WantedEvent::Kind(EventKind::FileModified) => {
                notification.method == "autohand.hook.fileModified"
            }
            WantedEvent::Kind(EventKind::PostToolUse) => {
                notification.method == "autohand.hook.postTool"
            }
            WantedEvent::Kind(wanted) => {
                wanted == kind && notification.method != "autohand.hook.fileModified"
            }
        })
    }

    /// Whether alarms are of interest.
    pub(super) fn wants_alarms(&self) -> bool {
        self.events.is_empty() || self.events.contains(&WantedEvent::Method(ALARM))
    }

    /// Whether permissions that wait are of interest.
    pub(super) fn wants_permissions(&self) -> bool {
        self.events.is_empty()
            || self.events.iter().any(|wanted| {
                matches!(
                    wanted,
                    WantedEvent::Kind(EventKind::PermissionRequest)
                        | WantedEvent::Method("autohand.hook.permissionRequest")
                )
            })
    }
}

fn named(name: &str) -> Result<WantedEvent, String> {
    let mut methods = DOCUMENTED.into_iter().chain([ALARM]);
    if let Some(method) = methods.find(|method| *method == name) {
        return Ok(WantedEvent::Method(method));
    }
    // It is a session's error to everybody else, and has a method of its own.
    if name
        .replace(['-', '_'], "")
        .eq_ignore_ascii_case("ratelimit")
    {
        return Ok(WantedEvent::Method(RATE_LIMIT));
    }
    let kind = EventKind::parse(name);
    if kind.is_known() {
        return Ok(WantedEvent::Kind(kind));
    }
    // Agents have events of their own, of which nobody keeps a list; what looks like one is believed.
    let is_name = !name.is_empty() && !name.starts_with("autohand.");
    match EventKind::suggest(name) {
        Some(near) => Err(format!(
            "there is no event `{name}`; did you mean `{}`?",
            near.name()
        )),
        None if is_name => Ok(WantedEvent::Kind(kind)),
        None => Err(format!("there is no event `{name}`")),
    }
}

/// One client's place in the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Subscription {
    pub(super) wanted: Wanted,
    /// The last event that was looked at.
    pub(super) cursor: i64,
}
