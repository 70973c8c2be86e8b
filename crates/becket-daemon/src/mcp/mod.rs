//! The Model Context Protocol: agents ask what was done and said, and what was learnt.
//!
//! [`Server`] is one client's side of the conversation, without a transport: text in, text out.
//! [`http`] is the same over HTTP. What is remembered comes through [`Memory`]; what was recorded
//! through [`Backend`](crate::rpc::Backend). Everything that a tool gives back is text that others wrote, and is
//! said to be.

pub mod http;
mod memory;
mod recalling;
mod server;
mod text;
mod tools;

pub use memory::{ContextQuery, MemoriesQuery, Memory, RecordOnly, Remembered, SearchIn};
pub use recalling::Recalling;
pub use server::{Server, VERSIONS};
