//! Becket with real coding agents: the lab's pinned clients, headless, against its fake model, connected by
//! `becket init`.
//!
//! Every test checks three independent observations: the files in the repository, the requests of the client to the
//! model, and the events that `becket tail` shows.
//!
//! ```text
//! cargo test -p becket-cli --test agents                  all tests
//! cargo test -p becket-cli --test agents -- --list        their names
//! cargo test -p becket-cli --test agents -- trust         tests with this word in their name
//! ```
//!
//! [`every`] has the tests of one hook file under every agent, [`claude`], [`cline`], [`codex`], [`copilot`] and [`qwen`]
//! those of one agent, [`telemetry`] those of the clients' own telemetry.
//!
//! `docs/reference/proven.md` lists the observed behaviour, and these tests compare with it. `BECKET_BLESS=1` updates it.
//!
//! `lab/README.md` lists the variables. If a client cannot be installed, its tests are skipped and the last lines of the
//! output say so.

mod claude;
mod cline;
mod codex;
mod copilot;
mod every;
mod proven;
mod qwen;
mod rig;
mod telemetry;

use std::process::ExitCode;

use becket_lab::harness;

fn main() -> ExitCode {
    let tests = [
        every::tests(),
        cline::tests(),
        codex::tests(),
        copilot::tests(),
        qwen::tests(),
        claude::tests(),
        telemetry::tests(),
    ];
    let code = harness::main(tests.into_iter().flatten().collect());
    proven::compare_with_document().unwrap_or(code)
}
