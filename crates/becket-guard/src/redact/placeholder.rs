//! Placeholders for secrets: `[redacted:kind:hash]`.
//!
//! Existing placeholders are recognized and skipped, so redaction is idempotent.

use super::RedactionKind;

const OPEN: &[u8] = b"[redacted:";
const HASH_DIGITS: usize = 6;
const MAX_LABEL: usize = 32;

/// Appends the placeholder for a secret with this hash.
pub(super) fn push(out: &mut String, kind: RedactionKind, hash: blake3::Hash) {
    push_label(out, kind.label(), hash);
}

/// Appends a placeholder with a label that is not a [`RedactionKind`].
pub(super) fn push_label(out: &mut String, label: &str, hash: blake3::Hash) {
    out.push_str("[redacted:");
    out.push_str(label);
    out.push(':');
    out.push_str(&hash.to_hex()[..HASH_DIGITS]);
    out.push(']');
}

/// The end of the placeholder at `at`, if there is one.
pub(super) fn end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text.get(at..)?.strip_prefix(OPEN)?;
    let label = rest
        .iter()
        .take(MAX_LABEL)
        .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || **b == b'-')
        .count();
    let hash = rest.get(label..)?.strip_prefix(b":")?;
    let digits = hash.get(..HASH_DIGITS)?;
    let closed = hash.get(HASH_DIGITS) == Some(&b']');
    let well_formed = label > 0 && closed && digits.iter().all(u8::is_ascii_hexdigit);
    well_formed.then(|| at + OPEN.len() + label + 1 + HASH_DIGITS + 1)
}

/// All placeholders in `text`.
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
    fn placeholders_of_every_kind_are_recognised() {
        for kind in RedactionKind::ALL {
            let mut text = String::new();
            push(&mut text, *kind, blake3::hash(b"x"));
            assert_eq!(end(text.as_bytes(), 0), Some(text.len()), "{text}");
        }
    }

    #[test]
    fn placeholder_lookalikes_are_rejected() {
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
