//! Text helpers.

/// Truncates to at most `most` bytes, at a character boundary.
pub(crate) fn truncate_bytes(text: &str, most: usize) -> &str {
    let mut end = most.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
