//! Learning as those who call it see it.

mod laws;
mod script;
mod sessions;
