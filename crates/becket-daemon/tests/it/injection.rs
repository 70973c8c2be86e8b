//! Context injection over the hooks API and the socket.

use becket_recall::inject::{INJECTED_BEGIN, InjectionLimits, strip_injected};
use becket_store::{MemoryKind, Millis, NewMemory, Options, StoreWriter};
use serde_json::{Value, json};

use crate::socket::Line;
use crate::world::{World, record};

const SHOP: &str = "/home/ana/shop";

/// A daemon with one memory, and with injection enabled.
fn knowing() -> World {
    let mut world = World::asleep();
    let database = world.state().join("becket.db");
    let mut writer = StoreWriter::open(&database, Options::default()).expect("a database");
    let mut transaction = writer.begin().expect("a group");
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
    transaction.add_memory(&leak, None).expect("a memory");
    transaction.commit().expect("kept");
    drop(writer);
    let limits = Some(InjectionLimits::default());
    world.start_within(limits).expect("a daemon starts");
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
fn memory_is_injected_once_per_session() {
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
fn file_memory_is_injected_once_and_into_both_duplicate_requests() {
    let world = knowing();
    let resumed = world.oak("session-start", json!({ "source": "resume", "cwd": SHOP }));
    let status = "**Codebase Intelligence Active**: 0 code chunks indexed, 1 memory stored.";
    assert_eq!(resumed["context"]["injected_context"], framed(status));
    let prompted = world.oak("prompt-submit", json!({ "prompt": "write a haiku" }));
    assert_eq!(prompted["context"], json!({ "injected_context": "" }));
    // The project is only known from the session.
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
fn injected_context_is_stripped_from_prompts() {
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
fn injected_context_is_stripped_from_answers_and_tool_output() {
    let world = knowing();
    let start = json!({ "source": "startup", "cwd": SHOP });
    let told = world.oak("session-start", start)["context"]["injected_context"].clone();
    let told = told.as_str().expect("a text");
    world.oak(
        "prompt-submit",
        json!({ "prompt": "what is stored?", "cwd": SHOP }),
    );
    let printed = json!({
        "tool_name": "Bash", "tool_use_id": "t9", "tool_input": { "command": "cat notes" },
        "tool_output": format!("before\n{told}\nafter"),
    });
    world.oak("post-tool-use", printed);
    let answer = format!("This is known:\n{told}");
    world.oak("stop", json!({ "response_summary": answer }));
    let reader = world.reader();
    let timeline = reader.timeline("s1", 1, 10).expect("a database");
    let timeline = serde_json::to_string(&timeline).expect("JSON");
    assert!(
        timeline.contains("This is known:") && timeline.contains("after"),
        "{timeline}"
    );
    assert!(
        !timeline.contains("Database connections leak"),
        "{timeline}"
    );
}

#[test]
fn parallel_tool_calls_inject_a_memory_once() {
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

/// The context for an event, over the socket.
fn context(world: &World, event: &str, payload: Value) -> Value {
    context_at(world, SHOP, event, payload, 60_000)
}

fn context_at(world: &World, project: &str, event: &str, payload: Value, wait: u64) -> Value {
    let mut record = record("e1", event, "s1", payload);
    record["project"] = json!(project);
    let asking = json!({ "version": "test", "wait_ms": wait, "taken": 0 });
    let request = json!({ "do": "context", "asking": asking, "record": record });
    let answer = Line::to(world).ask(&request);
    assert_eq!(answer["ok"], true, "{answer}");
    answer["context"].clone()
}

fn read_db() -> Value {
    json!({
        "tool_name": "Read", "tool_use_id": "t1", "tool_response": "import db",
        "tool_input": { "file_path": "/home/ana/shop/src/db.py" },
    })
}

const OF_DB: &str = "**Memories about src/db.py:**\n- GOTCHA: Database connections leak under load";

#[test]
fn context_is_found_for_an_event_that_is_not_stored_yet() {
    let world = knowing();
    // The service embeds it.
    let note = json!({ "project": SHOP, "text": "Prices are rounded to whole cents before tax", "type": "decision" });
    let kept = world.send(
        "POST",
        "/api/v1/memories",
        "application/json",
        note.to_string().as_bytes(),
    );
    assert_eq!(kept.status, 200, "{}", kept.body);
    let prices = json!({ "prompt": "why are prices rounded to whole cents before tax" });
    let told = context(&world, "UserPromptSubmit", prices.clone());
    let expected = "**Relevant memories for this task:**\n- [decision] Prices are rounded to whole cents before tax";
    assert_eq!(told, framed(expected));
    assert_eq!(context(&world, "UserPromptSubmit", prices), Value::Null);
    let haiku = json!({ "prompt": "write a haiku" });
    assert_eq!(context(&world, "UserPromptSubmit", haiku), Value::Null);
    assert_eq!(context(&world, "PostToolUse", read_db()), framed(OF_DB));
    assert_eq!(context(&world, "PostToolUse", read_db()), Value::Null);
    assert_eq!(context(&world, "Stop", json!({})), Value::Null);
}

#[test]
fn injected_items_survive_a_restart_until_the_context_is_cleared() {
    let mut world = knowing();
    assert_eq!(context(&world, "PostToolUse", read_db()), framed(OF_DB));
    world.stop();
    let limits = Some(InjectionLimits::default());
    world.start_within(limits).expect("it starts again");
    assert_eq!(context(&world, "PostToolUse", read_db()), Value::Null);
    let start = |source: &str| json!({ "source": source });
    context(&world, "SessionStart", start("resume"));
    assert_eq!(context(&world, "PostToolUse", read_db()), Value::Null);
    context(&world, "SessionStart", start("compact"));
    assert_eq!(context(&world, "PostToolUse", read_db()), framed(OF_DB));
}

#[test]
fn compaction_allows_items_to_be_injected_again() {
    let world = knowing();
    assert_eq!(context(&world, "PostToolUse", read_db()), framed(OF_DB));
    assert_eq!(context(&world, "PostToolUse", read_db()), Value::Null);
    let mut compact = record("e2", "PreCompact", "s1", json!({ "trigger": "auto" }));
    let later = Millis(Millis::now().0 + 1_000);
    compact["ts"] = json!(later.to_text());
    let kept = Line::to(&world).ask(&json!({ "do": "record", "record": compact }));
    assert_eq!(kept["ok"], true, "{kept}");
    assert_eq!(context(&world, "PostToolUse", read_db()), framed(OF_DB));
}

#[test]
fn late_context_does_not_count_as_injected() {
    let world = knowing();
    let hurried = context_at(&world, SHOP, "PostToolUse", read_db(), 0);
    assert_eq!(hurried, Value::Null);
    assert_eq!(context(&world, "PostToolUse", read_db()), framed(OF_DB));
}

#[test]
fn disabled_project_gets_no_context() {
    let world = knowing();
    let start = json!({ "source": "startup" });
    let told = context_at(&world, "/home/ana/quiet", "SessionStart", start, 60_000);
    assert_eq!(told, Value::Null);
}

#[test]
fn context_of_hooks_counts_towards_the_limit() {
    let world = knowing();
    let mut record = record("e1", "PostToolUse", "s1", read_db());
    record["project"] = json!(SHOP);
    let asking = |taken: usize| {
        let asking = json!({ "version": "test", "wait_ms": 60_000, "taken": taken });
        let request = json!({ "do": "context", "asking": asking, "record": record });
        Line::to(&world).ask(&request)["context"].clone()
    };
    assert_eq!(asking(9_950), Value::Null);
    assert_eq!(asking(9_000), framed(OF_DB));
}

#[test]
fn invalid_context_request_gets_no_context() {
    let world = knowing();
    for record in [json!(null), json!([]), json!({}), json!({ "event": 7 })] {
        let request = json!({ "do": "context", "record": record });
        let answer = Line::to(&world).ask(&request);
        assert_eq!(answer, json!({ "ok": true, "version": "test" }));
    }
}
