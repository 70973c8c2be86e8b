//! Properties of any stream of events, in any order, delivered any number of times.

use std::collections::BTreeMap;

use becket_store::{
    ActivityFilter, AlarmFilter, BatchClass, DecisionFilter, Millis, SessionFilter, StoreWriter,
    TELEMETRY_ID_PREFIX, TitleAuthor,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::{announced, at, bash, end, ingest, of_session, prompt, record, start, stop, writer};

/// All rows, independent of the order in which events arrived.
fn everything(writer: &StoreWriter) -> BTreeMap<String, String> {
    let reader = writer.reader();
    let mut all = BTreeMap::new();
    let mut put = |kind: &str, id: &str, row: Value| {
        all.insert(format!("{kind} {id}"), row.to_string());
    };
    let filter = SessionFilter {
        limit: 1000,
        ..SessionFilter::default()
    };
    for session in reader.sessions(&filter).unwrap().items {
        for batch in reader.batches(&session.id).unwrap() {
            put(
                "stats",
                &batch.id,
                json!(reader.batch_stats(&batch.id).unwrap()),
            );
            put("batch", &batch.id, json!(batch));
        }
        let timeline = reader.timeline(&session.id, 1, 1000).unwrap();
        put("timeline", &session.id, json!(timeline));
        put("session", &session.id, json!(session));
    }
    let filter = ActivityFilter {
        limit: 1000,
        ..ActivityFilter::default()
    };
    for row in reader.activities(&filter).unwrap().items {
        put("activity", &row.id, json!(row));
    }
    let filter = DecisionFilter {
        limit: 1000,
        ..DecisionFilter::default()
    };
    for row in reader.decisions(&filter).unwrap().items {
        put("decision", &row.event_id, json!(row));
    }
    for row in reader.alarms(AlarmFilter::All, 1000).unwrap() {
        put("alarm", &row.id, json!(row));
    }
    for event in reader.events_since(0, 1000).unwrap() {
        put(
            "event",
            &event.id,
            json!([event.batch, event.duplicate_of, event.session, event.kind]),
        );
    }
    put("projects", "", json!(reader.projects().unwrap()));
    put("agents", "", json!(reader.agents().unwrap()));
    all
}

/// One event of a small world: two sessions, a few calls, repeated prompts.
fn event() -> impl Strategy<Value = Value> {
    let what = 0..14_u8;
    // Times are close together and far apart, and many are equal.
    let time = prop_oneof![
        0..20_u32,
        (0..8_u32).prop_map(|n| n * 45),
        (0..4_u32).prop_map(|n| n * 4000)
    ];
    (what, time, 0..3_u8, 0..3_u8, 0..6_u8).prop_map(|(what, time, which, session, agent)| {
        let (seconds, call) = (f64::from(time), format!("t{which}"));
        let text = ["go on", "continue", "Implement the following plan:\n# a\n1. b"][usize::from(which)];
        let mut made = match what {
            0 => start("", seconds, ["startup", "resume", "clear"][usize::from(which)]),
            1 | 2 => prompt("", seconds, text),
            3 | 4 => bash("", seconds, &call, "ls"),
            5 => announced("", seconds, &call, "ls"),
            6 => {
                let mut denied = announced("", seconds, &call, "ls");
                denied["decision"] = json!({ "verdict": "deny", "reason": "no", "hooks": [{ "hook": "guard", "verdict": "deny", "ms": 3 }] });
                denied
            }
            7 | 8 => stop("", seconds, ["", "done", "half"][usize::from(which)]),
            9 => end("", seconds),
            10 => record("", seconds, "PreCompact", json!({ "trigger": "auto" })),
            11 => record("", seconds, "Notification", json!({ "message": "look" })),
            12 => record("", seconds, "AgentResponse", json!({ "text": "a piece", "generation_id": call })),
            _ => {
                let mut inside = bash("", seconds, &call, "inside");
                inside["payload"]["agent_id"] = json!("a1");
                inside
            }
        };
        if agent == 0 {
            made["agent"] = json!("cursor");
        }
        // Some agents also report by telemetry, which describes a call differently and may redact a prompt.
        if agent >= 4 {
            made["id"] = json!(TELEMETRY_ID_PREFIX);
            made["payload"]["duration_ms"] = json!(77);
            made["payload"]["tool_response"] = json!("told otherwise");
            if which == 0 && made["event"] == "UserPromptSubmit" {
                made["payload"]["prompt"] = json!("[Prompt redacted, 5 chars]");
                made["payload"]["untold_chars"] = json!(5);
            }
        }
        // Some agents send no call ids.
        if matches!(agent, 1 | 5) && let Some(payload) = made["payload"].as_object_mut() {
            payload.remove("tool_use_id");
        }
        if what == 12 {
            made["shape"] = json!("becket");
        }
        of_session(made, ["s1", "s2", "s3"][usize::from(session)])
    })
}

/// Events that are printed one per line when a property fails.
#[derive(Clone)]
struct Stream(Vec<Value>);

impl std::fmt::Debug for Stream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.iter().try_for_each(|event| write!(f, "\n{event}"))
    }
}

fn stream() -> impl Strategy<Value = Stream> {
    vec(event(), 1..24).prop_map(|mut events| {
        for (number, event) in events.iter_mut().enumerate() {
            let channel = event["id"].as_str().unwrap_or_default();
            event["id"] = json!(format!("{channel}e{number:03}"));
        }
        Stream(events)
    })
}

/// The events in another order, some of them twice, in groups.
fn shuffled(events: &[Value], order: &[Index], cuts: &[Index]) -> Vec<Vec<Value>> {
    let mut pool = events.to_vec();
    pool.extend(order.iter().take(5).map(|index| index.get(events).clone()));
    let mut groups = vec![Vec::new()];
    for number in 0.. {
        if pool.is_empty() {
            return groups;
        }
        let taken = pool.remove(order[number % order.len()].index(pool.len()));
        groups.last_mut().unwrap().push(taken);
        if cuts.iter().any(|cut| cut.index(events.len()) == number) {
            groups.push(Vec::new());
        }
    }
    unreachable!("the pool runs dry")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// Neither order nor grouping nor repetition of events changes the rows.
    #[test]
    fn any_order_gives_the_same_rows(
        Stream(events) in stream(), order in vec(any::<Index>(), 8..40), cuts in vec(any::<Index>(), 0..8),
    ) {
        let mut one = writer();
        ingest(&mut one, &events);
        let mut other = writer();
        for transaction in shuffled(&events, &order, &cuts) {
            ingest(&mut other, &transaction);
        }
        let (one, other) = (everything(&one), everything(&other));
        for (key, row) in &one {
            prop_assert_eq!(Some(row), other.get(key), "{}", key);
        }
        prop_assert_eq!(one.len(), other.len());
    }

    /// Annotations survive a replay of the session's events.
    #[test]
    fn annotations_survive_late_events(Stream(events) in stream(), late in event()) {
        let mut writer = writer();
        ingest(&mut writer, &events);
        let filter = SessionFilter { limit: 1000, ..SessionFilter::default() };
        let sessions = writer.reader().sessions(&filter).unwrap().items;
        let mut noted = Vec::new();
        let mut transaction = writer.begin().unwrap();
        for session in &sessions {
            transaction.set_title(&session.id, "Mine", TitleAuthor::Person).unwrap();
        }
        transaction.commit().unwrap();
        for session in &sessions {
            noted.extend(writer.reader().batches(&session.id).unwrap());
        }
        let mut transaction = writer.begin().unwrap();
        for batch in &noted {
            transaction.set_class(&batch.id, BatchClass::Debugging, "rule").unwrap();
            transaction.mark_processed(&batch.id, Millis(7)).unwrap();
        }
        transaction.commit().unwrap();
        let mut late = late;
        late["id"] = json!("late");
        late["ts"] = json!(at(-10.0).to_text());
        ingest(&mut writer, &[late]);
        for session in &sessions {
            let row = writer.reader().session(&session.id).unwrap().unwrap();
            prop_assert_eq!(row.title.as_deref(), Some("Mine"));
        }
        for batch in &noted {
            // A batch may become part of another one; then its annotations are gone.
            if let Some(row) = writer.reader().batch(&batch.id).unwrap() {
                prop_assert_eq!(row.class.as_deref(), Some("debugging"));
                prop_assert_eq!(row.processed_at, Some(Millis(7)));
            }
        }
    }

    /// Any line can be stored.
    #[test]
    fn any_line_can_be_ingested(line in "[ -~é\"{}\\[\\]:,]{0,60}", id in any::<u64>()) {
        let mut writer = writer();
        let nested = json!({ "id": id.to_string(), "event": line, "session": line, "agent": line, "payload": { "x": line } });
        let lines = [line, nested.to_string()];
        let records: Vec<_> = lines.iter().map(|line| becket_store::RecordLine { line }).collect();
        prop_assert_eq!(writer.ingest(&records).unwrap().stored, 2);
        prop_assert_eq!(writer.ingest(&records).unwrap().already_stored, 2);
    }
}
