//! Mutation fuzzing: real samples, mutated at random, must not break a parser.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use crate::Dice;

/// A mutated sample is cut at this length.
const MAX_BYTES: usize = 20_000;

/// Mutates samples for `FUZZ_SECONDS` (one by default) and checks each. `pieces` are fragments with a meaning for the
/// parser. A failure prints the input and the seed, which `FUZZ_SEED` sets.
pub fn fuzz(target: &str, samples: &[Vec<u8>], pieces: &[&str], check: impl Fn(&[u8])) {
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let deadline = Instant::now() + Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(1));
    let seed = number("FUZZ_SEED").unwrap_or_else(|| u64::from(std::process::id()));
    let mut dice = Dice::new(seed);
    let mut rounds = 0_u64;
    while rounds == 0 || Instant::now() < deadline {
        let input = mutate(&mut dice, samples, pieces);
        let survived = catch_unwind(AssertUnwindSafe(|| check(&input))).is_ok();
        assert!(
            survived,
            "{target} broke (FUZZ_SEED={seed}, round {rounds}) on:\n{}",
            String::from_utf8_lossy(&input)
        );
        rounds += 1;
    }
}

fn mutate(dice: &mut Dice, samples: &[Vec<u8>], pieces: &[&str]) -> Vec<u8> {
    let mut bytes = dice.pick(samples).clone();
    for _ in 0..=dice.roll(6) {
        let at = dice.roll(bytes.len() + 1);
        match dice.roll(7) {
            0 if at < bytes.len() => bytes[at] = u8::try_from(dice.roll(256)).unwrap_or(0),
            1 => bytes.truncate(at),
            2 => drop(bytes.splice(at..at, dice.pick(pieces).bytes())),
            3 => {
                let end = (at + dice.roll(20)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let other = dice.pick(samples);
                let from = dice.roll(other.len() + 1);
                bytes.splice(at..at, other[from..].iter().copied().take(200));
            }
            5 => {
                let piece = dice.pick(pieces);
                bytes.splice(at..at, piece.repeat(dice.roll(300)).into_bytes());
            }
            _ => bytes.extend_from_within(at..),
        }
        bytes.truncate(MAX_BYTES);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mutations_depend_on_the_seed_alone_and_are_limited() {
        let samples = [b"{\"a\": 1}".to_vec(), vec![b'x'; MAX_BYTES]];
        let inputs = |seed| -> Vec<Vec<u8>> {
            let mut dice = Dice::new(seed);
            (0..50)
                .map(|_| mutate(&mut dice, &samples, &["{", "\\"]))
                .collect()
        };
        assert_eq!(inputs(1), inputs(1));
        assert_ne!(inputs(1), inputs(2));
        assert!(inputs(3).iter().all(|input| input.len() <= MAX_BYTES));
    }
}
