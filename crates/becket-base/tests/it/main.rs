//! Integration tests.
#![allow(missing_docs, reason = "tests say what they prove in their names")]

mod files;
mod purity;
