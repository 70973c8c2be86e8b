//! Integration tests of the agents: whole texts in, whole texts out.

mod config;
mod contract;
mod golden;
mod install;
#[cfg(unix)]
mod plugins;
