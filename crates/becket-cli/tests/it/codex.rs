//! Codex: trust in the hooks, and the `notify` program.

use becket_testkit::read_when_there;
use serde_json::{Value, json};

use crate::context::{CommandOutput, Context, quoted};

const CONFIG: &str = "home/.codex/config.toml";

/// A user's configuration, which must be restored byte for byte.
const THEIRS: &str = "model = \"gpt-5.5\" # mine\nnotify = [\"notify-send\", \"Codex\"]\n\n[tui]\nnotifications = true\n";

fn codex() -> Context {
    let context = Context::new();
    context.write(CONFIG, THEIRS);
    context
}

fn init(context: &Context, more: &[&str]) -> CommandOutput {
    context.run(&[&["init", "--agent", "codex"], more].concat())
}

fn uninstall(context: &Context) {
    let answer = context.run(&["uninstall", "--agent", "codex", "--yes"]);
    assert_eq!(answer.exit, 0, "{}", answer.stderr);
}

#[test]
fn confirming_the_hooks_does_not_grant_trust() {
    let context = codex();
    for more in [&["--yes"][..], &["--yes", "--json"]] {
        let answer = init(&context, more);
        assert_eq!(answer.exit, 0, "{}", answer.stderr);
        assert_eq!(context.read(CONFIG), THEIRS);
    }
    let answer = init(&context, &["--yes"]);
    assert!(answer.stderr.contains("only after you approve it"));
    assert!(answer.stderr.contains("--codex-trust"));
}

#[test]
fn granted_trust_is_recorded_and_removed_on_uninstall() {
    let context = codex();
    let answer = init(&context, &["--yes", "--codex-trust"]);
    assert_eq!(answer.exit, 0, "{}", answer.stderr);
    let config = context.read(CONFIG);
    assert!(config.starts_with(THEIRS), "{config}");
    let hooks = context.path("home/.codex/hooks.json");
    let key = format!("[hooks.state.\"{}:pre_tool_use:0:0\"]", hooks.display());
    assert!(config.contains(&key), "{config}");
    let again = init(&context, &["--yes"]);
    assert!(!again.stderr.contains("trusted"), "{}", again.stderr);
    assert_eq!(context.read(CONFIG), config, "twice is once");
    uninstall(&context);
    assert_eq!(context.read(CONFIG), THEIRS);
}

#[test]
fn trust_is_removed_from_a_file_that_codex_changed_since() {
    let context = codex();
    init(&context, &["--yes", "--codex-trust", "--codex-notify"]);
    let more = "\n[projects.\"/w\"]\ntrust_level = \"trusted\"\n";
    let changed = context.read(CONFIG) + more;
    context.write(CONFIG, changed);
    uninstall(&context);
    assert_eq!(context.read(CONFIG), format!("{THEIRS}{more}"));
    assert!(!context.path("home/.codex/hooks.json").exists());
}

#[test]
fn previous_notify_program_is_chained_and_restored() {
    let context = codex();
    init(&context, &["--yes", "--codex-notify"]);
    let config = context.read(CONFIG);
    assert!(
        config.contains("\"notify\", \"--then\", \"notify-send\", \"Codex\"]"),
        "{config}"
    );
    uninstall(&context);
    assert_eq!(context.read(CONFIG), THEIRS);
}

fn notification(context: &Context, turn: &str) -> String {
    json!({
        "type": "agent-turn-complete", "thread-id": "th-1", "turn-id": turn, "cwd": context.project(),
        "input-messages": ["hi"], "last-assistant-message": "Done.",
    })
    .to_string()
}

fn stop(context: &Context, turn: &str, active: bool) -> CommandOutput {
    let payload = json!({
        "session_id": "th-1", "turn_id": turn, "transcript_path": null, "cwd": context.project(), "hook_event_name": "Stop",
        "model": "gpt-5.5", "permission_mode": "default", "stop_hook_active": active, "last_assistant_message": "Done.",
    });
    context.run_with(
        &["hook", "Stop", "--agent", "codex"],
        payload.to_string().as_bytes(),
    )
}

fn counting(context: &Context) {
    let script = context.script(
        "count.sh",
        &format!("echo x >> '{}'", context.path("runs").display()),
    );
    context.config(&format!(
        "[[hook]]\nevent = \"Stop\"\ncommand = {}\n",
        quoted(script)
    ));
}

fn stops(context: &Context) -> Vec<Value> {
    let records = context.records();
    records
        .into_iter()
        .filter(|it| it["event"] == "Stop")
        .collect()
}

#[test]
fn turn_reported_only_by_notify_is_a_stop_event() {
    let context = codex();
    counting(&context);
    let answer = context.run(&["notify", &notification(&context, "t-1")]);
    assert_eq!((answer.exit, answer.stdout.as_str()), (0, ""));
    assert_eq!(context.read("runs"), "x\n");
    let [stop] = stops(&context).try_into().expect("one record");
    assert_eq!(stop["agent"], "codex");
    assert_eq!(stop["session"], "th-1");
}

#[test]
fn turns_of_two_threads_with_the_same_id_are_separate() {
    let context = codex();
    counting(&context);
    stop(&context, "1", false);
    let other = notification(&context, "1").replace("th-1", "th-2");
    context.run(&["notify", &other]);
    context.run(&["notify", &other]);
    assert_eq!(context.read("runs"), "x\nx\n", "each turn once");
    let sessions: Vec<_> = stops(&context)
        .iter()
        .map(|stop| stop["session"].clone())
        .collect();
    assert_eq!(sessions, ["th-1", "th-2"]);
}

#[test]
fn turn_already_reported_by_hooks_is_deduplicated() {
    let context = codex();
    counting(&context);
    stop(&context, "t-1", false);
    stop(&context, "t-1", true);
    context.run(&["notify", &notification(&context, "t-1")]);
    assert_eq!(context.read("runs"), "x\nx\n", "each stop of a turn counts");
    assert_eq!(stops(&context).len(), 2);
    context.run(&["notify", &notification(&context, "t-2")]);
    assert_eq!(stops(&context).len(), 3);
}

#[test]
fn chained_notify_program_gets_the_same_argument() {
    let context = codex();
    let heard = context.path("heard");
    let script = context.script(
        "theirs.sh",
        &format!(
            "printf '%s\\n' \"$@\" > '{0}.new'; mv '{0}.new' '{0}'",
            heard.display()
        ),
    );
    let (script, json) = (script.display().to_string(), notification(&context, "t-1"));
    let answer = context.run(&["notify", "--then", &script, "a b", &json]);
    assert_eq!(answer.exit, 0, "{}", answer.stderr);
    assert_eq!(read_when_there(&heard), format!("a b\n{json}\n"));
    assert_eq!(stops(&context).len(), 1);
}

#[test]
fn invalid_notification_is_an_error() {
    let context = codex();
    for (words, exit, expected) in [
        (&["notify"][..], 64, "missing notification"),
        (
            &["notify", "--now", "{}"],
            64,
            "unexpected argument `--now`",
        ),
        (&["notify", "not json"], 65, "could not read the event"),
        (&["notify", "[1]"], 65, "could not read the event"),
    ] {
        let answer = context.run(words);
        assert_eq!(answer.exit, exit, "{words:?}");
        assert!(answer.stderr.contains(expected), "{}", answer.stderr);
    }
}

#[test]
fn notification_secrets_do_not_reach_the_disk() {
    let context = codex();
    let token = format!("ghp_{}", "Qm7Zt1Xv9Kc3Wb5Rn8Ls2Hd6Fg4Jp0Ya1TuE");
    let told = json!({
        "type": "agent-turn-complete", "thread-id": "th-1", "turn-id": "t1", "cwd": context.project(),
        "input-messages": [format!("push with {token}")], "last-assistant-message": format!("Used {token}."),
        "client": token,
    });
    assert_eq!(context.run(&["notify", &told.to_string()]).exit, 0);
    let kept = context.records();
    assert_eq!(kept.len(), 1, "{kept:?}");
    let said = kept[0].to_string();
    assert!(said.contains("push with"), "{said}");
    for file in crate::autostart::files_below(&context.path("home/.becket")) {
        let bytes = std::fs::read(&file).expect("read");
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(&token[4..]), "{}", file.display());
    }
}
