//! becket-agents

pub mod adapter;
pub mod claude;
pub mod config;
pub mod contract;
pub mod edit;
pub mod payload;
pub mod words;

pub use adapter::{Adapter, ParseError, Rendered, adapter, adapters};
