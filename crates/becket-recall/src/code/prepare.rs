//! Reads, chunks and embeds a file for the store.

use std::borrow::Cow;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::sync::atomic::{AtomicBool, Ordering};

use becket_guard::redact;
use becket_store::{CodeFile, Millis, NewChunk, NewVector, WriteTransaction};

use super::chunk::{Chunk, chunk};
use super::language::Language;
use super::skip::{self, SkipReason};
use super::walk::CandidateFile;
use crate::embed::{Embedder, embedding_text};
use crate::search::QuantisedVector;

/// A model that is not called again after a failure, since every file would wait for it. The backfill computes missing
/// vectors later.
pub(super) struct FailFastEmbedder<'m> {
    model: &'m dyn Embedder,
    failed: AtomicBool,
}

impl<'m> FailFastEmbedder<'m> {
    pub(super) fn new(model: &'m dyn Embedder) -> Self {
        Self {
            model,
            failed: AtomicBool::new(false),
        }
    }

    pub(super) fn id(&self) -> &str {
        self.model.id()
    }

    pub(super) fn is_remote(&self) -> bool {
        self.model.is_remote()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<u8>>, String> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        if self.failed.load(Ordering::Relaxed) {
            return Err("the model failed earlier".to_owned());
        }
        let vectors = self.model.embed_quantised(texts).map_err(|error| {
            self.failed.store(true, Ordering::Relaxed);
            error.to_string()
        })?;
        Ok(vectors.iter().map(QuantisedVector::to_bytes).collect())
    }
}

/// A file in chunks.
pub(super) struct PreparedFile {
    hash: String,
    language: Language,
    pub(super) lines: usize,
    pub(super) chunks: Vec<Chunk>,
    vectors: Vec<Vec<u8>>,
    pub(super) unembedded: Option<String>,
}

/// Reads a file without following links, since a link may have replaced the file.
pub(super) fn read(file: &CandidateFile) -> std::io::Result<Result<String, SkipReason>> {
    let mut options = std::fs::OpenOptions::new();
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let opened = options
        .read(true)
        .custom_flags(flags)
        .open(&file.absolute)?;
    let mut bytes = Vec::with_capacity(usize::try_from(file.size).unwrap_or_default());
    // The file may have grown.
    opened
        .take(skip::MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > skip::MAX_FILE_BYTES {
        return Ok(Err(SkipReason::Huge));
    }
    Ok(skip::by_content(bytes))
}

pub(super) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Splits a file into chunks without vectors.
pub(super) fn prepare(path: &str, text: &str, hash: String) -> PreparedFile {
    let language = Language::of(path, text);
    let text = without_secrets(text);
    PreparedFile {
        hash,
        language,
        lines: text.lines().count(),
        chunks: chunk(language, &text),
        vectors: Vec::new(),
        unembedded: None,
    }
}

/// Embeds the chunks of several files with one request.
pub(super) fn embed<'p>(
    files: impl IntoIterator<Item = (&'p str, &'p mut PreparedFile)>,
    model: &FailFastEmbedder<'_>,
) {
    let mut files: Vec<_> = files.into_iter().collect();
    let texts: Vec<String> = files
        .iter()
        .flat_map(|(path, file)| file.chunks.iter().map(|chunk| embedding_input(path, chunk)))
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

/// Redacts secrets and keeps line numbers. This must happen before chunking: half a secret would not be recognised.
fn without_secrets(text: &str) -> Cow<'_, str> {
    let mut text = Cow::Borrowed(text);
    // Redacting one secret may reveal another.
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

fn embedding_input(path: &str, chunk: &Chunk) -> String {
    let name = chunk.name.as_deref().unwrap_or_default();
    embedding_text(&format!("{path} {name}"), &chunk.text)
}

pub(super) fn store_file(
    group: &mut WriteTransaction<'_>,
    project: &str,
    file: &CandidateFile,
    prepared: &PreparedFile,
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
