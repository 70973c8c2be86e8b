//! Context injection with prompts, files and session starts.

use std::io::Read;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixListener;
use std::time::Instant;

use becket_testkit::{PATIENCE, poll_until};
use serde_json::{Value, json};

use super::support::Daemon;
use crate::context::{CommandOutput, Context};

const FACT: &str = "The cart rounds prices to whole cents before tax";
const ABOUT_IT: &str = "Why does the cart round prices to whole cents before tax?";
const NONSENSE: &str = "Write a haiku about autumn leaves";

/// A machine with a long injection timeout.
fn patient_context() -> Context {
    let mut context = Context::new();
    context.set_env("BECKET_RECALL", "60000");
    context
}

fn remember(context: &Context) {
    let words = [
        "remember",
        FACT,
        "--type",
        "gotcha",
        "--file",
        "src/cart.rs",
    ];
    let injected = context.run(&words);
    assert_eq!(injected.exit, 0, "{}", injected.stderr);
}

fn prompt(context: &Context, session: &str, text: &str) -> CommandOutput {
    let more = json!({ "session_id": session, "prompt": text });
    context.fire("UserPromptSubmit", more)
}

fn read(context: &Context, session: &str, file: &str) -> CommandOutput {
    let file = context.project().join(file);
    let more = json!({
        "session_id": session, "tool_name": "Read", "tool_use_id": "t1",
        "tool_input": { "file_path": file }, "tool_response": { "type": "text" },
    });
    context.fire("PostToolUse", more)
}

fn injected_context(answer: &CommandOutput) -> String {
    assert_eq!(answer.exit, 0, "{}", answer.stderr);
    let context = &answer.json()["hookSpecificOutput"]["additionalContext"];
    context.as_str().unwrap_or_default().to_owned()
}

#[test]
fn relevant_memory_is_injected_once() {
    let context = patient_context();
    let daemon = Daemon::start(&context);
    remember(&context);
    let first = injected_context(&prompt(&context, "one", ABOUT_IT));
    assert!(first.contains(FACT), "{first}");
    assert!(first.starts_with("[becket:recall]") && first.ends_with("[/becket:recall]"));
    assert_eq!(injected_context(&prompt(&context, "one", ABOUT_IT)), "");
    assert_eq!(injected_context(&read(&context, "one", "src/cart.rs")), "");
    assert_eq!(injected_context(&prompt(&context, "two", NONSENSE)), "");
    assert_eq!(
        injected_context(&read(&context, "two", "docs/haiku.md")),
        ""
    );
    let file = injected_context(&read(&context, "two", "src/cart.rs"));
    assert!(file.contains("**Memories about src/cart.rs:**"), "{file}");
    assert!(file.contains(FACT), "{file}");
    daemon.stop();
}

#[test]
fn session_start_injects_earlier_sessions_but_not_itself() {
    let context = patient_context();
    let daemon = Daemon::start(&context);
    remember(&context);
    let start = |source: &str| {
        let more = json!({ "session_id": "one", "source": source });
        injected_context(&context.fire("SessionStart", more))
    };
    let fresh = start("startup");
    assert!(fresh.contains("0 code chunks indexed, 1 memory stored."));
    assert!(fresh.contains(FACT), "{fresh}");
    assert!(!fresh.contains("Recent Session History"), "{fresh}");
    assert!(!start("resume").contains(FACT));
    assert!(start("clear").contains(FACT));
    daemon.stop();
}

#[test]
fn injected_context_is_recorded_with_its_event() {
    let context = patient_context();
    let daemon = Daemon::start(&context);
    remember(&context);
    prompt(&context, "one", ABOUT_IT);
    let run = poll_until("the record", || {
        let story = context.run(&["session", "one", "--json"]);
        let story: Value = serde_json::from_str(&story.stdout).ok()?;
        let hooks = story["batches"][0]["entries"][0]["hooks"].as_array()?;
        hooks.first().cloned()
    });
    assert_eq!(run["hook"], "recall");
    assert!(run["output"].as_str().is_some_and(|it| it.contains(FACT)));
    let shown = context.run(&["session", "one"]).stdout;
    assert!(shown.contains("recall injected: "), "{shown}");
    // The injected context is not part of the prompt.
    assert!(shown.contains(ABOUT_IT), "{shown}");
    daemon.stop();
}

/// Every regular file below a directory that contains this text.
fn files_with(dir: &std::path::Path, words: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_with(&path, words));
        } else if path.is_file()
            && let Ok(bytes) = std::fs::read(&path)
            && bytes
                .windows(words.len())
                .any(|part| part == words.as_bytes())
        {
            found.push(path);
        }
    }
    found
}

#[test]
fn forgotten_memory_is_gone_from_injections_and_from_every_file() {
    let context = patient_context();
    let daemon = Daemon::start(&context);
    remember(&context);
    assert!(injected_context(&prompt(&context, "one", ABOUT_IT)).contains(FACT));
    assert!(injected_context(&read(&context, "two", "src/cart.rs")).contains(FACT));
    let memories = context.run(&["memories", "--json"]).json();
    let id = memories["memories"][0]["id"].as_str().expect("an id");
    // At once, while the injection record may still be in the spool.
    let gone = context.run(&["forget", id, "--yes"]);
    assert_eq!(gone.exit, 0, "{}", gone.stderr);
    let outputs = |session: &str| {
        let story = context.run(&["session", session, "--json"]).stdout;
        story.matches("[forgotten]").count()
    };
    assert_eq!((outputs("one"), outputs("two")), (1, 1));
    daemon.stop();
    let home = context.path("home/.becket");
    assert_eq!(files_with(&home, FACT), [] as [std::path::PathBuf; 0]);
}

#[test]
fn memory_forgotten_without_a_daemon_does_not_return_from_the_spool() {
    let context = patient_context();
    let daemon = Daemon::start(&context);
    remember(&context);
    assert!(injected_context(&prompt(&context, "one", ABOUT_IT)).contains(FACT));
    // Killed, perhaps before it ingested the injection record.
    drop(daemon);
    let memories = context.run(&["memories", "--json"]).json();
    let id = memories["memories"][0]["id"].as_str().expect("an id");
    assert_eq!(context.run(&["forget", id, "--yes"]).exit, 0);
    Daemon::start(&context).stop();
    let home = context.path("home/.becket");
    assert_eq!(files_with(&home, FACT), [] as [std::path::PathBuf; 0]);
}

#[test]
fn injection_joins_hook_context_and_never_a_denial() {
    let context = patient_context();
    context.config("[[hook]]\nname = \"say\"\nevent = \"UserPromptSubmit\"\ncommand = \"if grep -q FORBIDDEN; then exit 2; else echo FROM_A_HOOK; fi\"\n");
    let daemon = Daemon::start(&context);
    remember(&context);
    let both = injected_context(&prompt(&context, "one", ABOUT_IT));
    assert!(
        both.starts_with("FROM_A_HOOK\n[becket:recall]") && both.contains(FACT),
        "{both}"
    );
    let refused = prompt(&context, "two", &format!("{ABOUT_IT} FORBIDDEN"));
    assert!(!refused.stdout.contains(FACT), "{}", refused.stdout);
    daemon.stop();
}

#[test]
fn recall_can_be_disabled() {
    let context = patient_context();
    let daemon = Daemon::start(&context);
    remember(&context);
    let mut asked = context.command(&["hook", "UserPromptSubmit", "--agent", "claude"]);
    let payload = context.path("payload.json");
    let event = json!({
        "session_id": "one", "cwd": context.project(), "hook_event_name": "UserPromptSubmit", "prompt": ABOUT_IT,
    });
    context.write("payload.json", event.to_string());
    asked.env("BECKET_RECALL", "off");
    asked.stdin(std::fs::File::open(payload).expect("there"));
    let output = asked.output().expect("ended");
    assert!(!String::from_utf8_lossy(&output.stdout).contains(FACT));
    for (file, text) in [
        ("home/.becket/config.toml", "[recall]\nenabled = false\n"),
        ("home/.becket/config.toml", "[recall]\nmemories = 0\n"),
        ("home/.becket/config.toml", "[recall]\ntokens = 10\n"),
        ("app/becket.toml", "[recall]\nenabled = false\n"),
        ("app/becket.local.toml", "[recall]\nenabled = false\n"),
    ] {
        context.write(file, text);
        assert_eq!(
            injected_context(&prompt(&context, "two", ABOUT_IT)),
            "",
            "{file} {text}"
        );
        std::fs::remove_file(context.path(file)).expect("there");
    }
    // A project can neither enable what the user disabled nor raise the user's limits.
    context.config("[recall]\nmemories = 0\n");
    context.write(
        "app/becket.toml",
        "[recall]\nenabled = true\nmemories = 10\n",
    );
    assert_eq!(injected_context(&prompt(&context, "two", ABOUT_IT)), "");
    let problems = context.run(&["doctor"]).stdout;
    assert!(problems.contains("a project can only switch recall off"));
    context.config("");
    assert!(injected_context(&prompt(&context, "two", ABOUT_IT)).contains(FACT));
    daemon.stop();
}

#[test]
fn invalid_recall_limit_is_reported_with_location() {
    let context = Context::new();
    context.config("[recall]\ntokens = \"many\"\nmoods = 3\n");
    let problems = context.run(&["doctor"]).stdout;
    for words in ["config.toml:2", "recall.tokens", "config.toml:3", "moods"] {
        assert!(problems.contains(words), "{words}: {problems}");
    }
}

#[test]
fn agents_without_context_support_get_no_injection() {
    let context = patient_context();
    let daemon = Daemon::start(&context);
    remember(&context);
    let file = context.project().join("src/cart.rs");
    for (agent, event, payload) in [
        (
            "windsurf",
            "pre_user_prompt",
            json!({ "agent_action_name": "pre_user_prompt", "trajectory_id": "w", "tool_info": { "user_prompt": ABOUT_IT } }),
        ),
        (
            "windsurf",
            "post_read_code",
            json!({ "agent_action_name": "post_read_code", "trajectory_id": "w", "tool_info": { "file_path": file } }),
        ),
        (
            "goose",
            "UserPromptSubmit",
            json!({ "event": "UserPromptSubmit", "session_id": "g", "message": ABOUT_IT }),
        ),
    ] {
        let words = ["hook", event, "--agent", agent];
        let answer = context.run_with(&words, payload.to_string().as_bytes());
        assert_eq!(answer.exit, 0, "{agent}: {}", answer.stderr);
        assert!(!answer.stdout.contains(FACT), "{agent}: {}", answer.stdout);
    }
    daemon.stop();
}

#[test]
fn killed_or_hanging_daemon_does_not_cost_the_reply() {
    let mut context = patient_context();
    let daemon = Daemon::start(&context);
    remember(&context);
    // Dropping it kills it and leaves its socket behind.
    drop(daemon);
    let started = Instant::now();
    assert_eq!(injected_context(&prompt(&context, "one", ABOUT_IT)), "");
    assert!(started.elapsed() < PATIENCE, "the reply does not wait");
    let dir = context.path("home/.becket/daemon");
    std::fs::remove_dir_all(&dir).expect("removed");
    let mut private = std::fs::DirBuilder::new();
    private.mode(0o700).create(&dir).expect("created");
    let listener = UnixListener::bind(dir.join("socket")).expect("bound");
    context.set_env("BECKET_RECALL", "20");
    assert_eq!(injected_context(&prompt(&context, "one", ABOUT_IT)), "");
    let (mut silent, _) = listener.accept().expect("it was asked");
    let mut question = String::new();
    silent.read_to_string(&mut question).expect("a question");
    assert!(question.starts_with(r#"{"do":"context","asking":{"#));
    // Both events are still recorded.
    assert_eq!(context.records().len(), 2);
}

#[test]
fn event_without_injection_point_sends_no_request() {
    let context = patient_context();
    let dir = context.path("home/.becket/daemon");
    let mut private = std::fs::DirBuilder::new();
    private
        .recursive(true)
        .mode(0o700)
        .create(&dir)
        .expect("created");
    let listener = UnixListener::bind(dir.join("socket")).expect("bound");
    context.bash("ls src/cart.rs");
    context.fire("Stop", json!({}));
    for _ in 0..2 {
        let (mut notification, _) = listener.accept().expect("a connection");
        let mut line = String::new();
        notification
            .read_to_string(&mut line)
            .expect("a notification");
        assert!(line.starts_with(r#"{"do":"notify""#), "{line}");
    }
}
