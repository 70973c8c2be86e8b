//! What holds for every client, each with a recorder in its own configuration.

use std::error::Error;
use std::time::Duration;

use becket_lab::fake_model::{Place, Position};
use becket_lab::harness::{Case, Test, TestResult};
use becket_lab::process::{self, Exit};
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

/// What a client wants of other hosts is refused, and not counted here: some look for news of their
/// own at times of their own.
fn assert_ended_well(turn: &Turn) {
    assert_eq!(turn.exit, Exit::Code(0));
}

/// What the model was told of the call that it made with this step.
fn result_of(turn: &Turn, step: usize) -> &str {
    let next = turn
        .exchanges()
        .find(|it| it.position == Position::Step(step + 1));
    let results = next.map(|it| it.heard.results.as_slice());
    let result = results.and_then(<[_]>::last);
    result.map(|it| it.text.as_str()).unwrap_or_default()
}

fn assert_told(turn: &Turn, step: usize, marker: &str) {
    let result = result_of(turn, step);
    assert!(result.contains(marker), "{marker}: {result:?}");
}

fn tools_run_hooks_fire_and_the_model_is_told(case: &Case, agent: Agent) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("echo hello > out.txt; echo SHELL_SAYS_4711"),
        Step::write("${WORK}/note.txt", "NOTE_SAYS_1101"),
        Step::read("${WORK}/note.txt"),
        Step::edit("${WORK}/note.txt", "NOTE_SAYS_1101", "NOTE_SAYS_1102"),
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
    assert_eq!(note.trim_end(), "NOTE_SAYS_1102");

    let played: Vec<_> = turn.exchanges().map(|it| it.position).collect();
    assert_eq!(played, [0, 1, 2, 3, 4].map(Position::Step));
    let prompt = turn.told_model("PROMPT_MARK");
    let of_user = prompt.iter().filter(|told| told.place == Place::User);
    let steps: Vec<_> = of_user.filter_map(|told| told.step).collect();
    assert_eq!(steps, [0, 1, 2, 3, 4]);
    assert_told(&turn, 0, "SHELL_SAYS_4711");
    assert_told(&turn, 2, "NOTE_SAYS_1101");
    // Cline does not wait for the hooks at the ends of a turn.
    assert_nothing_left_running(&session)?;
    assert_hooks_fired(&session)?;

    if agent == Agent::Cline {
        return Ok(());
    }
    let second = session.continue_with("And the SECOND_MARK task.")?;
    assert_ended_well(&second);
    assert_eq!(second.final_text().as_deref(), Some("Still done."));
    let played: Vec<_> = second.exchanges().map(|it| it.position).collect();
    assert_eq!(played, [Position::Step(5)]);
    assert_eq!(second.told_model("SECOND_MARK").len(), 1);
    assert_nothing_left_running(&session)
}

fn assert_nothing_left_running(session: &Session) -> TestResult {
    let workspace = &session.workspace;
    workspace.running()?;
    let ended = || workspace.running().ok()?.is_empty().then_some(());
    let ended = process::until(Duration::from_secs(60), ended);
    assert!(ended.is_some(), "{:#?}", workspace.running()?);
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
    // Cline has no hook for the prompt that starts a run.
    let expected = usize::from(session.agent() != Agent::Cline);
    assert_eq!(of_person.count(), expected, "{prompts:?}");
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
    // A refusal ends Cline's run, without another word to the model.
    let goes_on = agent != Agent::Cline;
    if goes_on {
        assert_ended_well(&turn);
        assert_eq!(turn.final_text().as_deref(), Some("Understood."));
    }
    let files = session.workspace.files()?;
    assert!(!files.contains(&"ran.txt".to_owned()), "{files:?}");
    assert!(files.contains(&"precious/keep.txt".to_owned()), "{files:?}");
    assert_eq!(payloads(&session, Moment::BeforeTool)?.len(), 1);
    assert_eq!(payloads(&session, Moment::AfterTool)?.len(), 0);
    if goes_on {
        assert_told(&turn, 0, "DENIED_BY_HOOK_1234");
    }
    Ok(())
}

fn what_a_person_would_be_asked_about_is_refused(case: &Case, agent: Agent) -> TestResult {
    let scenario = Scenario::new([Step::shell("echo hello > out.txt"), Step::say("All done.")]);
    let mut session = open(case, agent, &scenario)?;
    session.permissions = Permissions::AskForAll;
    let turn = session.run("Please do the task.")?;
    if agent != Agent::Goose {
        assert_ended_well(&turn);
    }
    assert_eq!(session.workspace.files()?, ["README.md"]);
    match agent {
        Agent::Claude => assert_told(&turn, 0, "needs approval"),
        Agent::Cline => assert_told(&turn, 0, "requires approval"),
        Agent::Codex => assert_told(&turn, 0, "rejected by user"),
        Agent::Copilot => assert_told(&turn, 0, "Permission denied"),
        // Tools that change anything are not there where nobody could be asked.
        Agent::Gemini => assert_told(&turn, 0, "not found"),
        // It gives up when it would have to ask.
        Agent::Goose => assert!(turn.stderr.contains("approval required"), "{}", turn.stderr),
        // The turn ends without another word to the model.
        Agent::OpenCode => assert!(turn.stderr.contains("auto-rejecting"), "{}", turn.stderr),
        Agent::Qwen => assert_told(&turn, 0, "permission was declined"),
    }
    Ok(())
}
