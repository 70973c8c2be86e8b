//! Claude Code: tests beyond those of every client.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use becket_lab::claude::{Claude, ClientSession, ClientTurn, Permissions};
use becket_lab::fake_model::{MarkerSighting, PromptPart, ScriptPosition};
use becket_lab::harness::{Test, TestCase, TestResult};
use becket_lab::process::ProcessExit;
use becket_lab::scenario::{Scenario, ScriptedCall, Step, When};
use serde_json::{Map, Value, json};

// For the names of the tests.
use crate::claude;

pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![
        claude::tools_run_and_results_reach_the_model,
        claude::hooks_fire_with_payloads_that_name_the_call,
        claude::hook_exit_code_2_blocks_the_command_and_the_reason_reaches_the_model,
        claude::context_from_a_hook_reaches_the_model,
        claude::all_calls_of_one_answer_run,
        claude::subagent_plays_its_own_steps,
        claude::second_turn_continues_the_conversation,
        claude::without_allowed_tools_the_permission_request_is_refused,
        claude::scripted_error_ends_the_turn,
        claude::client_does_not_inherit_the_callers_environment,
        claude::hooks_find_a_program_put_on_the_path,
        claude::timed_out_client_is_killed,
        claude::sessions_of_one_test_are_isolated,
    ]
}

/// Shell commands by event, which a hook runs after it has recorded its payload.
type Answers<'a> = &'a [(&'a str, &'a str)];

const EVENTS: &[&str] = &[
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "SessionEnd",
];

fn open(case: &TestCase, scenario: &Scenario) -> Result<ClientSession, Box<dyn Error>> {
    Ok(Claude::ready()?.session(case.dir(), scenario)?)
}

/// Adds a recording hook for every event to the settings in the client's home.
fn record_hooks(session: &ClientSession, answers: Answers<'_>) -> Result<(), Box<dyn Error>> {
    let records = records(session);
    fs::create_dir_all(&records)?;
    let answers: BTreeMap<_, _> = answers.iter().copied().collect();
    let mut hooks = Map::new();
    for event in EVENTS {
        let record = format!(
            "payload=$(cat); printf '%s\\n' \"$payload\" >> '{}/{event}'",
            records.display()
        );
        let answer = answers.get(event).copied().unwrap_or("exit 0");
        let command = format!("{record}; {answer}");
        let entry = json!([{"hooks": [{"type": "command", "command": command}]}]);
        hooks.insert((*event).to_owned(), entry);
    }
    let settings = json!({ "hooks": hooks }).to_string();
    session
        .workspace
        .write_home(".claude/settings.json", settings)?;
    Ok(())
}

fn records(session: &ClientSession) -> PathBuf {
    session.workspace.root().join("hooks")
}

/// The payloads that the hooks of an event received, in order.
fn payloads(session: &ClientSession, event: &str) -> Result<Vec<Value>, Box<dyn Error>> {
    let text = fs::read_to_string(records(session).join(event)).unwrap_or_default();
    let parsed = text.lines().map(serde_json::from_str);
    Ok(parsed.collect::<Result<_, _>>()?)
}

fn assert_ended_well(turn: &ClientTurn) {
    assert_eq!(turn.exit, ProcessExit::Code(0));
    assert_eq!(turn.strays(), [""; 0]);
}

fn tools_run_and_results_reach_the_model(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("echo hello > out.txt; echo SHELL_SAYS_4711"),
        Step::write("${WORK}/note.txt", "first line"),
        Step::read("${WORK}/note.txt"),
        Step::edit("${WORK}/note.txt", "first", "second"),
        Step::say("All done."),
    ]);
    let mut session = open(case, &scenario)?;
    let turn = session.run("Please do the PROMPT_MARK task.")?;
    assert_ended_well(&turn);
    assert_eq!(turn.final_text().as_deref(), Some("All done."));

    let workspace = &session.workspace;
    let files = workspace.files()?;
    assert_eq!(files, ["README.md", "note.txt", "out.txt"]);
    assert_eq!(workspace.read_work("out.txt").as_deref(), Some("hello\n"));
    let note = workspace.read_work("note.txt");
    assert_eq!(note.as_deref(), Some("second line"));

    let played: Vec<_> = turn.exchanges().map(|it| it.position).collect();
    assert_eq!(played, [0, 1, 2, 3, 4].map(ScriptPosition::Step));
    let prompt = turn.marker_sightings("PROMPT_MARK");
    assert_eq!(prompt.len(), 5, "{prompt:?}");
    assert!(
        prompt
            .iter()
            .all(|sightings| sightings.place == PromptPart::User)
    );
    let result = MarkerSighting {
        step: Some(1),
        place: PromptPart::ToolResult { is_error: false },
    };
    assert_eq!(
        turn.marker_sightings("SHELL_SAYS_4711").first(),
        Some(&result)
    );
    Ok(())
}

fn hooks_fire_with_payloads_that_name_the_call(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("echo hello > out.txt"),
        Step::shell("echo oops >&2; exit 3"),
        Step::say("All done."),
    ]);
    let mut session = open(case, &scenario)?;
    record_hooks(&session, &[])?;
    let turn = session.run("Please do the PROMPT_MARK task.")?;
    assert_ended_well(&turn);

    for (event, count) in [
        ("SessionStart", 1),
        ("UserPromptSubmit", 1),
        ("PreToolUse", 2),
        ("PostToolUse", 1),
        ("PostToolUseFailure", 1),
        ("Stop", 1),
        ("SessionEnd", 1),
        ("PermissionRequest", 0),
        ("SubagentStart", 0),
    ] {
        assert_eq!(payloads(&session, event)?.len(), count, "{event}");
    }
    let prompt = &payloads(&session, "UserPromptSubmit")?[0];
    assert_eq!(prompt["prompt"], "Please do the PROMPT_MARK task.");
    let call = &payloads(&session, "PreToolUse")?[0];
    assert_eq!(call["tool_name"], "Bash");
    assert_eq!(call["tool_input"]["command"], "echo hello > out.txt");
    assert_eq!(call["cwd"], session.workspace.work().to_string_lossy()[..]);
    Ok(())
}

fn hook_exit_code_2_blocks_the_command_and_the_reason_reaches_the_model(
    case: &TestCase,
) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("touch ran.txt; rm -rf ./precious"),
        Step::say("Understood."),
    ]);
    let mut session = open(case, &scenario)?;
    session
        .workspace
        .write_work("precious/keep.txt", "keep\n")?;
    record_hooks(
        &session,
        &[("PreToolUse", "echo DENIED_BY_HOOK_1234 >&2; exit 2")],
    )?;
    let turn = session.run("Please do the task.")?;
    assert_ended_well(&turn);
    let files = session.workspace.files()?;
    assert_eq!(files, ["README.md", "precious/keep.txt"]);
    assert_eq!(payloads(&session, "PreToolUse")?.len(), 1);
    assert_eq!(payloads(&session, "PostToolUse")?.len(), 0);
    let denied = MarkerSighting {
        step: Some(1),
        place: PromptPart::ToolResult { is_error: true },
    };
    assert_eq!(turn.marker_sightings("DENIED_BY_HOOK_1234"), [denied]);
    Ok(())
}

fn context_from_a_hook_reaches_the_model(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([Step::say("All done.")]);
    let mut session = open(case, &scenario)?;
    record_hooks(
        &session,
        &[
            ("UserPromptSubmit", "echo PROMPT_CONTEXT_7731"),
            ("SessionStart", "echo START_CONTEXT_4412"),
            ("Stop", "echo STOP_OUTPUT_5150"),
        ],
    )?;
    let turn = session.run("Please do the task.")?;
    assert_ended_well(&turn);
    for marker in ["PROMPT_CONTEXT_7731", "START_CONTEXT_4412"] {
        let sightings = turn.marker_sightings(marker);
        assert_eq!(sightings.len(), 1, "{marker}: {sightings:?}");
        assert_eq!(sightings[0].step, Some(0));
    }
    assert_eq!(turn.marker_sightings("STOP_OUTPUT_5150"), []);
    Ok(())
}

fn all_calls_of_one_answer_run(case: &TestCase) -> TestResult {
    let both = [
        ScriptedCall::shell("echo a > a.txt"),
        ScriptedCall::shell("echo b > b.txt"),
    ];
    let scenario = Scenario::new([Step::calls(both), Step::say("All done.")]);
    let mut session = open(case, &scenario)?;
    let turn = session.run("Please do the task.")?;
    assert_ended_well(&turn);
    let files = session.workspace.files()?;
    assert_eq!(files, ["README.md", "a.txt", "b.txt"]);
    assert_eq!(turn.exchanges().count(), 2);
    Ok(())
}

fn subagent_plays_its_own_steps(case: &TestCase) -> TestResult {
    let delegate = json!({
        "description": "sub task",
        "prompt": "SUBTASK_MARK list things",
        "subagent_type": "general-purpose",
    });
    let scenario = Scenario::new([Step::native("Agent", delegate), Step::say("All done.")])
        .conversation(
            When::contains("SUBTASK_MARK"),
            [Step::shell("echo sub > sub.txt"), Step::say("Sub done.")],
        );
    let mut session = open(case, &scenario)?;
    record_hooks(&session, &[])?;
    let turn = session.run("Please delegate.")?;
    assert_ended_well(&turn);
    let made = session.workspace.read_work("sub.txt");
    assert_eq!(made.as_deref(), Some("sub\n"));
    assert_eq!(payloads(&session, "SubagentStart")?.len(), 1);
    assert_eq!(payloads(&session, "SubagentStop")?.len(), 1);
    let calls = payloads(&session, "PreToolUse")?;
    let of_subagent = |call: &&Value| call["agent_id"].is_string();
    assert_eq!(calls.iter().filter(of_subagent).count(), 1, "{calls:?}");
    Ok(())
}

fn second_turn_continues_the_conversation(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([Step::say("Answer one."), Step::say("Answer two.")]);
    let mut session = open(case, &scenario)?;
    record_hooks(&session, &[])?;
    let first = session.run("The FIRST_MARK turn.")?;
    assert_ended_well(&first);
    assert_eq!(first.final_text().as_deref(), Some("Answer one."));
    let second = session.continue_with("The SECOND_MARK turn.")?;
    assert_ended_well(&second);
    assert_eq!(second.final_text().as_deref(), Some("Answer two."));
    let both = second.marker_sightings("FIRST_MARK");
    assert_eq!(both, second.marker_sightings("SECOND_MARK"));
    assert_eq!(second.exchanges().count(), 1);
    assert_eq!(
        session.requests().len(),
        first.requests.len() + second.requests.len()
    );
    let starts = payloads(&session, "SessionStart")?;
    let sources: Vec<_> = starts.iter().map(|it| it["source"].as_str()).collect();
    assert_eq!(sources, [Some("startup"), Some("resume")]);
    Ok(())
}

fn without_allowed_tools_the_permission_request_is_refused(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([Step::shell("echo hello > out.txt"), Step::say("All done.")]);
    let mut session = open(case, &scenario)?;
    session.permissions = Permissions::AskForAll;
    record_hooks(&session, &[])?;
    let turn = session.run("Please do the task.")?;
    assert_ended_well(&turn);
    assert_eq!(session.workspace.files()?, ["README.md"]);
    let asked = payloads(&session, "PermissionRequest")?;
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0]["tool_name"], "Bash");
    let results: Vec<_> = turn
        .exchanges()
        .flat_map(|it| &it.conversation.results)
        .collect();
    assert!(results.iter().all(|result| result.is_error), "{results:?}");
    Ok(())
}

fn scripted_error_ends_the_turn(case: &TestCase) -> TestResult {
    let error = Step::fail(400, "invalid_request_error", "SCRIPTED_ERROR_99");
    let mut session = open(case, &Scenario::new([error]))?;
    let turn = session.run("Please do the task.")?;
    assert_eq!(turn.exit, ProcessExit::Code(1));
    assert!(turn.stdout.contains("SCRIPTED_ERROR_99"));
    assert!(
        turn.exchanges()
            .all(|it| it.position == ScriptPosition::Step(0))
    );
    Ok(())
}

fn client_does_not_inherit_the_callers_environment(case: &TestCase) -> TestResult {
    let scenario = Scenario::new([Step::shell("env > seen.txt"), Step::say("All done.")]);
    let mut session = open(case, &scenario)?;
    session.workspace.set_env("BECKET_HOME", "/given/by/test");
    let turn = session.run("Please do the task.")?;
    assert_ended_well(&turn);
    let seen = session.workspace.read_work("seen.txt").unwrap_or_default();
    let value = |name: &str| {
        let mut lines = seen.lines().filter_map(|line| line.split_once('='));
        lines.find(|(key, _)| *key == name).map(|(_, value)| value)
    };
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert_eq!(value("CARGO_MANIFEST_DIR"), None);
    assert_eq!(value("BECKET_HOME"), Some("/given/by/test"));
    let home = session.workspace.home().to_str();
    assert_eq!(value("HOME"), home);
    Ok(())
}

fn hooks_find_a_program_put_on_the_path(case: &TestCase) -> TestResult {
    let mut session = open(case, &Scenario::new([Step::say("All done.")]))?;
    let programs = session.workspace.home().join("programs");
    fs::create_dir_all(&programs)?;
    std::os::unix::fs::symlink("/bin/echo", programs.join("lab-program"))?;
    session.workspace.put_on_path(programs);
    let said = session.workspace.exec("lab-program", &["prepared"])?;
    assert_eq!(said.stdout, "prepared\n");
    record_hooks(
        &session,
        &[("UserPromptSubmit", "lab-program FROM_PROGRAM_31")],
    )?;
    let turn = session.run("Please do the task.")?;
    assert_ended_well(&turn);
    assert_eq!(turn.marker_sightings("FROM_PROGRAM_31").len(), 1);
    Ok(())
}

fn timed_out_client_is_killed(case: &TestCase) -> TestResult {
    let mut session = open(case, &Scenario::new([Step::say("All done.")]))?;
    record_hooks(&session, &[("SessionStart", "sleep 600")])?;
    session.timeout = Duration::from_secs(5);
    let turn = session.run("Please do the task.")?;
    assert_eq!(turn.exit, ProcessExit::TimedOut);
    assert_eq!(turn.exchanges().count(), 0);
    Ok(())
}

fn sessions_of_one_test_are_isolated(case: &TestCase) -> TestResult {
    let claude = Claude::ready()?;
    let scenario = |word: &str| {
        let command = format!("echo {word} > out.txt");
        Scenario::new([Step::shell(&command), Step::say("All done.")])
    };
    let mut one = claude.session(&case.subdir("one")?, &scenario("one"))?;
    let mut two = claude.session(&case.subdir("two")?, &scenario("two"))?;
    assert_ended_well(&one.run("Please do the task.")?);
    assert_ended_well(&two.run("Please do the task.")?);
    assert_eq!(one.workspace.read_work("out.txt").as_deref(), Some("one\n"));
    assert_eq!(two.workspace.read_work("out.txt").as_deref(), Some("two\n"));
    Ok(())
}
