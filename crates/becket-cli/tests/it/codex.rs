//! What Codex wants beside its file of hooks: trust, and a program to notify.

use serde_json::{Value, json};

use crate::context::{Answer, Context, quoted};

const CONFIG: &str = "home/.codex/config.toml";

/// A person's own configuration, which is given back to the byte.
const THEIRS: &str = "model = \"gpt-5.5\" # mine\nnotify = [\"notify-send\", \"Codex\"]\n\n[tui]\nnotifications = true\n";

fn codex() -> Context {
    let context = Context::new();
    context.write(CONFIG, THEIRS);
    context
}

fn init(context: &Context, more: &[&str]) -> Answer {
    context.run(&[&["init", "--agent", "codex"], more].concat())
}

fn uninstall(context: &Context) {
    let answer = context.run(&["uninstall", "--agent", "codex", "--yes"]);
    assert_eq!(answer.exit, 0, "{}", answer.stderr);
}

#[test]
fn yes_to_the_hooks_is_not_yes_to_trust() {
    let context = codex();
    for more in [&["--yes"][..], &["--yes", "--json"]] {
        let answer = init(&context, more);
        assert_eq!(answer.exit, 0, "{}", answer.stderr);
        assert_eq!(context.read(CONFIG), THEIRS);
    }
    let answer = init(&context, &["--yes"]);
    assert!(answer.stderr.contains("only once a person has trusted it"));
    assert!(answer.stderr.contains("--codex-trust"));
}

#[test]
fn trust_that_was_given_is_recorded_and_taken_back() {
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
fn trust_is_taken_back_from_a_file_that_codex_has_changed_since() {
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
fn the_program_that_was_notified_before_is_kept_and_put_back() {
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

fn stop(context: &Context, turn: &str, active: bool) -> Answer {
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
fn a_turn_that_only_the_program_hears_of_is_a_stop() {
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
fn turns_of_two_threads_are_two_even_if_they_are_called_the_same() {
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
fn a_turn_that_hooks_have_heard_of_is_not_told_again() {
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
fn the_program_behind_ours_gets_the_same_argument() {
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
    while !heard.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(context.read("heard"), format!("a b\n{json}\n"));
    assert_eq!(stops(&context).len(), 1);
}

#[test]
fn a_notification_that_is_none_is_an_error_that_says_so() {
    let context = codex();
    for (words, exit, expected) in [
        (&["notify"][..], 64, "there is no notification"),
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
fn no_secret_of_a_notification_reaches_the_disk() {
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
    for file in crate::wake::files_below(&context.path("home/.becket")) {
        let bytes = std::fs::read(&file).expect("read");
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains(&token[4..]), "{}", file.display());
    }
}
