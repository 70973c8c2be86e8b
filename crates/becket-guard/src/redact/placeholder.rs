//! What stands where a secret was: `[redacted:kind:hash]`.
//!
//! A placeholder is recognised and stepped over, so that redacting twice changes nothing.

use super::Kind;

const OPEN: &[u8] = b"[redacted:";
const HASH_DIGITS: usize = 6;
const LONGEST_LABEL: usize = 32;

/// Appends the placeholder for a secret with this hash.
pub(super) fn push(out: &mut String, kind: Kind, hash: blake3::Hash) {
    push_label(out, kind.label(), hash);
}

/// The same, for what is of no kind.
pub(super) fn push_label(out: &mut String, label: &str, hash: blake3::Hash) {
    out.push_str("[redacted:");
    out.push_str(label);
    out.push(':');
    out.push_str(&hash.to_hex()[..HASH_DIGITS]);
    out.push(']');
}

/// The end of the placeholder that starts at `at`, if one does.
pub(super) fn end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix(OPEN)?;
    let label = rest
        .iter()
        .take(LONGEST_LABEL)
        .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || **b == b'-')
        .count();
    let hash = rest.get(label..)?.strip_prefix(b":")?;
    let digits = hash.get(..HASH_DIGITS)?;
    let closed = hash.get(HASH_DIGITS) == Some(&b']');
    let well_formed = label > 0 && closed && digits.iter().all(u8::is_ascii_hexdigit);
    well_formed.then(|| at + OPEN.len() + label + 1 + HASH_DIGITS + 1)
}

/// Every placeholder in `text`.
pub(super) fn all(text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let starts = text.windows(OPEN.len()).enumerate();
    let starts = starts.filter(|(_, window)| *window == OPEN);
    starts
        .filter_map(|(at, _)| end(text, at).map(|end| at..end))
        .collect()
}

/// Whether a placeholder starts anywhere in `text`.
pub(super) fn within(text: &[u8]) -> bool {
    text.windows(OPEN.len()).any(|window| window == OPEN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_makes_a_placeholder_that_is_recognised() {
        for kind in Kind::ALL {
            let mut text = String::new();
            push(&mut text, *kind, blake3::hash(b"x"));
            assert_eq!(end(text.as_bytes(), 0), Some(text.len()), "{text}");
        }
    }

    #[test]
    fn what_only_resembles_a_placeholder_is_not_one() {
        for text in [
            "[redacted]",
            "[redacted:]",
            "[redacted:x]",
            "[redacted::abcdef]",
            "[redacted:x:abcde]",
            "[redacted:x:abcdeg]",
            "[redacted:x:abcdef",
            "[redacted:A B:abcdef]",
        ] {
            assert_eq!(end(text.as_bytes(), 0), None, "{text}");
        }
    }
}
