//! The real binary, from outside: its own HOME, its own state, scripted hooks.
#![allow(missing_docs, reason = "tests say what they prove in their names")]

mod bad_input;
mod changes;
mod codex;
mod context;
mod decisions;
mod doctor;
mod documents;
mod hook_processes;
mod hooks;
mod repeats;
mod robustness;
mod setup;
mod trail;
mod trust;
