//! Hooks that are already in Claude's own settings file.

use std::fs;

use becket_lab::harness::{TestCase, TestResult};
use becket_lab::scenario::{Scenario, Step};
use serde_json::{Value, json};

use crate::rig::{Rig, assert_refused};

pub(crate) fn named_hooks_in_claudes_own_file_run_through_becket_and_its_own_hooks_once(
    case: &TestCase,
) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("echo ran > out.txt"),
        Step::write("${WORK}/note.txt", "text"),
        Step::say("Done."),
    ]);
    let mut rig = Rig::new(case.dir(), &scenario)?;
    let (native, named) = (rig.outside("native"), rig.outside("named"));
    let reply = r#"{"continue_execution": false, "stop_reason": "BY_THE_MAP_93"}"#;
    let native_command = format!("cat >> {}", native.display());
    let named_command = format!("cat >> {}; echo '{reply}'", named.display());
    let settings = json!({ "hooks": {
        "PreToolUse": [{ "hooks": [{ "type": "command", "command": native_command }] }],
        "preToolUse": { "check": { "command": named_command, "matcher": "Write" } },
    }});
    let text = serde_json::to_string_pretty(&settings)?;
    rig.workspace.write_home(".claude/settings.json", text)?;
    rig.becket(&["init", "--yes"])?;
    let turn = rig.turn("Please do both.")?;

    assert_eq!(rig.workspace.files()?, ["README.md", "out.txt"]);
    assert_refused(&turn, 2, "BY_THE_MAP_93");

    let seen = |path| -> std::io::Result<Vec<Value>> {
        let text = fs::read_to_string(path)?;
        let payloads = serde_json::Deserializer::from_str(&text).into_iter();
        Ok(payloads.collect::<Result<_, _>>()?)
    };
    let tools = |payloads: &[Value]| -> Vec<Value> {
        payloads.iter().map(|it| it["tool_name"].clone()).collect()
    };
    let by_claude = seen(native)?;
    assert_eq!(tools(&by_claude), ["Bash", "Write"]);
    assert_eq!(by_claude[0]["hook_event_name"], "PreToolUse");
    let by_becket = seen(named)?;
    assert_eq!(tools(&by_becket), ["Write"]);
    assert_eq!(by_becket[0]["event"], "pre_tool_use");

    let trail = rig.recorded_events()?;
    assert_eq!(trail.verdicts("PreToolUse"), ["none", "deny"]);
    let denied = &trail.of("PreToolUse")[1]["decision"];
    assert_eq!(
        denied["hooks"].as_array().map(Vec::len),
        Some(1),
        "{denied}"
    );
    assert_eq!(denied["hooks"][0]["hook"], "check");
    Ok(())
}
