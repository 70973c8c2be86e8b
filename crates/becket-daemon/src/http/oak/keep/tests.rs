use becket_store::Writer;
use serde_json::json;

use super::*;

const HOUR: i64 = 3_600_000;

fn told(what: What) -> Told {
    Told {
        session: "s1".into(),
        agent: "claude".into(),
        generation: None,
        project: None,
        transcript: None,
        what,
    }
}

fn call(id: &str) -> What {
    What::PostTool {
        tool: Tool {
            name: "Bash".into(),
            input: json!({ "command": "ls" }),
            id: Some(id.into()),
        },
        output: json!("ok"),
    }
}

/// A daemon's memory with a database, told things at times of our choosing.
struct Desk {
    memory: Memory,
    writer: Writer,
    steady: Duration,
}

impl Desk {
    fn new() -> Self {
        Self {
            memory: Memory::new(Arc::default()),
            writer: Writer::in_memory().expect("a database"),
            steady: Duration::ZERO,
        }
    }

    /// Another daemon on the same database.
    fn restart(&mut self) {
        self.memory = Memory::new(Arc::default());
    }

    /// A second later, whatever the clock on the wall says.
    fn tell(&mut self, wall: i64, what: What) -> Reply {
        self.steady += Duration::from_secs(1);
        let now = Now {
            wall: Millis(wall),
            steady: self.steady,
        };
        let mut group = self.writer.begin().expect("a group");
        let reply = self
            .memory
            .answer_at(&mut group, &told(what), now)
            .expect("an answer");
        group.commit().expect("kept");
        reply
    }

    fn prompt(&mut self, wall: i64, text: &str) -> String {
        match self.tell(wall, What::Prompt(text.into())) {
            Reply::Prompted {
                batch: Some(batch), ..
            } => batch,
            other => panic!("a batch: {other:?}"),
        }
    }

    fn stop(&mut self, wall: i64) -> (Option<String>, u64) {
        match self.tell(wall, What::Stop { response: None }) {
            Reply::Stopped { batch, stats, .. } => (batch, stats.tool_calls),
            other => panic!("a stop: {other:?}"),
        }
    }
}

#[test]
fn a_turn_is_told_right_though_the_clock_is_set_back_within_it() {
    let mut desk = Desk::new();
    let first = desk.prompt(10 * HOUR, "one");
    desk.tell(10 * HOUR + 1000, call("t1"));
    desk.tell(9 * HOUR, call("t2"));
    assert_eq!(desk.stop(9 * HOUR + 1), (Some(first.clone()), 2));
    let second = desk.prompt(9 * HOUR + 2, "two");
    assert_ne!(first, second);
    desk.tell(9 * HOUR + 3, call("t3"));
    assert_eq!(desk.stop(9 * HOUR + 4), (Some(second), 1));
}

#[test]
fn a_turn_is_told_right_by_a_daemon_that_starts_after_the_clock_was_set_back() {
    for is_open in [false, true] {
        let mut desk = Desk::new();
        let first = desk.prompt(10 * HOUR, "one");
        desk.tell(10 * HOUR + 1000, call("t1"));
        if !is_open {
            desk.stop(10 * HOUR + 2000);
        }
        desk.restart();
        let second = desk.prompt(9 * HOUR, "two");
        assert_ne!(first, second);
        desk.tell(9 * HOUR + 1, call("t2"));
        desk.tell(9 * HOUR + 2, call("t3"));
        assert_eq!(desk.stop(9 * HOUR + 3), (Some(second), 2), "{is_open}");
    }
}

#[test]
fn a_compaction_is_not_taken_for_the_last_one_because_the_clock_stands_still() {
    let mut desk = Desk::new();
    let compact = || What::PreCompact { trigger: None };
    desk.prompt(10 * HOUR, "one");
    desk.tell(10 * HOUR, compact());
    desk.tell(9 * HOUR, compact());
    desk.steady += Duration::from_secs(60);
    desk.tell(9 * HOUR + 60_000, compact());
    let events = desk.writer.reader().events_since(0, 10).expect("events");
    let compactions = events.iter().filter(|event| event.kind == "PreCompact");
    assert_eq!(compactions.count(), 2);
}
