//! The built-in model: a static embedding table. The vector of a text is the mean over its word pieces.
//!
//! `tools/embedding/` documents how the table was trained.

use std::sync::LazyLock;

use super::wordpiece::Vocabulary;
use super::{EmbedError, Embedder, normalise};

const DIMENSIONS: usize = 256;

/// Maximum number of pieces of a text.
const MAX_PIECES: usize = 512;

static TABLE: &[u8] = include_bytes!("../../model/static-256.i8");
static SCALES: &[u8] = include_bytes!("../../model/static-256.scale.f32");
static VOCABULARY: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::parse(include_str!("../../model/vocab.txt")));

/// The built-in embedding model.
#[derive(Debug, Clone, Copy, Default)]
pub struct BuiltinModel;

impl Embedder for BuiltinModel {
    fn id(&self) -> &str {
        crate::search::BUILTIN_MODEL
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| encode(text)).collect())
    }
}

fn encode(text: &str) -> Vec<f32> {
    let ids = VOCABULARY.ids(text, MAX_PIECES);
    let mut sum = vec![0_f32; DIMENSIONS];
    pulp::Arch::new().dispatch(|| {
        for &id in &ids {
            let Some((row, scale)) = row(id) else {
                continue;
            };
            for (sum, byte) in sum.iter_mut().zip(row) {
                *sum += f32::from(byte.cast_signed()) * scale;
            }
        }
    });
    // The sum has the same direction as the mean.
    normalise(&mut sum);
    sum
}

fn row(id: u32) -> Option<(&'static [u8; DIMENSIONS], f32)> {
    let id = usize::try_from(id).ok()?;
    let (rows, _) = TABLE.as_chunks::<DIMENSIONS>();
    let (scales, _) = SCALES.as_chunks::<4>();
    Some((rows.get(id)?, f32::from_le_bytes(*scales.get(id)?)))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct Reference {
        text: String,
        ids: Vec<u32>,
        vector_head: Vec<f32>,
    }

    #[test]
    fn encoding_matches_the_reference() {
        let cases: Vec<Reference> =
            serde_json::from_str(include_str!("../../model/reference.json")).unwrap();
        for case in cases {
            assert_eq!(VOCABULARY.ids(&case.text, 512), case.ids, "{}", case.text);
            // The reference has five digits.
            for (got, expected) in encode(&case.text).iter().zip(&case.vector_head) {
                assert!(
                    (got - expected).abs() < 1e-5,
                    "{}: {got} {expected}",
                    case.text
                );
            }
        }
    }

    #[test]
    fn every_piece_has_a_row() {
        let lines = include_str!("../../model/vocab.txt").lines().count();
        assert_eq!(TABLE.len(), lines * DIMENSIONS);
        assert_eq!(SCALES.len(), lines * 4);
    }

    #[test]
    fn any_text_gives_a_unit_vector_or_zeros() {
        let long = "x".repeat(300_000);
        for text in [
            "",
            " \n",
            "\u{0}\u{7f}",
            "漢字",
            "👩‍👩‍👧",
            long.as_str(),
            "ß İ ﬁ",
        ] {
            let vector = encode(text);
            let length: f32 = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
            assert_eq!(vector.len(), DIMENSIONS);
            assert!(
                length == 0.0 || (length - 1.0).abs() < 1e-4,
                "{text:.10} {length}"
            );
        }
        assert_eq!(encode(""), vec![0.0; DIMENSIONS]);
    }
}
