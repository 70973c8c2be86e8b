//! A model server on loopback that plays a scenario and remembers what it was told.
//!
//! It keeps no state between requests: the step to play is worked out from the conversation in each
//! request, so a client's retries and side requests do no harm. It refuses to guess: a scenario that
//! the client's tool table cannot express fails at [`FakeModel::start`], not in the middle of a run.
//!
//! The way of a request: `http` reads it, `server` routes it, a `protocol` understands it, `script`
//! chooses what to say, the protocol says it in its own words, and [`record`] has what happened.
//! Another wire protocol is another file beside `anthropic.rs` and another line in `protocol.rs`.

mod anthropic;
mod gemini;
mod http;
mod openai_chat;
mod openai_responses;
mod protocol;
pub mod record;
mod script;
mod server;

#[cfg(test)]
mod tests;

pub use record::{Exchange, Heard, Kind, Place, Position, Recorded, Reply, Told, ToolResult};
pub use script::NativeCall;
pub use server::{FakeModel, StartError};
