//! `becket rpc` and `becket mcp` with the client libraries of editors and agents, pinned in `lab/clients.json`.
//!
//! If one cannot be installed, its tests are skipped and the last lines of the output say so.

mod mcp;
mod rig;
mod rpc;

use std::process::ExitCode;

use becket_lab::harness::Test;

fn main() -> ExitCode {
    let mut tests = becket_lab::tests![
        rpc::an_editor_hears_of_a_session_and_asks_about_it,
        rpc::an_editor_hears_the_same_through_a_daemon,
        rpc::the_example_shows_a_session_and_goes_on_where_it_was,
        mcp::an_agent_asks_over_stdio,
        mcp::an_agent_asks_over_http,
    ];
    for (agent, expected) in mcp::AGENTS {
        let name = format!("mcp::{agent}_finds_the_server");
        tests.push(Test::new(name, move |case| {
            mcp::an_agent_finds_the_server(case, agent, expected)
        }));
    }
    becket_lab::harness::main(tests)
}
