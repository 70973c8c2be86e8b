//! Runs hooks: the [`Hook`] trait, the [`HookManager`], command and prompt hooks, deadlines.
//!
//! One engine ([`engine::run`]) serves both the library's users and the hook client. The runner does not know which
//! agent fired an event; it looks up the contract of a hook's dialect in `becket_agents::contract`. It prints
//! nothing and never exits the process. Start at [`HookManager`].

pub mod command;
mod detached;
pub mod engine;
mod error;
mod execution;
mod hook;
mod hook_config;
mod hooks_engine;
mod input;
mod manager;
mod output;
pub mod process;
pub mod prompt;
mod rule;

pub use command::CommandHook;
pub use error::{Error, Result};
pub use execution::ExecutionContext;
pub use hook::{ConfiguredHook, FnHook, Hook, HookEvent};
pub use hook_config::{
    HookConfig, HookConfigParser, HookDefinition, HookMatcher, HookMerger, ValidationResult,
};
pub use hooks_engine::{HookDecision, HookResult, HooksEngine, IndividualHookResult};
pub use input::{EMBEDDED, HookContext, HookEventData, HookInput, ToolOutput, payload};
pub use manager::HookManager;
pub use output::HookOutput;
pub use process::{ExecutionResult, ScriptExecutor};
pub use prompt::{PromptHook, PromptModel};
pub use rule::{HookAction, HookRule};
pub use tokio_util::sync::CancellationToken;
