//! The JSON-RPC session of one client.

use std::collections::{BTreeMap, BTreeSet};

use becket_model::EventKind;
use becket_store::{AlarmRow, StreamedEvent};
use serde_json::{Value, json};

use super::backend::{HookAdmin, Permissions, RecordBackend, ServiceError};
use super::frame::FrameError;
use super::message::{self, RpcError};
use super::notifications::{POST_RESPONSE, notifications};
use super::pending::PendingPermission;
use super::subscription::{Subscription, SubscriptionFilter};

/// Events forwarded per round; requests are handled between rounds.
const EVENTS_PER_ROUND: usize = 200;
/// The most subscriptions of a client.
pub(super) const MAX_SUBSCRIPTIONS: usize = 64;

/// Sent when a permission starts to wait, and when it no longer waits.
pub(super) const PERMISSION_WAITING: &str = "becket.permission.waiting";
pub(super) const PERMISSION_SETTLED: &str = "becket.permission.settled";
/// Sent for unacknowledged alarms: those that exist, and new ones.
pub(super) const ALARM_METHOD: &str = "becket.alarm";
/// Sent when the record cannot be read, and again when it can.
pub(super) const TROUBLE_METHOD: &str = "becket.trouble";

/// The services that a session uses.
pub struct SessionServices {
    /// The record.
    pub backend: Box<dyn RecordBackend>,
    /// The configured hooks.
    pub hooks: Box<dyn HookAdmin>,
    /// The pending permissions.
    pub permissions: Box<dyn Permissions>,
}

/// The JSON-RPC session of one client, without a transport: text in, text out.
pub struct RpcSession {
    pub(super) services: SessionServices,
    pub(super) subscriptions: BTreeMap<u64, Subscription>,
    last_number: u64,
    /// Permissions that were sent to the client.
    known_permissions: BTreeSet<String>,
    /// Open alarms that were sent to the client.
    known_alarms: BTreeSet<String>,
    trouble: Option<String>,
}

/// Messages for the client, and whether more are due immediately.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OutgoingMessages {
    /// The messages, in order.
    pub messages: Vec<String>,
    /// Call again without waiting.
    pub more: bool,
}

impl RpcSession {
    /// A session without subscriptions.
    pub fn new(services: SessionServices) -> Self {
        Self {
            services,
            subscriptions: BTreeMap::new(),
            last_number: 0,
            known_permissions: BTreeSet::new(),
            known_alarms: BTreeSet::new(),
            trouble: None,
        }
    }

    /// Adds a subscription from a position on, or for new events.
    pub fn subscribe(
        &mut self,
        filter: SubscriptionFilter,
        since: Option<i64>,
    ) -> Result<u64, ServiceError> {
        let last_seq = self.services.backend.cursor()?;
        let cursor = match since {
            // A position beyond the end comes from a database that was replaced; start from the beginning.
            Some(since) if since > last_seq => 0,
            Some(since) => since,
            None => last_seq,
        };
        self.last_number += 1;
        self.subscriptions
            .insert(self.last_number, Subscription { filter, cursor });
        Ok(self.last_number)
    }

    /// Whether there are subscriptions.
    pub fn has_subscriptions(&self) -> bool {
        !self.subscriptions.is_empty()
    }

    /// Handles a message; returns the response, if the message has one.
    pub fn receive(&mut self, message: &Result<String, FrameError>) -> Option<String> {
        match message {
            Ok(text) => message::receive(text, |call| self.dispatch(call)),
            Err(error @ FrameError::TooLong) => Some(message::error_message(
                RpcError::invalid_request(&error.to_string()),
            )),
            Err(error) => Some(message::error_message(RpcError::new(
                -32700,
                error.to_string(),
            ))),
        }
    }

    /// The messages that are due now.
    pub fn outgoing(&mut self) -> OutgoingMessages {
        let mut outgoing = OutgoingMessages::default();
        let numbers: Vec<u64> = self.subscriptions.keys().copied().collect();
        for number in numbers {
            if let Err(error) = self.forward_events(number, &mut outgoing) {
                outgoing.more = false;
                self.report_trouble(Some(error.message), &mut outgoing.messages);
                return outgoing;
            }
        }
        match self.alarms() {
            Ok(alarms) => outgoing.messages.extend(alarms),
            Err(error) => {
                self.report_trouble(Some(error.message), &mut outgoing.messages);
                return outgoing;
            }
        }
        self.report_trouble(None, &mut outgoing.messages);
        outgoing.messages.extend(self.permissions());
        outgoing
    }

    fn forward_events(
        &mut self,
        number: u64,
        outgoing: &mut OutgoingMessages,
    ) -> Result<(), ServiceError> {
        let Some(subscription) = self.subscriptions.get_mut(&number) else {
            return Ok(());
        };
        let backend = &self.services.backend;
        let events = backend.events_since(subscription.cursor, EVENTS_PER_ROUND)?;
        if events.is_empty() && backend.cursor()? < subscription.cursor {
            subscription.cursor = 0;
            outgoing.more = true;
        }
        outgoing.more |= events.len() == EVENTS_PER_ROUND;
        for event in &events {
            subscription.cursor = event.seq;
            let messages = notifications_for(&**backend, number, &subscription.filter, event);
            outgoing.messages.extend(messages);
        }
        Ok(())
    }

    /// Reports a problem once when it starts, and once when it ends.
    fn report_trouble(&mut self, trouble: Option<String>, messages: &mut Vec<String>) {
        if self.trouble != trouble {
            let params = json!({ "message": trouble });
            messages.push(message::notification(TROUBLE_METHOD, &params));
            self.trouble = trouble;
        }
    }

    /// New alarms; each is sent once, even if several subscriptions match.
    fn alarms(&mut self) -> Result<Vec<String>, ServiceError> {
        let mut subscriptions = self.subscriptions.values();
        if !subscriptions.any(|one| one.filter.wants_alarms()) {
            return Ok(Vec::new());
        }
        let mut open = self.services.backend.alarms()?;
        open.retain(|alarm| {
            let (agent, project) = (alarm.agent.as_deref(), alarm.project.as_deref());
            self.subscriptions.values().any(|one| {
                let filter = &one.filter;
                filter.wants_alarms()
                    && filter.matches_scope(agent, alarm.session.as_deref(), project)
            })
        });
        let news = open
            .iter()
            .filter(|one| !self.known_alarms.contains(&one.id));
        let messages = news
            .map(|one| message::notification(ALARM_METHOD, &alarm_params(one)))
            .collect();
        self.known_alarms = open.into_iter().map(|one| one.id).collect();
        Ok(messages)
    }

    fn permissions(&mut self) -> Vec<String> {
        let mut subscriptions = self.subscriptions.values();
        let is_watching = subscriptions.any(|one| one.filter.wants_permissions());
        self.services.permissions.set_watching(is_watching);
        let interested = |waiting: &PendingPermission| {
            let (session, project) = (waiting.session_id.as_deref(), waiting.project.as_deref());
            self.subscriptions.values().any(|one| {
                one.filter.wants_permissions()
                    && one
                        .filter
                        .matches_scope(Some(&waiting.agent), session, project)
            })
        };
        let waiting = self.services.permissions.pending().unwrap_or_default();
        let waiting: Vec<PendingPermission> = waiting.into_iter().filter(interested).collect();
        let now: BTreeSet<String> = waiting.iter().map(|one| one.id.clone()).collect();
        let mut messages = Vec::new();
        for id in self.known_permissions.difference(&now) {
            messages.push(message::notification(
                PERMISSION_SETTLED,
                &json!({ "id": id }),
            ));
        }
        for one in waiting
            .iter()
            .filter(|one| !self.known_permissions.contains(&one.id))
        {
            messages.push(message::notification(PERMISSION_WAITING, &json!(one)));
        }
        self.known_permissions = now;
        messages
    }
}

fn notifications_for(
    backend: &dyn RecordBackend,
    subscription: u64,
    filter: &SubscriptionFilter,
    event: &StreamedEvent,
) -> Vec<String> {
    // A duplicate report of an event is not sent.
    if event.duplicate_of.is_some() || !filter.matches(event) {
        return Vec::new();
    }
    let kind = EventKind::parse(&event.kind);
    let Ok(record) = serde_json::from_str::<Value>(&event.record) else {
        return Vec::new();
    };
    let mut all = notifications(&record, &backend.metrics(event));
    all.retain(|one| filter.wants(&kind, one));
    let last = all.iter().rposition(|one| one.method != POST_RESPONSE);
    let numbered = all.into_iter().enumerate();
    numbered
        .map(|(place, mut one)| {
            // An event may have several notifications. The cursor moves past it only with the last one; an alias does not count.
            let is_complete = last.is_none_or(|last| place >= last);
            let cursor = if is_complete {
                event.seq
            } else {
                event.seq - 1
            };
            one.params["cursor"] = json!(cursor);
            one.params["subscription"] = json!(subscription);
            message::notification(one.method, &one.params)
        })
        .collect()
}

/// The parameters of an alarm notification; unknown members are omitted.
fn alarm_params(alarm: &AlarmRow) -> Value {
    let mut params = json!({
        "id": alarm.id, "kind": alarm.kind, "message": alarm.message, "timestamp": alarm.at.to_text(),
        "eventId": alarm.event_id, "sessionId": alarm.session, "agent": alarm.agent, "project": alarm.project,
    });
    if let Value::Object(params) = &mut params {
        params.retain(|_, value| !value.is_null());
    }
    params
}
