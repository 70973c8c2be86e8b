use becket_store::StoreWriter;
use serde_json::json;

use super::*;

const HOUR: i64 = 3_600_000;

fn event(what: OakEventKind) -> OakEvent {
    OakEvent {
        session: "s1".into(),
        agent: "claude".into(),
        generation: None,
        project: None,
        transcript: None,
        kind: what,
    }
}

fn call(id: &str) -> OakEventKind {
    OakEventKind::PostTool {
        tool: OakTool {
            name: "Bash".into(),
            input: json!({ "command": "ls" }),
            id: Some(id.into()),
        },
        output: json!("ok"),
    }
}

/// A recorder with a database and a controlled clock.
struct TestRecorder {
    recorder: OakRecorder,
    writer: StoreWriter,
    monotonic: Duration,
}

impl TestRecorder {
    fn new() -> Self {
        Self {
            recorder: OakRecorder::new(Arc::default()),
            writer: StoreWriter::in_memory().expect("a database"),
            monotonic: Duration::ZERO,
        }
    }

    /// Simulates a new daemon on the same database.
    fn restart(&mut self) {
        self.recorder = OakRecorder::new(Arc::default());
    }

    /// One second later on the monotonic clock, at any wall time.
    fn record(&mut self, wall: i64, what: OakEventKind) -> OakReply {
        self.monotonic += Duration::from_secs(1);
        let now = ClockReading {
            wall: Millis(wall),
            monotonic: self.monotonic,
        };
        let mut transaction = self.writer.begin().expect("a group");
        let reply = self
            .recorder
            .handle_at(&mut transaction, &event(what), now)
            .expect("an answer");
        transaction.commit().expect("kept");
        reply
    }

    fn prompt(&mut self, wall: i64, text: &str) -> String {
        match self.record(wall, OakEventKind::Prompt(text.into())) {
            OakReply::Prompted {
                batch: Some(batch), ..
            } => batch,
            other => panic!("a batch: {other:?}"),
        }
    }

    fn stop(&mut self, wall: i64) -> (Option<String>, u64) {
        match self.record(wall, OakEventKind::Stop { response: None }) {
            OakReply::Stopped { batch, stats, .. } => (batch, stats.tool_calls),
            other => panic!("a stop: {other:?}"),
        }
    }
}

#[test]
fn turn_is_recorded_correctly_when_the_clock_is_set_back() {
    let mut test = TestRecorder::new();
    let first = test.prompt(10 * HOUR, "one");
    test.record(10 * HOUR + 1000, call("t1"));
    test.record(9 * HOUR, call("t2"));
    assert_eq!(test.stop(9 * HOUR + 1), (Some(first.clone()), 2));
    let second = test.prompt(9 * HOUR + 2, "two");
    assert_ne!(first, second);
    test.record(9 * HOUR + 3, call("t3"));
    assert_eq!(test.stop(9 * HOUR + 4), (Some(second), 1));
}

#[test]
fn turn_is_recorded_correctly_by_a_daemon_started_after_the_clock_was_set_back() {
    for is_open in [false, true] {
        let mut test = TestRecorder::new();
        let first = test.prompt(10 * HOUR, "one");
        test.record(10 * HOUR + 1000, call("t1"));
        if !is_open {
            test.stop(10 * HOUR + 2000);
        }
        test.restart();
        let second = test.prompt(9 * HOUR, "two");
        assert_ne!(first, second);
        test.record(9 * HOUR + 1, call("t2"));
        test.record(9 * HOUR + 2, call("t3"));
        assert_eq!(test.stop(9 * HOUR + 3), (Some(second), 2), "{is_open}");
    }
}

#[test]
fn compaction_window_uses_the_monotonic_clock() {
    let mut test = TestRecorder::new();
    let compact = || OakEventKind::PreCompact { trigger: None };
    test.prompt(10 * HOUR, "one");
    test.record(10 * HOUR, compact());
    test.record(9 * HOUR, compact());
    test.monotonic += Duration::from_secs(60);
    test.record(9 * HOUR + 60_000, compact());
    let events = test.writer.reader().events_since(0, 10).expect("events");
    let compactions = events.iter().filter(|event| event.kind == "PreCompact");
    assert_eq!(compactions.count(), 2);
}
