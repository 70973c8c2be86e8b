//! What holds for every client, each with a recorder in its own configuration.

use std::error::Error;

use becket_lab::fake_model::{Place, Position};
use becket_lab::harness::{Case, Test, TestResult};
use becket_lab::process::Exit;
use becket_lab::scenario::{Scenario, Step};
use becket_lab::{Agent, Permissions, Session, Turn};

use crate::recorder::{self, Level, Moment, payloads};

type Check = fn(&Case, Agent) -> TestResult;

const CHECKS: &[(&str, Check)] = &[
    (
        "tools_run_hooks_fire_and_the_model_is_told",
        tools_run_hooks_fire_and_the_model_is_told,
    ),
    (
        "a_hook_in_the_repository_stops_a_command",
        a_hook_in_the_repository_stops_a_command,
    ),
    (
        "what_a_person_would_be_asked_about_is_refused",
        what_a_person_would_be_asked_about_is_refused,
    ),
];

pub(crate) fn tests() -> Vec<Test> {
    let agents = Agent::ALL.into_iter();
    let of = |agent: Agent| {
        let tests = CHECKS.iter().map(move |&(name, check)| {
            Test::new(format!("{agent}::{name}"), move |case| check(case, agent))
        });
        tests.collect::<Vec<_>>()
    };
    agents.flat_map(of).collect()
}

fn open(case: &Case, agent: Agent, scenario: &Scenario) -> Result<Session, Box<dyn Error>> {
    Ok(agent.ready()?.session(case.dir(), scenario)?)
}

fn assert_ended_well(turn: &Turn) {
    assert_eq!(turn.exit, Exit::Code(0));
    assert_eq!(turn.strays(), [""; 0]);
}

/// Whether `marker` first reached the model with this step, as the result of a tool.
fn assert_result_told(turn: &Turn, step: usize, marker: &str) {
    let told = turn.told_model(marker);
    let first = told
        .first()
        .unwrap_or_else(|| panic!("{marker} was not told"));
    assert_eq!(first.step, Some(step), "{marker}: {told:?}");
    assert!(
        matches!(first.place, Place::ToolResult { .. }),
        "{marker}: {told:?}"
    );
}

fn tools_run_hooks_fire_and_the_model_is_told(case: &Case, agent: Agent) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("echo hello > out.txt; echo SHELL_SAYS_4711"),
        Step::write("${WORK}/note.txt", "first line"),
        Step::read("${WORK}/note.txt"),
        Step::edit("${WORK}/note.txt", "first line", "second line"),
        Step::say("All done."),
        Step::say("Still done."),
    ]);
    let mut session = open(case, agent, &scenario)?;
    recorder::install(&session, Level::Home, None)?;
    session.trust_hooks()?;
    let turn = session.run("Please do the PROMPT_MARK task.")?;
    assert_ended_well(&turn);
    assert_eq!(turn.final_text().as_deref(), Some("All done."));

    let workspace = &session.workspace;
    assert_eq!(workspace.files()?, ["README.md", "note.txt", "out.txt"]);
    assert_eq!(workspace.read_work("out.txt").as_deref(), Some("hello\n"));
    let note = workspace.read_work("note.txt").unwrap_or_default();
    assert_eq!(note.trim_end(), "second line");

    let played: Vec<_> = turn.exchanges().map(|it| it.position).collect();
    assert_eq!(played, [0, 1, 2, 3, 4].map(Position::Step));
    let prompt = turn.told_model("PROMPT_MARK");
    let of_user = prompt.iter().filter(|told| told.place == Place::User);
    let steps: Vec<_> = of_user.filter_map(|told| told.step).collect();
    assert_eq!(steps, [0, 1, 2, 3, 4]);
    assert_result_told(&turn, 1, "SHELL_SAYS_4711");
    assert_result_told(&turn, 3, "first line");
    assert_hooks_fired(&session)?;

    let second = session.continue_with("And the SECOND_MARK task.")?;
    assert_ended_well(&second);
    assert_eq!(second.final_text().as_deref(), Some("Still done."));
    let played: Vec<_> = second.exchanges().map(|it| it.position).collect();
    assert_eq!(played, [Position::Step(5)]);
    assert_eq!(second.told_model("SECOND_MARK").len(), 1);
    Ok(())
}

fn assert_hooks_fired(session: &Session) -> TestResult {
    for (moment, count) in [
        (Moment::Start, 1),
        (Moment::BeforeTool, 4),
        (Moment::AfterTool, 4),
        (Moment::Stop, 1),
    ] {
        assert_eq!(payloads(session, moment)?.len(), count, "{moment:?}");
    }
    // Qwen asks its hooks about every continuation, with an empty prompt.
    let prompts = payloads(session, Moment::Prompt)?;
    let of_person = prompts
        .iter()
        .filter(|payload| payload.to_string().contains("PROMPT_MARK"));
    assert_eq!(of_person.count(), 1, "{prompts:?}");
    let calls = payloads(session, Moment::BeforeTool)?;
    let shell = calls[0].to_string();
    assert!(shell.contains("echo SHELL_SAYS_4711"), "{shell}");
    let results = payloads(session, Moment::AfterTool)?;
    let shell = results[0].to_string();
    assert!(shell.contains("SHELL_SAYS_4711"), "{shell}");
    Ok(())
}

fn a_hook_in_the_repository_stops_a_command(case: &Case, agent: Agent) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("touch ran.txt; rm -rf ./precious"),
        Step::say("Understood."),
    ]);
    let mut session = open(case, agent, &scenario)?;
    session
        .workspace
        .write_work("precious/keep.txt", "keep\n")?;
    recorder::install(&session, Level::Repository, Some("DENIED_BY_HOOK_1234"))?;
    session.trust_hooks()?;
    let turn = session.run("Please do the task.")?;
    assert_ended_well(&turn);
    assert_eq!(turn.final_text().as_deref(), Some("Understood."));
    let files = session.workspace.files()?;
    assert!(!files.contains(&"ran.txt".to_owned()), "{files:?}");
    assert!(files.contains(&"precious/keep.txt".to_owned()), "{files:?}");
    assert_eq!(payloads(&session, Moment::BeforeTool)?.len(), 1);
    assert_eq!(payloads(&session, Moment::AfterTool)?.len(), 0);
    assert_result_told(&turn, 1, "DENIED_BY_HOOK_1234");
    Ok(())
}

fn what_a_person_would_be_asked_about_is_refused(case: &Case, agent: Agent) -> TestResult {
    let scenario = Scenario::new([Step::shell("echo hello > out.txt"), Step::say("All done.")]);
    let mut session = open(case, agent, &scenario)?;
    session.permissions = Permissions::AskForAll;
    let turn = session.run("Please do the task.")?;
    assert_eq!(turn.strays(), [""; 0]);
    assert_ne!(turn.exit, Exit::TimedOut);
    assert!(turn.exchanges().count() >= 1);
    assert_eq!(session.workspace.files()?, ["README.md"]);
    Ok(())
}
