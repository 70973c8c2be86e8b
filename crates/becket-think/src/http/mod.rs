//! Outbound HTTP: one client for hooks and models, and the policy on where hooks may post to.

mod client;
mod guard;
mod headers;
mod hook;
mod proxy;
mod resolver;

pub(crate) use client::{BODY_LIMIT, Client, HttpError, Post, Reply};
pub use guard::{Names, Reach, SystemNames, reach};
pub(crate) use hook::HttpHook;
