//! The real binary, from outside: its own HOME, its own state, scripted hooks.
#![allow(missing_docs, reason = "tests say what they prove in their names")]

mod bad_input;
mod builtins;
mod changes;
mod codex;
mod context;
mod dashboard;
mod decisions;
mod doctor;
mod documents;
mod editor;
mod flood;
mod hand_over;
mod hook_processes;
mod hooks;
mod judging;
mod killed;
mod protocols;
mod records;
mod repeats;
mod robustness;
mod server;
mod servers;
mod setup;
mod soak;
mod thinking;
mod trail;
mod trust;
mod wake;
