//! Memory and code search: embeddings, code chunking, hybrid search and context injection.
//!
//! [`embed`] turns texts into vectors. [`code`] splits files into chunks. [`search`] finds relevant texts and returns a
//! calibrated confidence. [`prompt_injection`] detects text that should not be stored without review. [`inject`] selects
//! the context for an agent. [`eval`] measures search quality.
//!
//! The data lives in `becket_store`. This crate contains no SQL, calls no language model and starts no process.
//!
//! Start at [`search::Recall`] and [`code::index`].

pub mod code;
pub mod embed;
pub mod eval;
pub mod inject;
pub mod prompt_injection;
pub mod search;
