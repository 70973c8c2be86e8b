//! One hooks system for every AI coding agent: the library to embed.
//!
//! - Write hooks in Rust: [`Hook`], [`HookManager`], [`FnHook`], [`CommandHook`].
//! - Run the hooks that people already have, in every dialect: [`load`](load::load), then
//!   [`HookManager::register_specs`].
//! - Answer an agent: [`respond`] is the whole pipeline from a payload to a reply.
//!
//! The library does not know the terminal, the daemon or the database. Start at [`pipeline`] to follow an event, at
//! [`HookManager`] to embed hooks.
//!
//! ```
//! use becket::{FnHook, HookContext, HookEvent, HookInput, HookManager, HookOutput};
//!
//! # futures_lite::future::block_on(async {
//! let mut manager = HookManager::new();
//! manager.register(FnHook::new("no-prod", [HookEvent::PreToolUse], |input, _ctx| async move {
//!     let production = input.data.tool_input().is_some_and(|input| input.to_string().contains("prod"));
//!     Ok(if production { HookOutput::block("not in production") } else { HookOutput::allow() })
//! }));
//! let input = HookInput::pre_tool_use("s", "Bash", serde_json::json!({"command": "deploy prod"}));
//! let output = manager.execute(HookEvent::PreToolUse, input, &HookContext::new("s")).await?;
//! assert_eq!(output.stop_reason.as_deref(), Some("not in production"));
//! # Ok::<(), becket::Error>(()) }).unwrap();
//! ```

/// Compiles and runs the examples of the guide as doctests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/library.md")]
mod guide {}

mod changes;
pub mod env;
pub mod factory;
pub mod facts;
pub mod guard;
pub mod id;
mod inject;
pub mod load;
pub mod pipeline;
pub mod project;
pub mod state;
pub mod switches;
pub mod trial;
pub mod trust;

pub use becket_agents::{Adapter, Rendered, adapter, adapters};
pub use becket_model as model;
pub use becket_runner as runner;
pub use becket_runner::*;
pub use changes::changes;
pub use env::{EnvVars, Home, Vars};
pub use factory::{CoreHooks, HookFactory};
pub use inject::{Availability, InjectionPoint, availability};
pub use load::{Configuration, load};
pub use pipeline::{NeedsFullBinary, PendingDecision, Request, Response, respond};
