//! The event pipeline: a payload in, a reply and a record out.

mod changes;
mod client_world;
mod decisions;
mod dedupe;
mod detached;
mod matcher_cache;
mod project_hooks;
mod session_state;
mod unreadable;
