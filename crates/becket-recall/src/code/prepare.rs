//! A file, read, taken apart and made ready for the store.

use std::borrow::Cow;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicBool, Ordering};

use becket_guard::redact;
use becket_store::{CodeFile, Group, Millis, NewChunk, NewVector};

use super::chunk::{Chunk, chunk};
use super::language::Language;
use super::refuse::{self, Refusal};
use super::walk::Candidate;
use crate::embed::{Embedder, composed};
use crate::search::Quantised;

/// A model that is not asked again after it has failed: it would be waited for at every file. What it owes is made
/// later.
pub(super) struct Failing<'m> {
    model: &'m dyn Embedder,
    failed: AtomicBool,
}

impl<'m> Failing<'m> {
    pub(super) fn new(model: &'m dyn Embedder) -> Self {
        Self {
            model,
            failed: AtomicBool::new(false),
        }
    }

    pub(super) fn id(&self) -> &str {
        self.model.id()
    }

    pub(super) fn is_far(&self) -> bool {
        self.model.is_far()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<u8>>, String> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        if self.failed.load(Ordering::Relaxed) {
            return Err("the model has failed before".to_owned());
        }
        let vectors = self.model.embed_quantised(texts).map_err(|error| {
            self.failed.store(true, Ordering::Relaxed);
            error.to_string()
        })?;
        Ok(vectors.iter().map(Quantised::to_bytes).collect())
    }
}

/// A file that was read and taken apart.
pub(super) struct Prepared {
    hash: String,
    language: Language,
    pub(super) lines: usize,
    pub(super) chunks: Vec<Chunk>,
    vectors: Vec<Vec<u8>>,
    pub(super) unembedded: Option<String>,
}

/// Reads a file that was a plain one a moment ago; a link that has taken its place is not followed.
pub(super) fn read(file: &Candidate) -> std::io::Result<Result<String, Refusal>> {
    let mut options = std::fs::OpenOptions::new();
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let opened = options
        .read(true)
        .custom_flags(flags)
        .open(&file.absolute)?;
    let mut bytes = Vec::with_capacity(usize::try_from(file.size).unwrap_or_default());
    // It may have grown since.
    opened
        .take(refuse::MOST_BYTES + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > refuse::MOST_BYTES {
        return Ok(Err(Refusal::Huge));
    }
    Ok(refuse::by_content(bytes))
}

pub(super) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Takes a file apart. Its pieces have no vectors yet.
pub(super) fn prepare(path: &str, text: &str, hash: String) -> Prepared {
    let language = Language::of(path, text);
    let text = without_secrets(text);
    Prepared {
        hash,
        language,
        lines: text.lines().count(),
        chunks: chunk(language, &text),
        vectors: Vec::new(),
        unembedded: None,
    }
}

/// Gives the pieces of files their vectors, with one question for all of them.
pub(super) fn embed<'p>(
    files: impl IntoIterator<Item = (&'p str, &'p mut Prepared)>,
    model: &Failing<'_>,
) {
    let mut files: Vec<_> = files.into_iter().collect();
    let texts: Vec<String> = files
        .iter()
        .flat_map(|(path, file)| file.chunks.iter().map(|chunk| for_model(path, chunk)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    match model.embed(&texts) {
        Ok(vectors) => {
            let mut vectors = vectors.into_iter();
            for (_, file) in &mut files {
                file.vectors = vectors.by_ref().take(file.chunks.len()).collect();
            }
        }
        Err(why) => {
            for (_, file) in &mut files {
                file.unembedded = Some(why.clone());
            }
        }
    }
}

/// The text without its secrets, line by line where it was. In pieces, half a secret would not be known for one.
fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    // Without what stood beside it, another may come to light.
    for _ in 0..4 {
        let found = redact::find(&text);
        if found.is_empty() {
            break;
        }
        let mut out = String::with_capacity(text.len());
        let mut from = 0;
        for one in found {
            out.push_str(&text[from..one.range.start]);
            out.push_str("[redacted]");
            let lines = text[one.range.clone()].matches('\n');
            out.extend(lines);
            from = one.range.end;
        }
        out.push_str(&text[from..]);
        text = Cow::Owned(out);
    }
    text
}

fn for_model(path: &str, chunk: &Chunk) -> String {
    let name = chunk.name.as_deref().unwrap_or_default();
    composed(&format!("{path} {name}"), &chunk.text)
}

pub(super) fn put(
    group: &mut Group<'_>,
    project: &str,
    file: &Candidate,
    prepared: &Prepared,
    model: &str,
) -> Result<(), becket_store::Error> {
    let row = CodeFile {
        path: &file.path,
        content_hash: &prepared.hash,
        language: prepared.language.name(),
        lines: u32::try_from(prepared.lines).unwrap_or(u32::MAX),
        size: file.size,
        changed: file.changed,
    };
    let chunks: Vec<NewChunk<'_>> = prepared
        .chunks
        .iter()
        .enumerate()
        .map(|(at, chunk)| NewChunk {
            start: chunk.start,
            end: chunk.end,
            name: chunk.name.as_deref(),
            kind: chunk.kind,
            text: &chunk.text,
            vector: prepared
                .vectors
                .get(at)
                .map(|bytes| NewVector { model, bytes }),
        })
        .collect();
    group.put_code_file(project, &row, &chunks, Millis::now())
}
