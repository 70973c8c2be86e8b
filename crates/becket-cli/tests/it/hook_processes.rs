//! Misbehaving hook processes, and async hooks.

use std::path::Path;
use std::process::Stdio;

use becket_testkit::wait_for;

use crate::context::{Context, quoted};

fn is_alive(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()))
        .is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn async_hook_does_not_delay_the_reply_and_its_end_is_recorded() {
    let context = Context::new();
    let (started, finished) = (context.path("started"), context.path("finished"));
    let gate = context.path("gate");
    let script = context.script(
        "slow.sh",
        &format!(
            "cat > {0}.tmp; mv {0}.tmp {0}; while [ ! -e {1} ]; do sleep 0.05; done; touch {2}",
            started.display(),
            gate.display(),
            finished.display()
        ),
    );
    context.config(&format!(
        "[[hook]]\nname = \"slow\"\nevent = \"PreToolUse\"\ncommand = {}\nasync = true\n",
        quoted(script)
    ));
    let answer = context.bash("ls");
    assert_eq!((answer.stdout.as_str(), answer.exit), ("", 0));
    assert!(
        !finished.exists(),
        "the answer came before the hook was done"
    );
    wait_for("the hook starts", || started.exists());
    assert!(
        context.read("started").contains("\"ls\""),
        "it got the event on stdin"
    );
    std::fs::write(gate, "").expect("written");
    wait_for("the hook ends and is recorded", || {
        context
            .records()
            .iter()
            .any(|record| record["kind"] == "async_hook" && record["ending"] == "exit 0")
    });
    assert!(finished.exists());
}

#[test]
fn async_hook_times_out_after_the_client_has_exited() {
    let context = Context::new();
    let pid = context.path("pid");
    let script = context.script(
        "hang.sh",
        &format!(
            "echo $$ > {0}.tmp; mv {0}.tmp {0}; sleep 300",
            pid.display()
        ),
    );
    context.config(&format!(
        "[[hook]]\nevent = \"PreToolUse\"\ncommand = {}\nasync = true\ntimeout = \"1s\"\n",
        quoted(script)
    ));
    context.bash("ls");
    wait_for("it is recorded as timed out", || {
        context
            .records()
            .iter()
            .any(|record| record["ending"] == "timed out")
    });
    assert!(!is_alive(&context.read("pid")));
}

#[test]
fn flooding_hook_output_is_truncated_and_its_exit_code_decides() {
    let context = Context::new();
    context.config("[[hook]]\nevent = \"PreToolUse\"\ncommand = \"head -c 20000000 /dev/zero | tr '\\\\0' 'x'; echo too loud >&2; exit 2\"\n");
    let answer = context.bash("ls");
    assert_eq!(
        (answer.permission().as_deref(), answer.reason().as_str()),
        (Some("deny"), "too loud")
    );
}

#[test]
fn hooks_end_when_the_agent_terminates_becket() {
    let context = Context::new();
    let pid = context.path("pid");
    let script = context.script(
        "hang.sh",
        &format!(
            "echo $$ > {0}.tmp; mv {0}.tmp {0}; sleep 300",
            pid.display()
        ),
    );
    context.config(&format!(
        "[[hook]]\nevent = \"PreToolUse\"\ncommand = {}\ntimeout = \"5m\"\n",
        quoted(script)
    ));
    let payload = context.path("payload.json");
    std::fs::write(
        &payload,
        r#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}"#,
    )
    .expect("written");
    let mut child = context
        .command(&["hook", "--agent", "claude"])
        .stdin(std::fs::File::open(payload).expect("opened"))
        .stdout(Stdio::null())
        .spawn()
        .expect("started");
    wait_for("the hook runs", || Path::new(&pid).exists());
    let hook = context.read("pid");
    assert!(is_alive(&hook));
    let killed = std::process::Command::new("kill")
        .arg(child.id().to_string())
        .status()
        .expect("kill");
    assert!(killed.success());
    child.wait().expect("ended");
    wait_for("the hook is gone", || !is_alive(&hook));
}

#[test]
fn exec_form_needs_no_shell_and_expands_only_its_placeholders() {
    let context = Context::new();
    let script = context.script("args.sh", "printf '%s\\n' \"$@\" >&2; exit 2");
    context.config(&format!(
        "[[hook]]\nevent = \"PreToolUse\"\ncommand = {}\nargs = [\"${{CLAUDE_PROJECT_DIR}}/x\", \"$HOME; echo hi\", \"${{OTHER}}\"]\n",
        quoted(script)
    ));
    let answer = context.bash("ls");
    let project = context.project();
    assert_eq!(
        answer.reason(),
        format!("{}/x\n$HOME; echo hi\n${{OTHER}}", project.display())
    );
}
