//! What Becket remembers: embeddings, the code of a project in pieces, and the search over both.
//!
//! [`embed`] turns texts into vectors, [`code`] files into pieces, [`search`] finds what is relevant and says how
//! sure it is, [`suspect`] tells what should not be remembered unseen, [`inject`] says what an agent is given,
//! [`eval`] measures how well. What is remembered stands in `becket_store`; nothing here says SQL, asks a model to
//! think, or starts a process.
//!
//! Start at [`search::Recall`] and [`code::index`].

pub mod code;
pub mod embed;
pub mod eval;
pub mod inject;
pub mod search;
pub mod suspect;
mod text;
