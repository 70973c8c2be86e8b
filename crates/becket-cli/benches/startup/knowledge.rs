//! A database with many memories and code chunks.

use std::path::Path;

use becket_recall::embed::{BuiltinModel, Embedder};
use becket_recall::search::QuantisedVector;
use becket_store::{
    CodeFile, MemoryKind, Millis, NewChunk, NewMemory, NewVector, Options, StoreWriter,
};

/// The number of memories, and of code chunks.
const EACH: usize = 10_000;

/// The subject of the benchmark's prompt.
pub(crate) const FACT: &str = "The cart rounds prices to whole cents before tax";

/// Fills a database with memories of a project, one of which is [`FACT`].
pub(crate) fn fill(database: &Path, project: &Path) {
    let project = project.to_str().expect("a path in UTF-8");
    let mut words = Words(0x9e37_79b9_7f4a_7c15);
    let mut writer = StoreWriter::open(database, Options::default()).expect("opened");
    for start in (0..EACH).step_by(2_500) {
        let mut group = writer.begin().expect("begun");
        for number in start..start + 2_500 {
            let id = format!("m{number}");
            let text = words.sentence(25);
            let bytes = vector(&text);
            let memory = NewMemory::new(&id, project, MemoryKind::Gotcha, &text, Millis(1));
            let added = group.add_memory(&memory, Some(by_builtin(&bytes)));
            added.expect("added");
            let text = words.sentence(120);
            let bytes = vector(&text);
            let path = format!("src/{}/{number}.rs", words.one());
            let file = CodeFile {
                path: &path,
                content_hash: &id,
                language: "rust",
                lines: 20,
                size: 1,
                changed: 1,
            };
            let chunk = NewChunk {
                start: 1,
                end: 20,
                name: None,
                kind: "function",
                text: &text,
                vector: Some(by_builtin(&bytes)),
            };
            let put = group.put_code_file(project, &file, &[chunk], Millis(1));
            put.expect("put");
        }
        group.commit().expect("committed");
    }
    let mut group = writer.begin().expect("begun");
    let bytes = vector(FACT);
    let fact = NewMemory::new("fact", project, MemoryKind::Gotcha, FACT, Millis(2));
    let added = group.add_memory(&fact, Some(by_builtin(&bytes)));
    added.expect("added");
    group.commit().expect("committed");
}

fn vector(text: &str) -> Vec<u8> {
    let vectors = BuiltinModel.embed(&[text]).expect("embedded");
    QuantisedVector::of(&vectors[0]).to_bytes()
}

fn by_builtin(bytes: &[u8]) -> NewVector<'_> {
    NewVector {
        model: BuiltinModel.id(),
        bytes,
    }
}

/// Invented words with a skewed frequency.
struct Words(u64);

impl Words {
    fn next(&mut self, below: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % below
    }

    fn one(&mut self) -> String {
        const SYLLABLES: [&str; 16] = [
            "ba", "ker", "lo", "mi", "nu", "pra", "ri", "so", "ta", "ven", "wo", "xi", "yel", "zu",
            "dra", "fen",
        ];
        // The minimum of two random numbers favours small ones.
        let number = self.next(8_000).min(self.next(8_000));
        let at = |shift: u32| SYLLABLES[usize::try_from((number >> shift) & 15).unwrap_or(0)];
        [at(0), at(4), at(8), at(12)].concat()
    }

    fn sentence(&mut self, length: usize) -> String {
        let words: Vec<String> = (0..length).map(|_| self.one()).collect();
        words.join(" ")
    }
}
