//! Splits the code of a project into chunks and indexes it.
//!
//! [`index`] updates a whole project, [`index_file`] a single file. [`chunk()`] splits a text by definition, including the
//! comment before it, if there is a grammar; otherwise by lines. Every line is in a chunk, and no definition is in two.
//!
//! Links out of the project are not followed, and files with secrets are not read. [`SkipReason`] lists what is skipped.

mod chunk;
mod definitions;
mod grammar;
mod index;
mod language;
mod lines;
mod outline;
mod prepare;
mod single_file;
mod skip;
mod walk;

pub use chunk::{Chunk, chunk};
pub use index::{IndexError, IndexProgress, IndexReport, index};
pub use language::Language;
pub use single_file::{FileOutcome, index_file};
pub use skip::SkipReason;
