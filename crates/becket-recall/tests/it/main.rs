//! Recall from the daemon's side.

mod crashing;
mod endpoint;
mod ignoring;
mod indexing;
mod injecting;
mod laws;
mod quality;
mod searching;

use becket_recall::embed::{BuiltinModel, Embedder};
use becket_recall::search::QuantisedVector;
use becket_store::{MemoryKind, Millis, NewMemory, NewVector, StoreWriter};

const SHOP: &str = "/home/ana/shop";
const BLOG: &str = "/home/ana/blog";

/// Stores a memory with its vector.
fn remember(writer: &mut StoreWriter, memory: &NewMemory<'_>) {
    let vectors = BuiltinModel.embed(&[memory.text]).unwrap();
    let bytes = QuantisedVector::of(&vectors[0]).to_bytes();
    let vector = NewVector {
        model: BuiltinModel.id(),
        bytes: &bytes,
    };
    let mut group = writer.begin().unwrap();
    group.add_memory(memory, Some(vector)).unwrap();
    group.commit().unwrap();
}

fn gotcha<'m>(id: &'m str, project: &'m str, text: &'m str) -> NewMemory<'m> {
    NewMemory::new(id, project, MemoryKind::Gotcha, text, Millis(1_000))
}
