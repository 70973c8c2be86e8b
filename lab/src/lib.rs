//! Test only: real coding agents, headless, against a fake model on loopback.
//!
//! A test writes down what the model will say ([`scenario`]), opens a session of a real client in a
//! scratch repository ([`agent`], [`session`]), and asserts on three things seen from outside: the
//! files in the repository, the client's own output, and what the client told the model
//! ([`fake_model`]).
//!
//! Nothing here needs an account, a key or the internet, except [`install`], which brings the pinned
//! clients in with npm once. Where that cannot be done the error is [`Unavailable`] and the
//! [`harness`] counts the test as skipped, by name, rather than as passed.
//!
//! The crate knows nothing of Becket: a test puts the `becket` binary on the client's `PATH` itself.
//! Start at [`Agent::ready`]; `tests/real/` is a worked example.

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
pub use session::{Permissions, Session, Turn};
