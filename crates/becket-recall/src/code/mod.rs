//! The code of a project, in pieces that make sense by themselves.
//!
//! [`index`] walks a project and brings the store up to date; [`index_file`] does so for one file. [`chunk()`] takes a
//! text apart: by definition, with the comment that stands before it, where there is a grammar, and by lines
//! elsewhere. Every line of a file is in a piece, and no definition is in two.
//!
//! Nothing here follows a link out of the project or reads what holds secrets ([`Refusal`] lists what is left out).

mod chunk;
mod define;
mod grammar;
mod index;
mod language;
mod lines;
mod outline;
mod prepare;
mod refuse;
mod single;
mod walk;

pub use chunk::{Chunk, chunk};
pub use index::{IndexError, IndexProgress, Indexed, index};
pub use language::Language;
pub use refuse::Refusal;
pub use single::{FileOutcome, index_file};
