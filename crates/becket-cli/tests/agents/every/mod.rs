//! One hook file, unchanged, under every agent.
//!
//! The agents are those that both Becket (`becket agents --json`) and the lab support; a new one is tested without changes
//! here. The capability table decides what a test expects, so these tests also verify that table. Start at [`hooks.toml`].
//!
//! [`hooks.toml`]: HOOKS

mod builtins;
mod decisions;
pub(crate) mod guard;
mod project;
mod recall;
mod record;
mod setup;
mod turns;

use std::process::Command;

use becket_lab::Agent;
use becket_lab::harness::{Test, TestCase, TestResult};
use becket_lab::scenario::Scenario;
use serde_json::Value;

use crate::rig::{BECKET, Result, Rig};

/// The user's hooks, the same for all agents.
const HOOKS: &str = include_str!("hooks.toml");

type Check = fn(&TestCase, &AgentUnderTest) -> TestResult;

const CHECKS: &[(&str, Check)] = &[
    (
        "denied_command_does_not_run_and_the_model_gets_the_reason",
        decisions::denied_command_does_not_run_and_the_model_gets_the_reason,
    ),
    (
        "denied_write_creates_no_file_and_the_model_gets_the_reason",
        decisions::denied_write_creates_no_file_and_the_model_gets_the_reason,
    ),
    (
        "rewritten_command_runs_or_nothing_does",
        decisions::rewritten_command_runs_or_nothing_does,
    ),
    (
        "context_at_session_start_reaches_the_model",
        turns::context_at_session_start_reaches_the_model,
    ),
    (
        "context_with_the_prompt_reaches_the_model",
        turns::context_with_the_prompt_reaches_the_model,
    ),
    (
        "blocking_stop_hook_keeps_the_agent_going_once",
        turns::blocking_stop_hook_keeps_the_agent_going_once,
    ),
    (
        "project_hooks_run_only_when_trusted",
        project::project_hooks_run_only_when_trusted,
    ),
    (
        "builtins_log_stage_and_report_turn_statistics",
        builtins::builtins_log_stage_and_report_turn_statistics,
    ),
    (
        "guard_blocks_a_dangerous_command_and_suggests_an_alternative",
        guard::guard_blocks_a_dangerous_command_and_suggests_an_alternative,
    ),
    (
        "guard_keeps_a_secret_file_from_the_model",
        guard::guard_keeps_a_secret_file_from_the_model,
    ),
    (
        "guard_answers_permission_requests",
        guard::guard_answers_permission_requests,
    ),
    (
        "unanswered_permission_request_runs_nothing",
        guard::unanswered_permission_request_runs_nothing,
    ),
    (
        "memory_is_injected_with_a_related_prompt",
        recall::memory_is_injected_with_a_related_prompt,
    ),
    (
        "memory_of_a_file_is_injected_after_the_file_is_written",
        recall::memory_of_a_file_is_injected_after_the_file_is_written,
    ),
    (
        "daemon_started_by_an_agent_stores_its_events",
        record::daemon_started_by_an_agent_stores_its_events,
    ),
    (
        "uninstall_leaves_nothing_and_stops_recording",
        setup::uninstall_leaves_nothing_and_stops_recording,
    ),
];

/// What a client cannot show, whatever Becket does.
const LEFT_OUT: &[(Agent, &str)] = &[
    // A refusal ends the run; `cline` has those tests.
    (
        Agent::Cline,
        "denied_command_does_not_run_and_the_model_gets_the_reason",
    ),
    (
        Agent::Cline,
        "denied_write_creates_no_file_and_the_model_gets_the_reason",
    ),
    (
        Agent::Cline,
        "guard_blocks_a_dangerous_command_and_suggests_an_alternative",
    ),
    (Agent::Cline, "guard_keeps_a_secret_file_from_the_model"),
    // It gives up if it would have to ask.
    (Agent::Cline, "guard_answers_permission_requests"),
    // Headless it reports no prompt, so the start of a turn is unknown.
    (
        Agent::Cline,
        "builtins_log_stage_and_report_turn_statistics",
    ),
    // Its VS Code extension accepts context there; its command line does not.
    (Agent::Cline, "context_at_session_start_reaches_the_model"),
    (Agent::Cline, "context_with_the_prompt_reaches_the_model"),
    (Agent::Cline, "memory_is_injected_with_a_related_prompt"),
    // Without a person to ask, it has no tools that change anything, and runs no permission hooks.
    (Agent::Gemini, "guard_answers_permission_requests"),
    // It gives up if it would have to ask.
    (Agent::Goose, "guard_answers_permission_requests"),
    // `kilo run` and `opencode run` refuse permission requests without waiting for a plugin's answer.
    (Agent::Kilo, "guard_answers_permission_requests"),
    (Agent::OpenCode, "guard_answers_permission_requests"),
    // A refused request is a failed run.
    (Agent::Kilo, "unanswered_permission_request_runs_nothing"),
    // Headless it allows everything.
    (Agent::Kimi, "guard_answers_permission_requests"),
    (Agent::Kimi, "unanswered_permission_request_runs_nothing"),
    // It has no permissions.
    (Agent::Pi, "guard_answers_permission_requests"),
    (Agent::Pi, "unanswered_permission_request_runs_nothing"),
    // It runs permission hooks only in another mode: see `qwen`.
    (Agent::Qwen, "guard_answers_permission_requests"),
    (Agent::Goose, "unanswered_permission_request_runs_nothing"),
    // The next prompt goes to an idle session, and `kilo run` and `opencode run` exit with the session.
    (Agent::Kilo, "blocking_stop_hook_keeps_the_agent_going_once"),
    (
        Agent::OpenCode,
        "blocking_stop_hook_keeps_the_agent_going_once",
    ),
];

/// An agent with its capabilities, as Becket reports them.
#[derive(Debug, Clone)]
struct AgentUnderTest {
    agent: Agent,
    can: Value,
}

/// How far an agent supports something, according to Becket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Support {
    Yes,
    Partly,
    No,
}

impl AgentUnderTest {
    fn can(&self, what: &str) -> Result<Support> {
        match &self.can[what] {
            Value::String(word) if word == "yes" => Ok(Support::Yes),
            Value::String(word) if word == "no" => Ok(Support::No),
            Value::Object(why) if why.contains_key("partly") => Ok(Support::Partly),
            other => Err(format!("{}: {what}: {other}", self.agent).into()),
        }
    }

    /// The agent with the hooks of [`HOOKS`], connected.
    fn connected(&self, case: &TestCase, scenario: &Scenario) -> Result<Rig> {
        let mut rig = Rig::of(self.agent, case.dir(), scenario)?;
        rig.configure_with(HOOKS)?;
        rig.connect()?;
        Ok(rig)
    }
}

/// The tests, named `every::AGENT::…`.
pub(crate) fn tests() -> Vec<Test> {
    match subjects() {
        Ok(subjects) => subjects.iter().flat_map(tests_of).collect(),
        Err(error) => {
            let why = error.to_string();
            let failed = move |_: &TestCase| Err(why.clone().into());
            vec![Test::new("every::the_agents_are_known", failed)]
        }
    }
}

fn tests_of(subject: &AgentUnderTest) -> Vec<Test> {
    let agent = subject.agent;
    let checks = CHECKS.iter();
    let checks = checks.filter(|&&(name, _)| !LEFT_OUT.contains(&(agent, name)));
    let tests = checks.map(|&(name, check)| {
        let subject = subject.clone();
        Test::new(format!("every::{agent}::{name}"), move |case| {
            check(case, &subject)
        })
    });
    tests.collect()
}

/// The agents that both Becket and the lab support.
fn subjects() -> Result<Vec<AgentUnderTest>> {
    let nowhere = env!("CARGO_TARGET_TMPDIR");
    let output = Command::new(BECKET)
        .args(["agents", "--json"])
        .env_clear()
        .envs([("HOME", nowhere), ("BECKET_HOME", nowhere)])
        .output()?;
    let known: Value = serde_json::from_slice(&output.stdout)?;
    let known = known["agents"].as_array().ok_or("there is no list")?;
    let subject = |agent: Agent| {
        let it = known.iter().find(|it| it["id"] == agent.name())?;
        let can = it["can"].clone();
        Some(AgentUnderTest { agent, can })
    };
    Ok(Agent::ALL.into_iter().filter_map(subject).collect())
}
