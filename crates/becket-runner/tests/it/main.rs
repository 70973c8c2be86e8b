//! The runner through its public API.

mod process;
