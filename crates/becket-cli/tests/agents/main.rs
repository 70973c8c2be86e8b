//! Becket with real coding agents: the pinned client of the lab, headless, against its fake model,
//! with Becket connected by `becket init`.
//!
//! Every test looks from outside, at three witnesses that do not know each other: what happened in
//! the repository, what the client told the model, and what `becket tail` has on record.
//!
//! ```text
//! cargo test -p becket-cli --test agents                  all of them
//! cargo test -p becket-cli --test agents -- --list        their names
//! cargo test -p becket-cli --test agents -- trust         those with a word in their name
//! ```
//!
//! [`every`] has the tests of one hook file under every agent, [`claude`], [`cline`], [`codex`],
//! [`copilot`] and [`qwen`] those of one agent, [`telemetry`] what clients export themselves.
//!
//! What was seen to work is `docs/reference/proven.md`, which these tests hold to: `BECKET_BLESS=1`
//! writes what this run has seen there.
//!
//! `lab/README.md` has the variables. Where a client cannot be had, its tests are skipped and the
//! last lines of the output say so.

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
    proven::conclude().unwrap_or(code)
}
