//! One client's side of the conversation.

use std::collections::{BTreeMap, BTreeSet};

use becket_model::EventKind;
use becket_store::{AlarmRow, StreamedEvent};
use serde_json::{Value, json};

use super::backend::{Backend, Failure, Hooks, Permissions};
use super::frame::FrameError;
use super::message::{self, Fault};
use super::notify::{POST_RESPONSE, notifications};
use super::pending::Waiting;
use super::subscription::{Subscription, Wanted};

/// Events that are looked at in one go, so that requests are answered in between.
const AT_ONCE: usize = 200;
/// Subscriptions of one client.
pub(super) const MOST_SUBSCRIPTIONS: usize = 64;

/// Told when a permission begins to wait, and when it does no longer.
pub(super) const WAITING: &str = "becket.permission.waiting";
pub(super) const SETTLED: &str = "becket.permission.settled";
/// Told of alarms that nobody has seen: those that are open, and then those that are raised.
pub(super) const ALARM: &str = "becket.alarm";
/// Told when the stream cannot be read, and again when it can.
pub(super) const TROUBLE: &str = "becket.trouble";

/// What a session asks.
pub struct Services {
    /// The stored record.
    pub backend: Box<dyn Backend>,
    /// The hooks that are configured.
    pub hooks: Box<dyn Hooks>,
    /// Permissions that wait.
    pub permissions: Box<dyn Permissions>,
}

/// One client's side of the conversation: text in, text out, no transport.
pub struct Session {
    pub(super) services: Services,
    pub(super) subscriptions: BTreeMap<u64, Subscription>,
    last_number: u64,
    /// Permissions that the client was told of.
    shown: BTreeSet<String>,
    /// Alarms that it was told of, and that are still open.
    alarmed: BTreeSet<String>,
    trouble: Option<String>,
}

/// Messages for the client, and whether there are more at once.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Due {
    /// In order.
    pub messages: Vec<String>,
    /// Ask again without waiting.
    pub more: bool,
}

impl Session {
    /// A client that has said nothing yet.
    pub fn new(services: Services) -> Self {
        Self {
            services,
            subscriptions: BTreeMap::new(),
            last_number: 0,
            shown: BTreeSet::new(),
            alarmed: BTreeSet::new(),
            trouble: None,
        }
    }

    /// Subscribes in the client's stead, from a place on or from now on.
    pub fn subscribe(&mut self, wanted: Wanted, since: Option<i64>) -> Result<u64, Failure> {
        let latest = self.services.backend.cursor()?;
        let cursor = match since {
            // A place that the stream has not come to is one in another stream: the record was begun
            // anew, and nothing in it is known to the client.
            Some(since) if since > latest => 0,
            Some(since) => since,
            None => latest,
        };
        self.last_number += 1;
        self.subscriptions
            .insert(self.last_number, Subscription { wanted, cursor });
        Ok(self.last_number)
    }

    /// Whether there is anything to look out for.
    pub fn is_listening(&self) -> bool {
        !self.subscriptions.is_empty()
    }

    /// Takes a message and gives the answer to it, if it is one that is answered.
    pub fn receive(&mut self, message: &Result<String, FrameError>) -> Option<String> {
        match message {
            Ok(text) => message::receive(text, |call| self.call(call)),
            Err(error @ FrameError::TooLong) => {
                Some(message::complaint(Fault::invalid(&error.to_string())))
            }
            Err(error) => Some(message::complaint(Fault::new(-32700, error.to_string()))),
        }
    }

    /// What the client is to be told now.
    pub fn due(&mut self) -> Due {
        let mut due = Due::default();
        let numbers: Vec<u64> = self.subscriptions.keys().copied().collect();
        for number in numbers {
            if let Err(failure) = self.pass_on(number, &mut due) {
                due.more = false;
                self.mention(Some(failure.message), &mut due.messages);
                return due;
            }
        }
        match self.alarms() {
            Ok(alarms) => due.messages.extend(alarms),
            Err(failure) => {
                self.mention(Some(failure.message), &mut due.messages);
                return due;
            }
        }
        self.mention(None, &mut due.messages);
        due.messages.extend(self.permissions());
        due
    }

    fn pass_on(&mut self, number: u64, due: &mut Due) -> Result<(), Failure> {
        let Some(subscription) = self.subscriptions.get_mut(&number) else {
            return Ok(());
        };
        let backend = &self.services.backend;
        let events = backend.events_since(subscription.cursor, AT_ONCE)?;
        if events.is_empty() && backend.cursor()? < subscription.cursor {
            subscription.cursor = 0;
            due.more = true;
        }
        due.more |= events.len() == AT_ONCE;
        for event in &events {
            subscription.cursor = event.seq;
            let told = told(&**backend, number, &subscription.wanted, event);
            due.messages.extend(told);
        }
        Ok(())
    }

    /// Trouble is told once when it comes and once when it goes.
    fn mention(&mut self, trouble: Option<String>, messages: &mut Vec<String>) {
        if self.trouble != trouble {
            let params = json!({ "message": trouble });
            messages.push(message::notification(TROUBLE, &params));
            self.trouble = trouble;
        }
    }

    /// Each alarm is told once, however many subscriptions it is of interest to.
    fn alarms(&mut self) -> Result<Vec<String>, Failure> {
        let mut wanted = self.subscriptions.values();
        if !wanted.any(|one| one.wanted.wants_alarms()) {
            return Ok(Vec::new());
        }
        let mut open = self.services.backend.alarms()?;
        open.retain(|alarm| {
            let (agent, project) = (alarm.agent.as_deref(), alarm.project.as_deref());
            self.subscriptions.values().any(|one| {
                let wanted = &one.wanted;
                wanted.wants_alarms()
                    && wanted.covers_place(agent, alarm.session.as_deref(), project)
            })
        });
        let news = open.iter().filter(|one| !self.alarmed.contains(&one.id));
        let messages = news
            .map(|one| message::notification(ALARM, &alarm_params(one)))
            .collect();
        self.alarmed = open.into_iter().map(|one| one.id).collect();
        Ok(messages)
    }

    fn permissions(&mut self) -> Vec<String> {
        let mut wanted = self.subscriptions.values();
        let watches = wanted.any(|one| one.wanted.wants_permissions());
        self.services.permissions.watches(watches);
        let interested = |waiting: &Waiting| {
            let (session, project) = (waiting.session_id.as_deref(), waiting.project.as_deref());
            self.subscriptions.values().any(|one| {
                one.wanted.wants_permissions()
                    && one
                        .wanted
                        .covers_place(Some(&waiting.agent), session, project)
            })
        };
        let waiting = self.services.permissions.pending().unwrap_or_default();
        let waiting: Vec<Waiting> = waiting.into_iter().filter(interested).collect();
        let now: BTreeSet<String> = waiting.iter().map(|one| one.id.clone()).collect();
        let mut messages = Vec::new();
        for id in self.shown.difference(&now) {
            messages.push(message::notification(SETTLED, &json!({ "id": id })));
        }
        for one in waiting.iter().filter(|one| !self.shown.contains(&one.id)) {
            messages.push(message::notification(WAITING, &json!(one)));
        }
        self.shown = now;
        messages
    }
}

fn told(
    backend: &dyn Backend,
    subscription: u64,
    wanted: &Wanted,
    event: &StreamedEvent,
) -> Vec<String> {
    // A second report of one thing is nothing new.
    if event.duplicate_of.is_some() || !wanted.covers(event) {
        return Vec::new();
    }
    let kind = EventKind::parse(&event.kind);
    let Ok(record) = serde_json::from_str::<Value>(&event.record) else {
        return Vec::new();
    };
    let mut all = notifications(&record, &backend.known(event));
    all.retain(|one| wanted.wants(&kind, one));
    let last = all.iter().rposition(|one| one.method != POST_RESPONSE);
    let numbered = all.into_iter().enumerate();
    numbered
        .map(|(place, mut one)| {
            // Who has heard only some of what an event is told as has not heard of the event yet. An alias says nothing new.
            let is_heard = last.is_none_or(|last| place >= last);
            let cursor = if is_heard { event.seq } else { event.seq - 1 };
            one.params["cursor"] = json!(cursor);
            one.params["subscription"] = json!(subscription);
            message::notification(one.method, &one.params)
        })
        .collect()
}

/// The parameters of a notification; what is not known is left out.
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
