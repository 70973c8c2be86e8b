//! The Model Context Protocol: agents search the record and the memories.
//!
//! [`McpServer`] handles the messages of one client, without a transport: text in, text out. [`http`] serves it over
//! HTTP. Memories come from a [`MemoryBackend`], recorded events from a [`RecordBackend`](crate::rpc::RecordBackend). All
//! results contain text that others wrote, and are labelled as data.

pub mod http;
mod memory;
mod recall_backend;
mod render;
mod server;
mod tools;

pub use memory::{
    ContextInput, MemoriesInput, MemoryBackend, RecordOnly, RememberInput, SearchInput,
};
pub use recall_backend::RecallBackend;
pub use server::{McpServer, PROTOCOL_VERSIONS};
