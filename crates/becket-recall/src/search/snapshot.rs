//! Snapshot files of a corpus index, so that it need not be rebuilt at every start.
//!
//! Files are written atomically and end with a hash. A file with a wrong hash, or of another model, project, database or
//! version, is ignored.

use std::fs;
use std::path::Path;

use becket_store::{CorpusKind, MemoryKind, MemoryStatus, Millis};

use super::corpus::{CorpusIndex, IndexedDoc, NameTable};
use super::inverted_index::{InvertedIndex, PostingList, read_varint, varint};
use super::vectors::VectorIndex;

const MAGIC: &[u8; 8] = b"BKTSHLF2";

/// Identifies the owner of a snapshot.
pub(super) struct SnapshotKey<'o> {
    pub(super) database: &'o str,
    pub(super) project: &'o str,
    pub(super) corpus: CorpusKind,
    pub(super) model: &'o str,
}

impl SnapshotKey<'_> {
    fn words(&self) -> [&str; 4] {
        [self.database, self.project, self.corpus.word(), self.model]
    }
}

/// Serializes an index.
pub(super) fn bytes(database: &str, project: &str, index: &CorpusIndex) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    let owner = SnapshotKey {
        database,
        project,
        corpus: index.corpus,
        model: &index.model,
    };
    for text in owner.words() {
        put_text(&mut bytes, text);
    }
    put_signed(&mut bytes, index.seq);
    put_docs(&mut bytes, index);
    put_words(&mut bytes, &index.inverted_index);
    put_vectors(&mut bytes, &index.vectors);
    let hash = blake3::hash(&bytes);
    bytes.extend_from_slice(hash.as_bytes());
    bytes
}

/// Loads a snapshot; `None` if it is missing or not usable.
pub(super) fn load(path: &Path, owner: &SnapshotKey<'_>, dimensions: usize) -> Option<CorpusIndex> {
    let bytes = fs::read(path).ok()?;
    let (body, hash) = bytes.split_last_chunk::<32>()?;
    if blake3::hash(body) != *hash {
        return None;
    }
    let mut rest = body.strip_prefix(MAGIC)?;
    for expected in owner.words() {
        if text(&mut rest)? != expected {
            return None;
        }
    }
    let mut index = CorpusIndex::new(owner.corpus, owner.model, dimensions);
    index.seq = signed(&mut rest)?;
    docs(&mut rest, &mut index)?;
    index.inverted_index = words(&mut rest)?;
    index.vectors = vectors(&mut rest)?;
    let slots = index.docs.len();
    let fits = index.inverted_index.lengths.len() == slots && index.vectors.len() == slots;
    (fits && index.vectors.dimensions == dimensions).then_some(index)
}

fn put_docs(bytes: &mut Vec<u8>, index: &CorpusIndex) {
    varint(bytes, index.names.all.len() as u64);
    for (name, terms) in index.names.all.iter().zip(&index.names.terms) {
        put_text(bytes, name);
        put_terms(bytes, terms);
    }
    varint(bytes, index.docs.len() as u64);
    for doc in &index.docs {
        put_signed(bytes, doc.pk);
        bytes.push(position(MemoryKind::ALL, doc.kind));
        bytes.push(position(MemoryStatus::ALL, Some(doc.status)));
        bytes.push(u8::from(doc.is_alive));
        put_signed(bytes, doc.created.0);
        put_signed(bytes, doc.expires.map_or(i64::MAX, |end| end.0));
        varint(bytes, doc.agent.map_or(0, |agent| u64::from(agent) + 1));
        varint(bytes, doc.files.len() as u64);
        for file in &doc.files {
            varint(bytes, u64::from(*file));
        }
        put_terms(bytes, &doc.title);
        bytes.extend_from_slice(&doc.name.to_le_bytes());
    }
}

fn docs(rest: &mut &[u8], index: &mut CorpusIndex) -> Option<()> {
    let mut names = NameTable::default();
    for _ in 0..read_varint(rest)? {
        let name = text(rest)?.into();
        names.add(name, terms(rest)?);
    }
    let known = |number: u64| -> Option<u32> {
        let number = u32::try_from(number).ok()?;
        ((number as usize) < names.all.len()).then_some(number)
    };
    for _ in 0..count(rest)? {
        let pk = signed(rest)?;
        let kind = byte(rest)?;
        let kind = MemoryKind::ALL.get(usize::from(kind)).copied();
        let status = MemoryStatus::ALL.get(usize::from(byte(rest)?)).copied()?;
        let alive = byte(rest)? == 1;
        let created = Millis(signed(rest)?);
        let expires = Some(signed(rest)?)
            .filter(|end| *end != i64::MAX)
            .map(Millis);
        let agent = match read_varint(rest)? {
            0 => None,
            number => Some(known(number - 1)?),
        };
        let mut files = Vec::new();
        for _ in 0..read_varint(rest)? {
            files.push(known(read_varint(rest)?)?);
        }
        let title = terms(rest)?;
        let (name, more) = rest.split_first_chunk::<4>()?;
        let name = u32::from_le_bytes(*name);
        *rest = more;
        index.docs.push(IndexedDoc {
            pk,
            kind,
            status,
            files: files.into(),
            agent,
            created,
            expires,
            title,
            name,
            is_alive: alive,
        });
    }
    index.names = names;
    index.renumber();
    Some(())
}

fn put_terms(bytes: &mut Vec<u8>, terms: &[u32]) {
    varint(bytes, terms.len() as u64);
    for term in terms {
        bytes.extend_from_slice(&term.to_le_bytes());
    }
}

fn terms(rest: &mut &[u8]) -> Option<Box<[u32]>> {
    let length = usize::try_from(read_varint(rest)?).ok()?;
    let (terms, _) = take(rest, length.checked_mul(4)?)?.as_chunks::<4>();
    Some(terms.iter().map(|four| u32::from_le_bytes(*four)).collect())
}

fn put_words(bytes: &mut Vec<u8>, words: &InvertedIndex) {
    varint(bytes, words.lengths.len() as u64);
    for length in &words.lengths {
        varint(bytes, u64::from(*length));
    }
    varint(bytes, words.ids.len() as u64);
    for (term, id) in &words.ids {
        let list = &words.lists[*id as usize];
        put_text(bytes, term);
        varint(bytes, u64::from(list.last));
        varint(bytes, u64::from(list.count));
        varint(bytes, list.bytes.len() as u64);
        bytes.extend_from_slice(&list.bytes);
    }
}

fn words(rest: &mut &[u8]) -> Option<InvertedIndex> {
    let mut words = InvertedIndex::default();
    for _ in 0..count(rest)? {
        let length = u32::try_from(read_varint(rest)?).ok()?;
        words.lengths.push(length);
        words.total += u64::from(length);
    }
    let terms = count(rest)?;
    words.ids.reserve(terms);
    for id in 0..terms {
        let term = text(rest)?;
        let last = u32::try_from(read_varint(rest)?).ok()?;
        let count = u32::try_from(read_varint(rest)?).ok()?;
        let length = usize::try_from(read_varint(rest)?).ok()?;
        let bytes = take(rest, length)?.to_vec();
        words.ids.insert(term.into(), u32::try_from(id).ok()?);
        words.lists.push(PostingList { bytes, last, count });
    }
    Some(words)
}

fn put_vectors(bytes: &mut Vec<u8>, vectors: &VectorIndex) {
    varint(bytes, vectors.dimensions as u64);
    varint(bytes, vectors.scales.len() as u64);
    for scale in &vectors.scales {
        bytes.extend_from_slice(&scale.to_le_bytes());
    }
    bytes.extend(vectors.values.iter().map(|x| x.cast_unsigned()));
}

fn vectors(rest: &mut &[u8]) -> Option<VectorIndex> {
    let dimensions = usize::try_from(read_varint(rest)?).ok()?;
    let slots = usize::try_from(read_varint(rest)?).ok()?;
    let (scales, _) = take(rest, slots.checked_mul(4)?)?.as_chunks::<4>();
    let scales = scales
        .iter()
        .map(|four| f32::from_le_bytes(*four))
        .collect();
    let values = take(rest, slots.checked_mul(dimensions)?)?;
    let values: Vec<i8> = values.iter().map(|byte| byte.cast_signed()).collect();
    VectorIndex::from_parts(dimensions, scales, &values)
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    varint(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

fn text<'b>(rest: &mut &'b [u8]) -> Option<&'b str> {
    let length = usize::try_from(read_varint(rest)?).ok()?;
    str::from_utf8(take(rest, length)?).ok()
}

fn put_signed(bytes: &mut Vec<u8>, number: i64) {
    bytes.extend_from_slice(&number.to_le_bytes());
}

fn signed(rest: &mut &[u8]) -> Option<i64> {
    let (eight, more) = rest.split_first_chunk::<8>()?;
    *rest = more;
    Some(i64::from_le_bytes(*eight))
}

fn byte(rest: &mut &[u8]) -> Option<u8> {
    let (byte, more) = rest.split_first()?;
    *rest = more;
    Some(*byte)
}

/// A count of items that take at least one byte each, which bounds allocations.
fn count(rest: &mut &[u8]) -> Option<usize> {
    let count = usize::try_from(read_varint(rest)?).ok()?;
    (count <= rest.len()).then_some(count)
}

fn take<'b>(rest: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, more) = rest.split_at_checked(length)?;
    *rest = more;
    Some(taken)
}

/// The position of a value in a list; past its end if it is missing.
fn position<T: PartialEq>(all: &[T], one: Option<T>) -> u8 {
    let at = one.and_then(|one| all.iter().position(|other| *other == one));
    u8::try_from(at.unwrap_or(all.len())).unwrap_or(u8::MAX)
}
