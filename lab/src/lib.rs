//! Test only: real coding agents, headless, against a fake model on loopback.
//!
//! A test writes down what the model will say ([`scenario`]), opens a session of a real client in a
//! scratch repository ([`claude`]), and asserts on three things seen from outside: the files in the
//! repository, the client's own output, and what the client told the model ([`fake_model`]).
//!
//! Nothing here needs an account, a key or the internet, except [`install`], which brings the pinned
//! clients in with npm once. Where that cannot be done the error is [`Unavailable`] and the
//! [`harness`] counts the test as skipped, by name, rather than as passed.
//!
//! The crate knows nothing of Becket: a test puts the `becket` binary on the client's `PATH` itself.
//! Start at [`claude::Claude::ready`]; `tests/real.rs` is a worked example.

pub mod claude;
pub mod fake_model;
pub mod harness;
pub mod install;
pub mod process;
pub mod scenario;
pub mod settings;
pub mod tools;
pub mod workspace;

mod evidence;

pub use install::Unavailable;
