//! Quantised vectors: sign bits to find candidates, bytes to rescore them.
//!
//! There is no graph to build. Adding appends, and a scan over a hundred thousand vectors takes less than a millisecond.

/// A vector with one byte per dimension.
#[derive(Debug, Clone, PartialEq)]
pub struct QuantisedVector {
    /// The value of one step.
    pub scale: f32,
    /// The quantised values.
    pub values: Vec<i8>,
}

impl QuantisedVector {
    /// Quantises a unit vector or zeros.
    pub fn of(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(0_f32, |most, x| most.max(x.abs()));
        let scale = if largest > 0.0 { largest / 127.0 } else { 1.0 };
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most 127 by the choice of scale"
        )]
        let values = vector.iter().map(|x| (x / scale).round() as i8).collect();
        Self { scale, values }
    }

    /// The scale as four bytes, then the values.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.scale.to_le_bytes().to_vec();
        bytes.extend(self.values.iter().map(|x| x.cast_unsigned()));
        bytes
    }

    /// Parses the output of [`QuantisedVector::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, values) = bytes.split_first_chunk::<4>()?;
        let scale = f32::from_le_bytes(*scale);
        scale.is_finite().then(|| Self {
            scale,
            values: values.iter().map(|byte| byte.cast_signed()).collect(),
        })
    }
}

/// How many candidates are rescored.
const RESCORED: usize = 1000;

/// Vectors by slot.
#[derive(Debug, Clone, Default)]
pub(super) struct VectorIndex {
    pub(super) dimensions: usize,
    /// Sign bits, 64 per word, contiguous per slot.
    codes: Vec<u64>,
    pub(super) values: Vec<i8>,
    /// Zero for a slot without a vector.
    pub(super) scales: Vec<f32>,
}

impl VectorIndex {
    pub(super) fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            ..Self::default()
        }
    }

    fn words(&self) -> usize {
        self.dimensions.div_ceil(64)
    }

    pub(super) fn len(&self) -> usize {
        self.scales.len()
    }

    /// Adds the next slot; a vector of another length counts as missing.
    pub(super) fn push(&mut self, vector: Option<&QuantisedVector>) {
        match vector.filter(|vector| vector.values.len() == self.dimensions) {
            Some(vector) => self.push_values(vector.scale, &vector.values),
            None => {
                self.scales.push(0.0);
                self.values.extend((0..self.dimensions).map(|_| 0));
                self.codes.extend((0..self.words()).map(|_| 0));
            }
        }
    }

    fn push_values(&mut self, scale: f32, values: &[i8]) {
        self.scales.push(scale);
        self.values.extend_from_slice(values);
        self.codes.extend(values.chunks(64).map(|signs| {
            let bit = |(at, x): (usize, &i8)| u64::from(*x > 0) << at;
            signs
                .iter()
                .enumerate()
                .map(bit)
                .fold(0, |all, bit| all | bit)
        }));
    }

    pub(super) fn cosine(&self, query: &[f32], slot: usize) -> f32 {
        let mut sum = 0.0;
        self.cosines(query, &[slot], |_, cosine| sum = cosine);
        sum
    }

    /// The cosines of a query and several slots.
    pub(super) fn cosines(&self, query: &[f32], slots: &[usize], mut each: impl FnMut(usize, f32)) {
        pulp::Arch::new().dispatch(|| {
            for &slot in slots {
                let row = &self.values[slot * self.dimensions..][..self.dimensions];
                let (wide, rest) = row.as_chunks::<8>();
                let (query_wide, query_rest) = query.as_chunks::<8>();
                let mut sums = [0_f32; 8];
                for (row, query) in wide.iter().zip(query_wide) {
                    for at in 0..8 {
                        sums[at] += f32::from(row[at]) * query[at];
                    }
                }
                let rest = rest.iter().zip(query_rest).map(|(x, q)| f32::from(*x) * q);
                let sum = sums.iter().sum::<f32>() + rest.sum::<f32>();
                each(slot, sum * self.scales[slot]);
            }
        });
    }

    /// The nearest visible slots with their cosines, sorted by slot. Exact for small corpora.
    pub(super) fn nearest(&self, query: &[f32], passing: &[bool]) -> Vec<(usize, f32)> {
        if query.len() != self.dimensions || self.dimensions == 0 {
            return Vec::new();
        }
        let there = |slot: &usize| passing[*slot] && self.scales[*slot] != 0.0;
        let slots = (0..self.len()).filter(there);
        let slots: Vec<usize> = if passing.iter().filter(|one| **one).count() > 2 * RESCORED {
            self.candidates(query, there)
        } else {
            slots.collect()
        };
        let mut found = Vec::with_capacity(slots.len());
        self.cosines(query, &slots, |slot, cosine| found.push((slot, cosine)));
        found
    }

    /// The slots with the smallest Hamming distance.
    fn candidates(&self, query: &[f32], there: impl Fn(&usize) -> bool) -> Vec<usize> {
        let signs: Vec<i8> = query.iter().map(|x| i8::from(*x > 0.0)).collect();
        let mut code = Self::new(self.dimensions);
        code.push_values(1.0, &signs);
        let distances = self.distances(&code.codes);
        // A histogram of distances gives the cut-off.
        let mut at_distance = vec![0_usize; self.dimensions + 65];
        for (slot, distance) in distances.iter().enumerate() {
            at_distance[usize::from(*distance)] += usize::from(there(&slot));
        }
        let mut sum = 0;
        let limit = at_distance.iter().position(|count| {
            sum += count;
            sum >= RESCORED
        });
        let limit = limit.unwrap_or(usize::from(u16::MAX));
        let near = distances.iter().enumerate();
        near.filter(|(slot, distance)| usize::from(**distance) <= limit && there(slot))
            .map(|(slot, _)| slot)
            .take(4 * RESCORED)
            .collect()
    }

    /// The Hamming distance of each slot.
    fn distances(&self, code: &[u64]) -> Vec<u16> {
        let mut distances = vec![0_u16; self.len()];
        pulp::Arch::new().dispatch(|| {
            if let Ok(code) = <&[u64; 4]>::try_from(code) {
                // Unrolled for the built-in model.
                let (rows, _) = self.codes.as_chunks::<4>();
                for (row, distance) in rows.iter().zip(&mut distances) {
                    let differing = (row[0] ^ code[0]).count_ones()
                        + (row[1] ^ code[1]).count_ones()
                        + (row[2] ^ code[2]).count_ones()
                        + (row[3] ^ code[3]).count_ones();
                    *distance = narrow(differing);
                }
            } else {
                let rows = self.codes.chunks_exact(self.words().max(1));
                for (row, distance) in rows.zip(&mut distances) {
                    let differing = row.iter().zip(code).map(|(a, b)| (a ^ b).count_ones());
                    *distance = narrow(differing.sum::<u32>());
                }
            }
        });
        distances
    }

    /// A copy with only the slots in `keep`, renumbered.
    pub(super) fn compacted(&self, keep: &[Option<u32>]) -> Self {
        let mut out = Self::new(self.dimensions);
        for slot in (0..self.len()).filter(|slot| keep[*slot].is_some()) {
            let row = &self.values[slot * self.dimensions..][..self.dimensions];
            out.push_values(self.scales[slot], row);
        }
        out
    }

    /// Builds an index from a snapshot.
    pub(super) fn from_parts(dimensions: usize, scales: Vec<f32>, values: &[i8]) -> Option<Self> {
        if values.len() != scales.len().checked_mul(dimensions)? {
            return None;
        }
        let mut out = Self::new(dimensions);
        out.values.reserve_exact(values.len());
        for (slot, scale) in scales.iter().enumerate() {
            out.push_values(*scale, &values[slot * dimensions..][..dimensions]);
        }
        Some(out)
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "no vector has so many numbers"
)]
fn narrow(count: u32) -> u16 {
    count as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deterministic pseudo-random vectors.
    fn vectors(count: usize, dimensions: usize) -> Vec<Vec<f32>> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            #[expect(clippy::cast_precision_loss, reason = "any numbers do")]
            let x = (state >> 40) as f32 / (1 << 23) as f32 - 1.0;
            x
        };
        let one = |_| {
            let mut one: Vec<f32> = (0..dimensions).map(|_| next()).collect();
            let length = one.iter().map(|x| x * x).sum::<f32>().sqrt();
            for x in &mut one {
                *x /= length;
            }
            one
        };
        (0..count).map(one).collect()
    }

    fn index(all: &[Vec<f32>]) -> VectorIndex {
        let mut index = VectorIndex::new(all[0].len());
        for one in all {
            index.push(Some(&QuantisedVector::of(one)));
        }
        index
    }

    #[test]
    fn vector_bytes_round_trip() {
        let one = QuantisedVector::of(&vectors(1, 100)[0]);
        assert_eq!(QuantisedVector::from_bytes(&one.to_bytes()), Some(one));
        assert_eq!(QuantisedVector::from_bytes(&[1, 2]), None);
        assert_eq!(QuantisedVector::of(&[0.0, 0.0]).values, [0, 0]);
    }

    #[test]
    fn approximate_search_finds_nearest_neighbours() {
        for dimensions in [256, 100] {
            let all = vectors(5000, dimensions);
            let index = index(&all);
            let mut right = 0;
            for query in all.iter().step_by(250) {
                // A similar vector, as a question is similar to its answer.
                let query: Vec<f32> = query
                    .iter()
                    .zip(&all[7])
                    .map(|(a, b)| a + 0.7 * b)
                    .collect();
                let mut exact: Vec<usize> = (0..all.len()).collect();
                let cosine =
                    |slot: usize| -> f32 { all[slot].iter().zip(&query).map(|(a, b)| a * b).sum() };
                exact.sort_by(|a, b| cosine(*b).total_cmp(&cosine(*a)));
                let mut found = index.nearest(&query, &vec![true; all.len()]);
                found.sort_by(|(_, a), (_, b)| b.total_cmp(a));
                let found: Vec<usize> = found.iter().take(10).map(|(slot, _)| *slot).collect();
                right += exact[..10]
                    .iter()
                    .filter(|slot| found.contains(slot))
                    .count();
            }
            assert!(right >= 180, "{right} of 200 at {dimensions}");
        }
    }

    #[test]
    fn filtered_and_missing_vectors_are_not_found() {
        let all = vectors(3000, 64);
        let mut index = index(&all);
        index.push(None);
        let mut passing = vec![true; 3001];
        passing[5] = false;
        let found = index.nearest(&all[5], &passing);
        assert!(!found.is_empty());
        assert!(found.iter().all(|(slot, _)| *slot != 5 && *slot != 3000));
        assert!(index.nearest(&[1.0], &passing).is_empty());
    }
}
