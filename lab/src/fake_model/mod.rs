//! A model server on loopback that plays a scenario and records all requests.
//!
//! It keeps no state between requests: it derives the step from the conversation in each request, so retries and side
//! requests do no harm. It never guesses: a scenario that the client's tool table cannot express fails at
//! [`FakeModel::start`], not in the middle of a run.
//!
//! A request passes `http` (read), `server` (route), a `protocol` (parse), `script` (select the answer), the protocol again
//! (render), and [`record`]. A new wire protocol is a new file next to `anthropic.rs` and a new line in `protocol.rs`.

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

pub use record::{
    MarkerSighting, ModelExchange, ModelReply, ParsedConversation, PromptPart, RecordedRequest,
    RequestKind, ScriptPosition, ToolResult,
};
pub use script::NativeCall;
pub use server::{FakeModel, StartError};
