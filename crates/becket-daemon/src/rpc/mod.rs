//! JSON-RPC 2.0 for editors: what agents do as notifications, and questions about it.
//!
//! [`Session`] is one client's side of the conversation, without a transport: text in, text out.
//! [`frame`] cuts a stream of bytes into messages, [`drive`] runs a session over any pair of channels,
//! [`ws`] over a WebSocket. What a session knows it asks its [`Services`]: the stored record through
//! [`Backend`], configuration through [`Hooks`], waiting permissions through [`Permissions`].
//!
//! The notifications are Autohand's, methods and parameters as its document has them, for every agent;
//! [`notifications`] makes them from a record. Nothing here ends a connection because of what a client
//! said: bad input is answered with an error, and the next message is read.

mod backend;
pub mod drive;
pub mod frame;
pub(crate) mod message;
mod methods;
mod notify;
pub(crate) mod params;
mod pending;
mod session;
mod store;
mod subscription;
pub mod ws;

pub use backend::{
    ActivityQuery, Backend, Failure, FailureKind, HookName, HookTest, Hooks, NoHooks,
    NoPermissions, Permissions, SearchQuery, SessionsQuery,
};
pub use notify::{DOCUMENTED, Known, Notification, OTHER, notifications};
pub use pending::{Asked, Decided, Editor, Pending, Waiting, Word};
pub use session::{Services, Session};
pub use store::Store;
pub use subscription::Wanted;
