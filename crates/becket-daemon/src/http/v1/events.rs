//! Events in the order in which they were stored: a page at a time, or as they come.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::sse::{Event, KeepAlive, Sse};
use becket_store::{AlarmFilter, AlarmRow, Error, EventFilter, Reader, StreamedEvent};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::Sender;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;

use super::query::{Events, EventsListed, MOST, Nothing};
use super::route::{Failed, Shared, parameters};
use crate::run::Daemon;

/// A line that is told to a silent connection, so that both ends know of each other.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Events that wait for a slow reader; then the database is not read further.
const AHEAD: usize = 64;

/// An event, and what it was about whichever agent told of it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StreamedEvent")]
pub(super) struct Described {
    #[serde(flatten)]
    event: StreamedEvent,
    /// In one line: a command, a file, a prompt, an answer
    about: Option<String>,
}

impl From<StreamedEvent> for Described {
    fn from(event: StreamedEvent) -> Self {
        let record = serde_json::from_str(&event.record).ok();
        Self {
            about: record.as_ref().and_then(becket_store::about),
            event,
        }
    }
}

/// Some events, and where to go on.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EventPage {
    events: Vec<Described>,
    /// What to ask for next as `since`, past events that were not asked for, too; or as `before`, and 0 at the beginning
    cursor: i64,
}

/// The events after a place, or the latest before one. Without either: from the beginning.
pub(super) fn list(reader: &Reader, question: EventsListed) -> Result<EventPage, Error> {
    let since = question.since.unwrap_or(0);
    let filter = question.filter(question.limit.rows());
    match question.before {
        Some(place) => between(reader, since, place, &filter),
        None => after(reader, since, &filter),
    }
}

/// An event with what a call in it was given.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EventDetail {
    #[serde(flatten)]
    event: Described,
    /// The input of the tool, as the agent gave it; null where the event is not about a call
    input: Value,
}

/// One event.
pub(super) fn one(reader: &Reader, id: &str, _: Nothing) -> Result<Option<EventDetail>, Error> {
    let Some(event) = reader.event(id)? else {
        return Ok(None);
    };
    let record = serde_json::from_str(&event.record).unwrap_or_default();
    let told = becket_store::event_in(&record);
    let call = told.as_ref().and_then(|told| told.call());
    Ok(Some(EventDetail {
        input: call.map_or(Value::Null, |call| call.input.clone()),
        event: event.into(),
    }))
}

fn between(
    reader: &Reader,
    since: i64,
    before: i64,
    filter: &EventFilter<'_>,
) -> Result<EventPage, Error> {
    let mut events = reader.events_before(before, filter)?;
    let is_more = events.len() == filter.limit && events[0].seq > since;
    events.retain(|event| event.seq > since);
    let first = events.first().map(|event| event.seq);
    Ok(EventPage {
        cursor: first.filter(|_| is_more).unwrap_or(0),
        events: events.into_iter().map(Described::from).collect(),
    })
}

fn after(reader: &Reader, since: i64, filter: &EventFilter<'_>) -> Result<EventPage, Error> {
    // Read first: what is stored meanwhile is found again from here.
    let latest = reader.last_seq()?;
    // A place that the stream has not come to is one in another: the record was begun anew, and all of it is news.
    let since = if since > latest { 0 } else { since };
    let events = reader.events_after(since, filter)?;
    let last = events.last().map_or(since, |event| event.seq);
    let cursor = if events.len() < filter.limit {
        last.max(latest.max(since))
    } else {
        last
    };
    let events = events.into_iter().map(Described::from).collect();
    Ok(EventPage { events, cursor })
}

/// Every event after a place, and then those that come. Without a place: those that come.
pub(super) async fn stream(
    State(daemon): Shared,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failed> {
    let question: Events = parameters(&uri)?;
    // Who reconnects says what was heard last, and the address says where it began.
    let heard_last = heard_last(&headers)?;
    // A page that names its place asks for alarms itself; everybody else may have missed some.
    let tells_open = heard_last.is_some() || question.since.is_none();
    let since = heard_last.or(question.since);
    let since = match since {
        Some(since) => since,
        // What can be read already is not news, though it may not have been announced yet.
        None => daemon.keeper.ask(Reader::last_seq).await?,
    };
    let (sender, receiver) = tokio::sync::mpsc::channel(AHEAD);
    // Heard from here on, and then asked for: none falls between the two.
    let alarms = daemon.keeper.alarms();
    tokio::spawn(async move {
        if !tells_open || tell_open(&daemon, &question, &sender).await {
            follow(daemon, question, since, alarms, sender).await;
        }
    });
    Ok(Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::new().interval(HEARTBEAT)))
}

fn heard_last(headers: &HeaderMap) -> Result<Option<i64>, Failed> {
    let Some(value) = headers.get("last-event-id") else {
        return Ok(None);
    };
    let number = value
        .to_str()
        .ok()
        .and_then(|text| text.trim().parse().ok());
    let bad = || Failed::bad("header `Last-Event-ID`: this is not the id of an event here");
    number.map(Some).ok_or_else(bad)
}

type Told = Result<Event, Infallible>;

async fn follow(
    daemon: Arc<Daemon>,
    question: Events,
    since: i64,
    mut alarms: Receiver<AlarmRow>,
    sender: Sender<Told>,
) {
    let mut cursor = since;
    let mut latest = daemon.keeper.latest();
    loop {
        latest.mark_unchanged();
        let of = question.clone();
        let ask = daemon
            .keeper
            .ask(move |reader| after(reader, cursor, &of.filter(MOST)));
        let page = match ask.await {
            Ok(page) => page,
            Err(error) => return tracing::warn!("a stream ended: {error}"),
        };
        cursor = page.cursor;
        let more = page.events.len() == MOST;
        for event in page.events {
            let told = Event::default().id(event.event.seq.to_string());
            let Ok(told) = told.json_data(&event) else {
                continue;
            };
            if sender.send(Ok(told)).await.is_err() {
                return;
            }
        }
        if more {
            continue;
        }
        loop {
            // Somebody listens, also while nothing happens.
            daemon.used();
            tokio::select! {
                () = daemon.stop.cancelled() => return,
                () = sender.closed() => return,
                () = tokio::time::sleep(HEARTBEAT) => {}
                changed = latest.changed() => match changed {
                    Ok(()) => break,
                    Err(_) => return,
                },
                alarm = alarms.recv() => match alarm {
                    Ok(alarm) => if !tell_alarm(&alarm, &question, &sender).await { return },
                    // Whoever reads so slowly has missed some.
                    Err(RecvError::Lagged(_)) => if !tell_open(&daemon, &question, &sender).await { return },
                    Err(RecvError::Closed) => return,
                },
            }
        }
    }
}

/// Tells of the alarms that nobody has seen yet, the latest last. Whether somebody still listens.
async fn tell_open(daemon: &Daemon, question: &Events, sender: &Sender<Told>) -> bool {
    let ask = |reader: &Reader| reader.alarms(AlarmFilter::Open, MOST);
    let open = match daemon.keeper.ask(ask).await {
        Ok(open) => open,
        Err(error) => {
            tracing::warn!("open alarms cannot be told: {error}");
            return true;
        }
    };
    for alarm in open.iter().rev() {
        if !tell_alarm(alarm, question, sender).await {
            return false;
        }
    }
    true
}

/// Tells of an alarm under a name of its own, and without an id: the place in the stream of events stays where it is.
/// Whether somebody still listens.
async fn tell_alarm(alarm: &AlarmRow, question: &Events, sender: &Sender<Told>) -> bool {
    let wanted = question.filter(1);
    let places = [
        (wanted.session, &alarm.session),
        (wanted.scope.agent, &alarm.agent),
        (wanted.scope.project, &alarm.project),
    ];
    if places
        .iter()
        .any(|(wanted, is)| wanted.is_some() && *wanted != is.as_deref())
    {
        return true;
    }
    match Event::default().event("alarm").json_data(alarm) {
        Ok(told) => sender.send(Ok(told)).await.is_ok(),
        Err(_) => true,
    }
}
