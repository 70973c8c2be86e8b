//! Redaction as its callers see it.

mod innocent;
mod json;
mod laws;
mod samples;
mod secrets;
