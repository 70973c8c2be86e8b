//! One hook file, unchanged, under every agent.
//!
//! The agents are those that both Becket (`becket agents --json`) and the lab have; one that joins
//! them is tested without a line here. What an agent is said to be able to do decides what is
//! expected of it, so these tests are those of the capability table, too. Start at [`hooks.toml`].
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
use becket_lab::harness::{Case, Test, TestResult};
use becket_lab::scenario::Scenario;
use serde_json::Value;

use crate::rig::{BECKET, Result, Rig};

/// The person's own hooks, the same for all.
const HOOKS: &str = include_str!("hooks.toml");

type Check = fn(&Case, &Subject) -> TestResult;

const CHECKS: &[(&str, Check)] = &[
    (
        "a_denied_command_does_not_run_and_the_model_is_told_why",
        decisions::a_denied_command_does_not_run_and_the_model_is_told_why,
    ),
    (
        "a_denied_write_leaves_no_file_and_the_model_is_told_why",
        decisions::a_denied_write_leaves_no_file_and_the_model_is_told_why,
    ),
    (
        "a_rewritten_command_is_what_runs_or_nothing_does",
        decisions::a_rewritten_command_is_what_runs_or_nothing_does,
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
        "a_stop_hook_that_blocks_keeps_the_agent_going_once",
        turns::a_stop_hook_that_blocks_keeps_the_agent_going_once,
    ),
    (
        "a_projects_hooks_run_only_once_trusted",
        project::a_projects_hooks_run_only_once_trusted,
    ),
    (
        "built_ins_log_stage_and_tell_what_the_turn_took",
        builtins::built_ins_log_stage_and_tell_what_the_turn_took,
    ),
    (
        "the_guard_stops_a_dangerous_command_and_says_what_to_do_instead",
        guard::the_guard_stops_a_dangerous_command_and_says_what_to_do_instead,
    ),
    (
        "the_guard_keeps_a_secret_file_from_the_model",
        guard::the_guard_keeps_a_secret_file_from_the_model,
    ),
    (
        "the_guard_answers_what_a_person_would_be_asked",
        guard::the_guard_answers_what_a_person_would_be_asked,
    ),
    (
        "without_an_answer_nobody_is_asked_and_nothing_runs",
        guard::without_an_answer_nobody_is_asked_and_nothing_runs,
    ),
    (
        "what_is_known_reaches_the_model_with_a_prompt_about_it",
        recall::what_is_known_reaches_the_model_with_a_prompt_about_it,
    ),
    (
        "what_is_known_of_a_file_reaches_the_model_once_it_was_written",
        recall::what_is_known_of_a_file_reaches_the_model_once_it_was_written,
    ),
    (
        "what_an_agent_did_is_kept_by_the_daemon_that_it_started",
        record::what_an_agent_did_is_kept_by_the_daemon_that_it_started,
    ),
    (
        "uninstall_leaves_nothing_and_nothing_is_recorded_any_more",
        setup::uninstall_leaves_nothing_and_nothing_is_recorded_any_more,
    ),
];

/// What a client cannot show, whatever Becket does.
const LEFT_OUT: &[(Agent, &str)] = &[
    // A refusal ends the run: `cline` has the tests of that.
    (
        Agent::Cline,
        "a_denied_command_does_not_run_and_the_model_is_told_why",
    ),
    (
        Agent::Cline,
        "a_denied_write_leaves_no_file_and_the_model_is_told_why",
    ),
    (
        Agent::Cline,
        "the_guard_stops_a_dangerous_command_and_says_what_to_do_instead",
    ),
    (Agent::Cline, "the_guard_keeps_a_secret_file_from_the_model"),
    // It gives up when it would have to ask.
    (
        Agent::Cline,
        "the_guard_answers_what_a_person_would_be_asked",
    ),
    // Headless it tells of no prompt, so nobody knows when a turn began.
    (
        Agent::Cline,
        "built_ins_log_stage_and_tell_what_the_turn_took",
    ),
    // Its extension for VS Code takes context there, its command line does not.
    (Agent::Cline, "context_at_session_start_reaches_the_model"),
    (Agent::Cline, "context_with_the_prompt_reaches_the_model"),
    (
        Agent::Cline,
        "what_is_known_reaches_the_model_with_a_prompt_about_it",
    ),
    // Where nobody can be asked it has no tools that change anything, and asks no hooks either.
    (
        Agent::Gemini,
        "the_guard_answers_what_a_person_would_be_asked",
    ),
    // It gives up when it would have to ask.
    (
        Agent::Goose,
        "the_guard_answers_what_a_person_would_be_asked",
    ),
    // `opencode run` refuses what it would ask about, without waiting for a plugin's answer.
    (
        Agent::OpenCode,
        "the_guard_answers_what_a_person_would_be_asked",
    ),
    // It asks hooks in another mode only: see `qwen`.
    (
        Agent::Qwen,
        "the_guard_answers_what_a_person_would_be_asked",
    ),
    (
        Agent::Goose,
        "without_an_answer_nobody_is_asked_and_nothing_runs",
    ),
    // The next prompt goes to a session that rests, and `opencode run` ends when the session does.
    (
        Agent::OpenCode,
        "a_stop_hook_that_blocks_keeps_the_agent_going_once",
    ),
];

/// An agent, with what Becket says of it.
#[derive(Debug, Clone)]
struct Subject {
    agent: Agent,
    can: Value,
}

/// How far an agent can do something, according to Becket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Can {
    Yes,
    Partly,
    No,
}

impl Subject {
    fn can(&self, what: &str) -> Result<Can> {
        match &self.can[what] {
            Value::String(word) if word == "yes" => Ok(Can::Yes),
            Value::String(word) if word == "no" => Ok(Can::No),
            Value::Object(why) if why.contains_key("partly") => Ok(Can::Partly),
            other => Err(format!("{}: {what}: {other}", self.agent).into()),
        }
    }

    /// The agent with the hooks of [`HOOKS`], connected.
    fn connected(&self, case: &Case, scenario: &Scenario) -> Result<Rig> {
        let mut rig = Rig::of(self.agent, case.dir(), scenario)?;
        rig.configure_with(HOOKS)?;
        rig.connect()?;
        Ok(rig)
    }
}

/// The tests, by names that begin with `every` and the agent's.
pub(crate) fn tests() -> Vec<Test> {
    match subjects() {
        Ok(subjects) => subjects.iter().flat_map(tests_of).collect(),
        Err(error) => {
            let why = error.to_string();
            let failed = move |_: &Case| Err(why.clone().into());
            vec![Test::new("every::the_agents_are_known", failed)]
        }
    }
}

fn tests_of(subject: &Subject) -> Vec<Test> {
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

/// The agents that Becket has an adapter for, of those that the lab has.
fn subjects() -> Result<Vec<Subject>> {
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
        Some(Subject { agent, can })
    };
    Ok(Agent::ALL.into_iter().filter_map(subject).collect())
}
