//! Outbound HTTP: the client for hooks and models, and the SSRF policy for hooks.

mod client;
mod headers;
mod hook;
mod proxy;
mod resolver;
mod ssrf;

pub(crate) use client::{BODY_LIMIT, HttpClient, HttpError, HttpRequest, HttpResponse};
pub(crate) use hook::HttpHook;
pub use ssrf::{AddressClass, HostResolver, SystemResolver, classify_address};
