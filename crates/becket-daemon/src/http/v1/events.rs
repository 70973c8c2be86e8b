//! Events in storage order: pages, and a live stream.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use axum::response::sse::{Event, KeepAlive, Sse};
use becket_store::{AlarmFilter, AlarmRow, Error, EventFilter, StoreReader, StreamedEvent};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::mpsc::Sender;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;

use super::query::{EventListParams, EventStreamParams, MAX_ROWS, NoParams};
use super::route::{ApiError, DaemonState, parse_query};
use crate::run::Daemon;

/// The interval of heartbeats on an idle stream; they detect a closed connection.
const HEARTBEAT: Duration = Duration::from_secs(15);
/// Events buffered for a slow client; then reading from the database pauses (backpressure).
const SEND_BUFFER: usize = 64;

/// An event with a one-line summary.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "StreamedEvent")]
pub(super) struct DescribedEvent {
    #[serde(flatten)]
    event: StreamedEvent,
    /// A one-line summary: a command, a file, a prompt or an answer
    about: Option<String>,
}

impl From<StreamedEvent> for DescribedEvent {
    fn from(event: StreamedEvent) -> Self {
        let record = serde_json::from_str(&event.record).ok();
        Self {
            about: record.as_ref().and_then(becket_store::describe_record),
            event,
        }
    }
}

/// A page of events.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EventPage {
    events: Vec<DescribedEvent>,
    /// The `since` of the next page (it also skips events that do not match the filter); or the `before` of the next page, 0 at the beginning
    cursor: i64,
}

/// The events after a position, or the newest ones before it. By default from the beginning.
pub(super) fn list(reader: &StoreReader, params: EventListParams) -> Result<EventPage, Error> {
    let since = params.since.unwrap_or(0);
    let filter = params.filter(params.limit.rows());
    match params.before {
        Some(place) => page_before(reader, since, place, &filter),
        None => page_after(reader, since, &filter),
    }
}

/// An event with the input of its tool call.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct EventDetail {
    #[serde(flatten)]
    event: DescribedEvent,
    /// The tool's input, as the agent sent it; null if the event is not about a tool call
    input: Value,
}

/// One event.
pub(super) fn detail(
    reader: &StoreReader,
    id: &str,
    _: NoParams,
) -> Result<Option<EventDetail>, Error> {
    let Some(event) = reader.event(id)? else {
        return Ok(None);
    };
    let record = serde_json::from_str(&event.record).unwrap_or_default();
    let event_record = becket_store::event_of_record(&record);
    let call = event_record.as_ref().and_then(|event| event.call());
    Ok(Some(EventDetail {
        input: call.map_or(Value::Null, |call| call.input.clone()),
        event: event.into(),
    }))
}

fn page_before(
    reader: &StoreReader,
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
        events: events.into_iter().map(DescribedEvent::from).collect(),
    })
}

fn page_after(
    reader: &StoreReader,
    since: i64,
    filter: &EventFilter<'_>,
) -> Result<EventPage, Error> {
    // Read first: events that are stored meanwhile are found by the next page.
    let last_seq = reader.last_seq()?;
    // A position beyond the end comes from a database that was replaced; start from the beginning.
    let since = if since > last_seq { 0 } else { since };
    let events = reader.events_after(since, filter)?;
    let last = events.last().map_or(since, |event| event.seq);
    let cursor = if events.len() < filter.limit {
        last.max(last_seq.max(since))
    } else {
        last
    };
    let events = events.into_iter().map(DescribedEvent::from).collect();
    Ok(EventPage { events, cursor })
}

/// Streams events after a position, and then new ones. Without a position only new ones.
pub(super) async fn stream(
    State(daemon): DaemonState,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, ApiError> {
    let params: EventStreamParams = parse_query(&uri)?;
    // After a reconnect the header has the position, and the URL still has the original one.
    let resumed_at = last_event_id(&headers)?;
    // A dashboard that passes a position loads alarms itself; other clients may have missed some.
    let sends_open_alarms = resumed_at.is_some() || params.since.is_none();
    let since = resumed_at.or(params.since);
    let since = match since {
        Some(since) => since,
        // Events that can be read already are not new, even if they were not published yet.
        None => daemon.store.query(StoreReader::last_seq).await?,
    };
    let (sender, receiver) = tokio::sync::mpsc::channel(SEND_BUFFER);
    // Subscribe before the open alarms are loaded, so that none is missed in between.
    let alarms = daemon.store.subscribe_alarms();
    tokio::spawn(async move {
        if !sends_open_alarms || send_open_alarms(&daemon, &params, &sender).await {
            stream_events(daemon, params, since, alarms, sender).await;
        }
    });
    Ok(Sse::new(ReceiverStream::new(receiver)).keep_alive(KeepAlive::new().interval(HEARTBEAT)))
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<i64>, ApiError> {
    let Some(value) = headers.get("last-event-id") else {
        return Ok(None);
    };
    let number = value
        .to_str()
        .ok()
        .and_then(|text| text.trim().parse().ok());
    let bad = || ApiError::bad_request("header `Last-Event-ID`: not the id of an event");
    number.map(Some).ok_or_else(bad)
}

type SseMessage = Result<Event, Infallible>;

async fn stream_events(
    daemon: Arc<Daemon>,
    params: EventStreamParams,
    since: i64,
    mut alarms: Receiver<AlarmRow>,
    sender: Sender<SseMessage>,
) {
    let mut cursor = since;
    let mut last_seq = daemon.store.last_seq();
    loop {
        last_seq.mark_unchanged();
        let filter_params = params.clone();
        let query = daemon
            .store
            .query(move |reader| page_after(reader, cursor, &filter_params.filter(MAX_ROWS)));
        let page = match query.await {
            Ok(page) => page,
            Err(error) => return tracing::warn!("event stream closed: {error}"),
        };
        cursor = page.cursor;
        let more = page.events.len() == MAX_ROWS;
        for event in page.events {
            let message = Event::default().id(event.event.seq.to_string());
            let Ok(message) = message.json_data(&event) else {
                continue;
            };
            if sender.send(Ok(message)).await.is_err() {
                return;
            }
        }
        if more {
            continue;
        }
        loop {
            // An open stream keeps the daemon from idling.
            daemon.touch();
            tokio::select! {
                () = daemon.stop.cancelled() => return,
                () = sender.closed() => return,
                () = tokio::time::sleep(HEARTBEAT) => {}
                changed = last_seq.changed() => match changed {
                    Ok(()) => break,
                    Err(_) => return,
                },
                alarm = alarms.recv() => match alarm {
                    Ok(alarm) => if !send_alarm(&alarm, &params, &sender).await { return },
                    // A slow client missed some alarms.
                    Err(RecvError::Lagged(_)) => if !send_open_alarms(&daemon, &params, &sender).await { return },
                    Err(RecvError::Closed) => return,
                },
            }
        }
    }
}

/// Sends all unacknowledged alarms, the newest last. Returns false if the client disconnected.
async fn send_open_alarms(
    daemon: &Daemon,
    params: &EventStreamParams,
    sender: &Sender<SseMessage>,
) -> bool {
    let query = |reader: &StoreReader| reader.alarms(AlarmFilter::Open, MAX_ROWS);
    let open = match daemon.store.query(query).await {
        Ok(open) => open,
        Err(error) => {
            tracing::warn!("cannot send open alarms: {error}");
            return true;
        }
    };
    for alarm in open.iter().rev() {
        if !send_alarm(alarm, params, sender).await {
            return false;
        }
    }
    true
}

/// Sends an alarm as an event named `alarm`, without an id, so that the stream position stays unchanged. Returns false
/// if the client disconnected.
async fn send_alarm(
    alarm: &AlarmRow,
    params: &EventStreamParams,
    sender: &Sender<SseMessage>,
) -> bool {
    let filter = params.filter(1);
    let places = [
        (filter.session, &alarm.session),
        (filter.scope.agent, &alarm.agent),
        (filter.scope.project, &alarm.project),
    ];
    if places
        .iter()
        .any(|(filter, is)| filter.is_some() && *filter != is.as_deref())
    {
        return true;
    }
    match Event::default().event("alarm").json_data(alarm) {
        Ok(message) => sender.send(Ok(message)).await.is_ok(),
        Err(_) => true,
    }
}
