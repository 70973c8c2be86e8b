//! What the hooks API tells agents of what is known.

use std::sync::Arc;

use becket_daemon::teller::{Recalling, Teller};
use becket_recall::embed::Builtin;
use becket_recall::inject::{INJECTED_BEGIN, Limits, strip_injected};
use becket_recall::search::Recall;
use becket_store::{MemoryKind, Millis, NewMemory, Options, Writer};
use serde_json::{Value, json};

use crate::world::World;

const SHOP: &str = "/home/ana/shop";

/// A daemon that knows one thing, and tells it.
fn knowing() -> World {
    let mut world = World::asleep();
    let database = world.state().join("becket.db");
    let mut writer = Writer::open(&database, Options::default()).expect("a database");
    let mut group = writer.begin().expect("a group");
    let leak = NewMemory {
        files: &["src/db.py"],
        ..NewMemory::new(
            "leak",
            SHOP,
            MemoryKind::Gotcha,
            "Database connections leak under load",
            Millis(1_000),
        )
    };
    group.add_memory(&leak, None).expect("a memory");
    group.commit().expect("kept");
    drop(writer);
    let recall = Recall::new(None, Arc::new(Builtin)).expect("a model");
    let teller = Recalling::new(Arc::new(recall), database, Limits::default());
    let teller: Arc<dyn Teller> = Arc::new(teller);
    world.start_with(Some(teller)).expect("a daemon starts");
    world
}

fn framed(body: &str) -> Value {
    json!(format!("{INJECTED_BEGIN}\n{body}\n[/becket:recall]"))
}

fn read(id: &str) -> Value {
    json!({
        "tool_name": "Read", "tool_use_id": id, "tool_output": "import db",
        "tool_input": { "file_path": "/home/ana/shop/src/db.py" },
    })
}

#[test]
fn a_session_is_told_what_is_known_and_later_not_again() {
    let world = knowing();
    let start = json!({ "source": "startup", "cwd": SHOP });
    let started = world.oak("session-start", start);
    let expected = "**Codebase Intelligence Active**: 0 code chunks indexed, 1 memory stored.\n\n## Recent Project Memories\n\n- ! **gotcha**: Database connections leak under load _(context: src/db.py)_";
    assert_eq!(started["context"]["injected_context"], framed(expected));
    let index = json!({ "code_chunks": 0, "memory_observations": 1, "status": "ready" });
    assert_eq!(started["context"]["index"], index);
    world.oak("prompt-submit", json!({ "prompt": "look around" }));
    assert_eq!(
        world.oak("post-tool-use", read("t1"))["injected_context"],
        ""
    );
}

#[test]
fn a_file_is_told_of_once_and_to_both_of_two_callers() {
    let world = knowing();
    let resumed = world.oak("session-start", json!({ "source": "resume", "cwd": SHOP }));
    let status = "**Codebase Intelligence Active**: 0 code chunks indexed, 1 memory stored.";
    assert_eq!(resumed["context"]["injected_context"], framed(status));
    let prompted = world.oak("prompt-submit", json!({ "prompt": "write a haiku" }));
    assert_eq!(prompted["context"], json!({ "injected_context": "" }));
    // Nothing says where the project is but the session.
    let told = "**Memories about src/db.py:**\n- GOTCHA: Database connections leak under load";
    assert_eq!(
        world.oak("post-tool-use", read("t1"))["injected_context"],
        framed(told)
    );
    let mut echo = read("t1");
    echo["agent"] = json!("cursor");
    assert_eq!(
        world.oak("post-tool-use", echo)["injected_context"],
        framed(told)
    );
    assert_eq!(
        world.oak("post-tool-use", read("t2"))["injected_context"],
        ""
    );
}

#[test]
fn what_was_told_does_not_come_back_as_a_prompt() {
    let world = knowing();
    let start = json!({ "source": "startup", "cwd": SHOP });
    let told = world.oak("session-start", start)["context"]["injected_context"].clone();
    let told = told.as_str().expect("a text");
    assert_eq!(strip_injected(told), "");
    let prompt = format!("fix the build\n{told}");
    world.oak("prompt-submit", json!({ "prompt": prompt, "cwd": SHOP }));
    let batch = world.reader().active_batch("s1").expect("a database");
    let kept = batch.and_then(|batch| batch.prompt);
    assert_eq!(kept.as_deref(), Some("fix the build\n"));
}

#[test]
fn of_tools_that_run_at_the_same_time_one_brings_what_is_known() {
    let world = knowing();
    world.oak("session-start", json!({ "source": "resume", "cwd": SHOP }));
    world.oak("prompt-submit", json!({ "prompt": "look around" }));
    let answers: Vec<Value> = std::thread::scope(|scope| {
        let ids = ["t1", "t2", "t3", "t4", "t5", "t6"];
        let calls = ids.map(|id| scope.spawn(|| world.oak("post-tool-use", read(id))));
        calls.map(|call| call.join().expect("answered")).into()
    });
    let told = answers.iter().filter(|one| one["injected_context"] != "");
    assert_eq!(told.count(), 1, "{answers:?}");
}
