//! Recall as the daemon sees it.

mod crashing;
mod endpoint;
mod ignoring;
mod indexing;
mod injecting;
mod laws;
mod quality;
mod searching;

use becket_recall::embed::{Builtin, Embedder};
use becket_recall::search::Quantised;
use becket_store::{MemoryKind, Millis, NewMemory, NewVector, Writer};

const SHOP: &str = "/home/ana/shop";
const BLOG: &str = "/home/ana/blog";

/// Keeps a memory with its vector.
fn remember(writer: &mut Writer, memory: &NewMemory<'_>) {
    let vectors = Builtin.embed(&[memory.text]).unwrap();
    let bytes = Quantised::of(&vectors[0]).to_bytes();
    let vector = NewVector {
        model: Builtin.id(),
        bytes: &bytes,
    };
    let mut group = writer.begin().unwrap();
    group.add_memory(memory, Some(vector)).unwrap();
    group.commit().unwrap();
}

fn gotcha<'m>(id: &'m str, project: &'m str, text: &'m str) -> NewMemory<'m> {
    NewMemory::new(id, project, MemoryKind::Gotcha, text, Millis(1_000))
}
