//! Seeded pseudo-random numbers.

/// A pseudo-random number generator (xorshift). The same seed gives the same numbers.
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// A generator for a seed.
    pub fn new(seed: u64) -> Self {
        // Zero would stay zero, and neighbouring seeds would begin alike.
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// An index below `sides`; 0 if `sides` is 0.
    pub fn roll(&mut self, sides: usize) -> usize {
        usize::try_from(self.below(sides as u64)).unwrap_or(0)
    }

    /// One of these.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }

    /// A number from 0 to 1, without 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits fit")]
    pub fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_gives_the_same_numbers_and_every_side_comes_up() {
        let rolls = |seed| -> Vec<usize> {
            let mut dice = Dice::new(seed);
            (0..200).map(|_| dice.roll(6)).collect()
        };
        assert_eq!(rolls(0), rolls(0));
        assert_ne!(rolls(0), rolls(1));
        for side in 0..6 {
            assert!(rolls(7).contains(&side));
        }
        let mut dice = Dice::new(1);
        assert_eq!((dice.roll(0), dice.below(1)), (0, 0));
        assert!((0.0..1.0).contains(&dice.share()));
    }
}
