//! The memory service for the command line, HTTP, MCP, JSON-RPC and context injection.
//!
//! [`MemoryService`] runs in the daemon. It owns the search indexes and updates them after writes and file changes; it
//! does nothing until there are memories. [`OfflineMemory`] handles the same requests without a daemon. Requests
//! ([`MemoryRequest`]) and responses ([`MemoryResponse`]) also go over the socket.
//!
//! A search is limited to one project and never returns memories of another.

mod edit;
mod embedding;
mod event_follower;
mod git_head;
mod indexing_runs;
mod offline;
mod operations;
mod request;
mod service;

use becket_base::fs::TEMPORARY_SUFFIX;
pub use embedding::EmbeddingStatus;
pub(crate) use embedding::{EmbeddingBackfill, start_backfill};
pub(crate) use event_follower::follow_events;
pub use git_head::head_commit;
pub use offline::{EmbedderFactory, OfflineMemory};
pub(crate) use operations::quarantine_reason;
pub use request::{
    ForgetResult, IndexingStatus, MAX_TEXT_CHARS, MemoryDetail, MemoryError, MemoryInput,
    MemoryListQuery, MemoryPatch, MemoryRequest, MemoryResponse, MemorySource, RecallHit,
    RecallQuery, RememberResult, SourceTurn,
};
pub use service::{BlockingMemoryClient, MemoryService};

/// The directory of the search indexes, below the state directory.
pub fn index_dir(state: &std::path::Path) -> std::path::PathBuf {
    state.join("recall")
}

/// Removes temporary files of processes that were killed while writing an index. They may hold forgotten text.
fn remove_partial_indexes(indexes: &std::path::Path) {
    let mine = format!(".{}{TEMPORARY_SUFFIX}", std::process::id());
    for entry in std::fs::read_dir(indexes).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.ends_with(TEMPORARY_SUFFIX) && !name.ends_with(&mine) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}
