//! What is remembered: one service for the command line, HTTP, MCP, JSON-RPC and whoever else asks.
//!
//! [`Remembering`] is the daemon's: it keeps the indexes, brings them up to date after what was kept and what files
//! changed, and does nothing until there is something to remember. [`Alone`] answers the same questions where no
//! daemon runs. What can be asked is [`Ask`], and [`Told`] the answer; both go over the socket.
//!
//! A question is about one project, and nothing of another is in its answer.

mod alone;
mod ask;
mod change;
mod commit;
mod embedding;
mod follow;
mod indexing;
mod service;
mod work;

pub use alone::{Alone, ModelOf};
pub use ask::{
    Ask, Change, Detail, Forgotten, Indexing, Item, MOST_TEXT, Note, Question, Remembered, Source,
    Told, TurnOf, Unanswered, Which,
};
pub use commit::head;
pub use embedding::Embedding;
pub(crate) use embedding::{Bringing, bring};
pub(crate) use follow::follow;
pub use service::{Asking, Remembering};
pub(crate) use work::suspected;

/// Where indexes are, below the state directory.
pub fn directory(state: &std::path::Path) -> std::path::PathBuf {
    state.join("recall")
}

/// Removes what a process that was killed while it wrote an index has left: it may hold what was forgotten since.
fn sweep(indexes: &std::path::Path) {
    let mine = format!(".{}.new", std::process::id());
    for entry in std::fs::read_dir(indexes).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(".new") && !name.ends_with(&mine) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
