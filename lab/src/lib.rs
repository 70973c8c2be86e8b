//! Runs real coding agents headless against a fake model on loopback. For tests only.
//!
//! A test scripts the model's answers ([`scenario`]), opens a session of a real client in a scratch repository ([`agent`],
//! [`session`]), and asserts on three observations from outside: the files in the repository, the client's output, and the
//! requests that the client sent to the model ([`fake_model`]).
//!
//! Nothing here needs an account, a key or the internet, except [`install`], which installs the pinned clients with npm
//! once. If that fails, the error is [`Unavailable`] and the [`harness`] reports the test as skipped, not as passed.
//!
//! The crate knows nothing of Becket: a test puts the `becket` binary on the client's `PATH`. Start at [`Agent::ready`];
//! `tests/real/` is a worked example.

pub mod agent;
pub mod clients;
pub mod fake_model;
pub mod harness;
pub mod install;
pub mod process;
pub mod scenario;
pub mod session;
pub mod settings;
pub mod tools;
pub mod workspace;

mod driver;
mod evidence;

pub use agent::{Agent, Client};
pub use clients::{claude, codex, copilot, gemini, opencode, qwen};
pub use install::Unavailable;
pub use session::{ClientSession, ClientTurn, Permissions};
