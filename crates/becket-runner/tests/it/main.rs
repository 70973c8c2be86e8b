//! The runner, from outside.

mod process;
