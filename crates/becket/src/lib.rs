//! One hooks system for every AI coding agent: the library to embed.
//!
//! - Write hooks in Rust: [`Hook`], [`HookManager`], [`FnHook`], [`CommandHook`].
//! - Run the hooks people have already, in every dialect: [`load`](load::load), then
//!   [`HookManager::register_specs`].
//! - Answer an agent: [`respond`](respond::respond) is the whole road from a payload to a reply.
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

/// The programs of the guide are programs.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guides/library.md")]
mod guide {}

mod changes;
pub mod env;
pub mod facts;
pub mod guard;
pub mod id;
pub mod load;
pub mod make;
pub mod project;
mod quick;
mod repeat;
pub mod respond;
pub mod state;
pub mod switches;
mod tell;
pub mod trial;
pub mod trust;

pub use becket_agents::{Adapter, Rendered, adapter, adapters};
pub use becket_model as model;
pub use becket_runner as runner;
pub use becket_runner::*;
pub use changes::changes;
pub use env::{EnvVars, Home, Vars};
pub use load::{Configuration, load};
pub use make::{Essentials, Maker};
pub use repeat::Settlement;
pub use respond::{Reply, Request, Response, respond};
pub use tell::{Open, Room, room};
