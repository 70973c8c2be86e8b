//! Tests that every client passes, each with a recording hook in its own configuration.

use std::error::Error;
use std::time::Duration;

use becket_lab::fake_model::{PromptPart, ScriptPosition};
use becket_lab::harness::{Test, TestCase, TestResult};
use becket_lab::process::{self, ProcessExit};
use becket_lab::scenario::{Scenario, Step};
use becket_lab::{Agent, ClientSession, ClientTurn, Permissions};

use crate::recorder::{self, Level, Moment, payloads};

type Check = fn(&TestCase, Agent) -> TestResult;

const CHECKS: &[(&str, Check)] = &[
    (
        "tools_run_hooks_fire_and_results_reach_the_model",
        tools_run_hooks_fire_and_results_reach_the_model,
    ),
    (
        "hook_in_the_repository_blocks_a_command",
        hook_in_the_repository_blocks_a_command,
    ),
    (
        "unanswered_permission_request_is_refused",
        unanswered_permission_request_is_refused,
    ),
];

/// What a client cannot show.
const LEFT_OUT: &[(Agent, &str)] = &[
    // A repository cannot add hooks; `kimi` has the test for the home.
    (Agent::Kimi, "hook_in_the_repository_blocks_a_command"),
    // Headless it allows everything.
    (Agent::Kimi, "unanswered_permission_request_is_refused"),
    // It has no permissions.
    (Agent::Pi, "unanswered_permission_request_is_refused"),
];

pub(crate) fn tests() -> Vec<Test> {
    let agents = Agent::ALL.into_iter();
    let of = |agent: Agent| {
        let checks = CHECKS.iter();
        let checks = checks.filter(move |&&(name, _)| !LEFT_OUT.contains(&(agent, name)));
        let tests = checks.map(move |&(name, check)| {
            Test::new(format!("{agent}::{name}"), move |case| check(case, agent))
        });
        tests.collect::<Vec<_>>()
    };
    agents.flat_map(of).collect()
}

fn open(
    case: &TestCase,
    agent: Agent,
    scenario: &Scenario,
) -> Result<ClientSession, Box<dyn Error>> {
    Ok(agent.ready()?.session(case.dir(), scenario)?)
}

/// Refused requests to other hosts do not count: some clients check for news at any time.
fn assert_ended_well(turn: &ClientTurn) {
    assert_eq!(turn.exit, ProcessExit::Code(0));
}

/// The tool result that the model received for the call of this step.
fn result_of(turn: &ClientTurn, step: usize) -> &str {
    let next = turn
        .exchanges()
        .find(|it| it.position == ScriptPosition::Step(step + 1));
    let results = next.map(|it| it.conversation.results.as_slice());
    let result = results.and_then(<[_]>::last);
    result.map(|it| it.text.as_str()).unwrap_or_default()
}

fn assert_told(turn: &ClientTurn, step: usize, marker: &str) {
    let result = result_of(turn, step);
    assert!(result.contains(marker), "{marker}: {result:?}");
}

fn tools_run_hooks_fire_and_results_reach_the_model(case: &TestCase, agent: Agent) -> TestResult {
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
    assert_eq!(played, [0, 1, 2, 3, 4].map(ScriptPosition::Step));
    let prompt = turn.marker_sightings("PROMPT_MARK");
    let of_user = prompt
        .iter()
        .filter(|sightings| sightings.place == PromptPart::User);
    let steps: Vec<_> = of_user.filter_map(|sightings| sightings.step).collect();
    assert_eq!(steps, [0, 1, 2, 3, 4]);
    assert_told(&turn, 0, "SHELL_SAYS_4711");
    assert_told(&turn, 2, "NOTE_SAYS_1101");
    // Cline does not wait for the hooks at the end of a turn.
    assert_nothing_left_running(&session)?;
    assert_hooks_fired(&session)?;

    if agent == Agent::Cline {
        return Ok(());
    }
    let second = session.continue_with("And the SECOND_MARK task.")?;
    assert_ended_well(&second);
    assert_eq!(second.final_text().as_deref(), Some("Still done."));
    let played: Vec<_> = second.exchanges().map(|it| it.position).collect();
    assert_eq!(played, [ScriptPosition::Step(5)]);
    assert_eq!(second.marker_sightings("SECOND_MARK").len(), 1);
    assert_nothing_left_running(&session)
}

fn assert_nothing_left_running(session: &ClientSession) -> TestResult {
    let workspace = &session.workspace;
    workspace.running()?;
    let ended = || workspace.running().ok()?.is_empty().then_some(());
    let ended = process::until(Duration::from_secs(60), ended);
    assert!(ended.is_some(), "{:#?}", workspace.running()?);
    Ok(())
}

fn assert_hooks_fired(session: &ClientSession) -> TestResult {
    for (moment, count) in [
        (Moment::Start, 1),
        (Moment::BeforeTool, 4),
        (Moment::Stop, 1),
    ] {
        assert_eq!(payloads(session, moment)?.len(), count, "{moment:?}");
    }
    // Qwen runs its prompt hooks for every continuation, with an empty prompt.
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
    // Kimi does not wait for these hooks, and kills them at the end of the turn.
    if session.agent() != Agent::Kimi {
        assert_eq!(results.len(), 4, "{results:?}");
        let shell = results[0].to_string();
        assert!(shell.contains("SHELL_SAYS_4711"), "{shell}");
    }
    Ok(())
}

fn hook_in_the_repository_blocks_a_command(case: &TestCase, agent: Agent) -> TestResult {
    hook_blocks_a_command(case, agent, Level::Repository)
}

pub(crate) fn hook_blocks_a_command(case: &TestCase, agent: Agent, level: Level) -> TestResult {
    let scenario = Scenario::new([
        Step::shell("touch ran.txt; rm -rf ./precious"),
        Step::say("Understood."),
    ]);
    let mut session = open(case, agent, &scenario)?;
    session
        .workspace
        .write_work("precious/keep.txt", "keep\n")?;
    recorder::install(&session, level, Some("DENIED_BY_HOOK_1234"))?;
    session.trust_hooks()?;
    let turn = session.run("Please do the task.")?;
    // A refusal ends Cline's run without another request to the model.
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

fn unanswered_permission_request_is_refused(case: &TestCase, agent: Agent) -> TestResult {
    let scenario = Scenario::new([Step::shell("echo hello > out.txt"), Step::say("All done.")]);
    let mut session = open(case, agent, &scenario)?;
    session.permissions = Permissions::AskForAll;
    let turn = session.run("Please do the task.")?;
    // For these two a refused request is a failed run.
    if !matches!(agent, Agent::Goose | Agent::Kilo) {
        assert_ended_well(&turn);
    }
    assert_eq!(session.workspace.files()?, ["README.md"]);
    match agent {
        Agent::Claude => assert_told(&turn, 0, "needs approval"),
        Agent::Cline => assert_told(&turn, 0, "requires approval"),
        Agent::Codex => assert_told(&turn, 0, "rejected by user"),
        Agent::Copilot => assert_told(&turn, 0, "Permission denied"),
        // Without a person to ask, it has no tools that change anything.
        Agent::Gemini => assert_told(&turn, 0, "not found"),
        // It gives up if it would have to ask.
        Agent::Goose => assert!(turn.stderr.contains("approval required"), "{}", turn.stderr),
        Agent::Kimi | Agent::Pi => unreachable!("the test is left out"),
        // The turn ends without another request to the model.
        Agent::Kilo | Agent::OpenCode => {
            assert!(turn.stderr.contains("auto-rejecting"), "{}", turn.stderr);
        }
        Agent::Qwen => assert_told(&turn, 0, "permission was declined"),
    }
    Ok(())
}
