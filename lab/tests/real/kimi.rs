//! Kimi Code CLI: its hooks are in its home only.

use becket_lab::Agent;
use becket_lab::harness::{Test, TestCase, TestResult};

use crate::every::hook_blocks_a_command;
use crate::kimi;
use crate::recorder::Level;

pub(crate) fn tests() -> Vec<Test> {
    becket_lab::tests![kimi::hook_in_the_home_blocks_a_command]
}

fn hook_in_the_home_blocks_a_command(case: &TestCase) -> TestResult {
    hook_blocks_a_command(case, Agent::Kimi, Level::Home)
}
