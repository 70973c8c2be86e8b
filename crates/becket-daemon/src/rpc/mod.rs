//! JSON-RPC 2.0 for editors: notifications about agents' events, and queries.
//!
//! [`RpcSession`] handles one client without a transport: text in, text out. [`frame`] splits a byte stream into messages,
//! [`drive`] runs a session over channels, [`ws`] over a WebSocket. A session gets its data from [`SessionServices`]: the
//! record from a [`RecordBackend`], hooks from a [`HookAdmin`], pending permissions from [`Permissions`].
//!
//! The notifications have the methods and parameters that Autohand documents, for every agent; [`notifications()`] creates
//! them from a record. Invalid input never closes a connection: it is answered with an error.

mod backend;
pub mod drive;
pub mod frame;
pub(crate) mod message;
mod methods;
mod notifications;
pub(crate) mod params;
mod pending;
mod session;
mod store;
mod subscription;
pub mod ws;

pub use backend::{
    ActivityQuery, HookAdmin, HookSelector, HookTest, NoHookAdmin, NoPermissions, Permissions,
    RecordBackend, SearchQuery, ServiceError, ServiceErrorKind, SessionsQuery,
};
pub use notifications::{
    AUTOHAND_METHODS, EVENT_METHOD, EventMetrics, RpcNotification, notifications,
};
pub use pending::{
    EditorPermissions, PendingPermission, PendingPermissions, PermissionChoice, PermissionDecision,
    PermissionRequest,
};
pub use session::{RpcSession, SessionServices};
pub use store::StoreBackend;
pub use subscription::SubscriptionFilter;
