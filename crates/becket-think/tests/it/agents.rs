//! Hooks of type `agent`, with shell scripts as agents.

use becket_model::{FailureKind, HookOutcome, Verdict};
use becket_runner::CancellationToken;
use becket_testkit::read_when_there;
use serde_json::json;

use crate::support::{World, bash, failure, is_gone};

/// A hook that calls `agent`, which is a script.
fn world(line: &str, hook: &str) -> World {
    let words = json!(["/bin/sh", "-c", line, "agent", "{prompt}", "{model}"]);
    World::new(&format!(
        "[agents.reviewer]\ncommand = {words}\n[agents.default]\ncommand = ['echo', 'BLOCK: by default']\n\
         [[hook]]\nname = 'second'\nevent = 'PreToolUse'\ntype = 'agent'\nprompt = 'Look at $COMMAND'\n{hook}\n"
    ))
}

#[test]
fn named_agent_runs_without_a_shell() {
    let line = r#"printf '%s\n' "$1" "model=$2" > "$OUT"; echo "BLOCK: looked at it""#;
    let dir = tempfile::tempdir().expect("a directory");
    let out = dir.path().join("asked");
    let line = format!("OUT='{}'; {line}", out.display());
    let outcome = world(&line, "agent = 'reviewer'\nmodel = 'big'").fire(bash("echo `id` $(id)"));
    assert_eq!(outcome.verdict, Verdict::Deny);
    assert_eq!(outcome.reason.as_deref(), Some("looked at it"));
    let asked = std::fs::read_to_string(out).expect("it was asked");
    assert!(asked.contains(">echo `id` $(id)<"), "{asked}");
    assert!(asked.ends_with("model=big\n"), "{asked}");
}

#[test]
fn prompt_goes_to_stdin_without_a_placeholder() {
    let script = r#"grep -q "Look at" && echo CONTINUE: saw it"#;
    let words = json!(["/bin/sh", "-c", script]);
    let world = World::new(&format!(
        "[agents.claude]\ncommand = {words}\n\
         [[hook]]\nevent = 'PreToolUse'\nagent = 'claude'\nprompt = 'Look at $COMMAND'\n"
    ));
    let outcome = world.fire(bash("ls"));
    assert_eq!(outcome.context.as_deref(), Some("saw it"), "{outcome:?}");
}

#[test]
fn roles_and_unnamed_hooks_use_the_default_agent_then_the_event_agent() {
    for hook in ["agent = 'security auditor'", ""] {
        let outcome = world("echo ALLOW", hook).fire(bash("ls"));
        assert_eq!(outcome.reason.as_deref(), Some("by default"), "{hook}");
    }
    let text = "[agents.codex]\ncommand = ['echo', 'BLOCK: by codex']\n\
                [[hook]]\nevent = 'PreToolUse'\ntype = 'agent'\nprompt = 'p'\n";
    let mut own = World::new(text);
    own.settings = own.settings.for_agent("codex");
    assert_eq!(own.fire(bash("ls")).reason.as_deref(), Some("by codex"));
    let unnamed = World::new(text).fire(bash("ls"));
    assert!(failure(&unnamed).contains("no agent to run"), "{unnamed:?}");
}

#[test]
fn code_dialect_reply_becomes_context() {
    let outcome = world(
        "echo 'The command lists files.'",
        "agent = 'reviewer'\ndialect = 'code-agent'",
    )
    .fire(bash("ls"));
    assert_eq!(outcome.context.as_deref(), Some("The command lists files."));
    assert_eq!(
        (outcome.verdict, outcome.failure),
        (Verdict::NoOpinion, None)
    );
}

#[test]
fn failing_agent_follows_the_failure_policy() {
    for (line, kind) in [
        ("echo 'no key' >&2; exit 1", FailureKind::Error),
        ("echo 'It depends.'", FailureKind::BadReply),
    ] {
        let outcome = world(line, "agent = 'reviewer'\non_failure = 'deny'").fire(bash("ls"));
        assert_eq!(outcome.verdict, Verdict::Deny, "{line}");
        assert_eq!(outcome.failure.map(|it| it.kind), Some(kind), "{line}");
    }
    let missing = World::new(
        "[agents.x]\ncommand = ['/nonexistent/agent']\n[[hook]]\nevent = 'PreToolUse'\nagent = 'x'\nprompt = 'p'\n",
    );
    assert!(failure(&missing.fire(bash("ls"))).contains("could not be started"));
}

#[test]
fn hanging_agent_stops_at_the_deadline_or_on_cancellation() {
    let outcome = world("sleep 600", "agent = 'reviewer'\ntimeout = '300ms'").fire(bash("ls"));
    assert_eq!(
        outcome.failure.map(|it| it.kind),
        Some(FailureKind::TimedOut)
    );

    let dir = tempfile::tempdir().expect("a directory");
    let ready = dir.path().join("pid");
    let line = format!(
        "trap '' TERM; echo $$ > '{0}.new'; mv '{0}.new' '{0}'; while :; do sleep 600; done",
        ready.display()
    );
    let world = world(&line, "agent = 'reviewer'\ntimeout = '10m'");
    let token = CancellationToken::new();
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            read_when_there(&ready);
            token.cancel();
        });
        world.fire_under(bash("ls"), &token)
    });
    assert_eq!(
        outcome.failure.map(|it| it.kind),
        Some(FailureKind::Cancelled)
    );
    let pid = std::fs::read_to_string(ready).expect("it ran");
    assert!(is_gone(&pid));
}

#[test]
fn nested_agent_does_not_recurse_and_the_marker_cannot_be_forged() {
    let dir = tempfile::tempdir().expect("a directory");
    let (state, out) = (dir.path().to_owned(), dir.path().join("word"));
    let script = format!(
        "printf %s \"$BECKET_INSIDE\" > '{}'; test -f '{}/inside/'\"$BECKET_INSIDE\" && echo BLOCK: marked",
        out.display(),
        state.display()
    );
    let words = json!(["/bin/sh", "-c", script]);
    let text = format!(
        "[agents.default]\ncommand = {words}\n\
         [[hook]]\nevent = 'PreToolUse'\ntype = 'agent'\nprompt = 'p'\n"
    );
    let outer = World::in_dir(dir, &text);
    assert_eq!(outer.fire(bash("ls")).reason.as_deref(), Some("marked"));
    let word = std::fs::read_to_string(&out).expect("the variable was set");
    let mark = state.join("inside").join(&word);
    assert!(!mark.exists(), "the mark goes with its hook");

    let inner = outer.env([("BECKET_INSIDE", word.as_str())]);
    assert_eq!(
        inner.fire(bash("ls")).verdict,
        Verdict::Deny,
        "the word alone means nothing"
    );
    std::fs::write(&mark, "").expect("a mark");
    assert_eq!(
        inner.fire(bash("ls")),
        HookOutcome::none(),
        "a hook waits: nothing is asked"
    );
    let traversal = inner.env([("BECKET_INSIDE", "../../../../../../../etc/passwd")]);
    assert_eq!(traversal.fire(bash("ls")).verdict, Verdict::Deny);
}
