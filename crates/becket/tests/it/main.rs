//! The library from outside, as its users see it.
#![allow(missing_docs, reason = "tests say what they prove in their names")]

mod command_hooks;
mod engine;
mod loading;
mod manager;
mod pipeline;
mod prompt;
mod samples;
mod trust;
