//! The guard as its callers see it.

mod bash;
mod bounds;
mod corpus;
mod guard;
mod innocent;
mod json;
mod laws;
mod must_hold;
mod policy;
mod really;
mod samples;
mod secrets;
mod shell_laws;
mod understood;
