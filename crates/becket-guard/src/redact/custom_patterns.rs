//! User-defined redaction patterns, in addition to the built-in rules.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, RwLock};

use becket_base::sync::RwLockExt;
use regex::{Regex, RegexBuilder};

use super::{Redactor, placeholder};

/// Maximum compiled size. Every event compiles the patterns, so larger ones are rejected.
const MAX_REGEX_SIZE: usize = 1 << 20;

static HAS_PATTERNS: AtomicBool = AtomicBool::new(false);
static PATTERNS: RwLock<Option<Arc<Vec<Regex>>>> = RwLock::new(None);

/// Replaces the custom patterns of the process: from now on, every match of these regular expressions is redacted.
/// Invalid patterns are ignored.
pub fn set_custom_patterns(patterns: &[String]) {
    let patterns: Vec<Regex> = patterns.iter().filter_map(|it| compile(it).ok()).collect();
    let has_patterns = !patterns.is_empty();
    let mut slot = PATTERNS.write_ignoring_poison();
    *slot = has_patterns.then(|| Arc::new(patterns));
    HAS_PATTERNS.store(has_patterns, Ordering::Release);
}

fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(pattern)
        .size_limit(MAX_REGEX_SIZE)
        .build()
}

pub(super) fn redact<'t>(redactor: &Redactor, text: Cow<'t, str>) -> Cow<'t, str> {
    if !HAS_PATTERNS.load(Ordering::Acquire) {
        return text;
    }
    let slot = PATTERNS.read_ignoring_poison();
    let Some(patterns) = slot.clone() else {
        return text;
    };
    drop(slot);
    let found = find(&patterns, &text);
    if found.is_empty() {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for range in found {
        out.push_str(&text[from..range.start]);
        let hash = blake3::keyed_hash(&redactor.key, text[range.clone()].as_bytes());
        placeholder::push_label(&mut out, "own", hash);
        from = range.end;
    }
    out.push_str(&text[from..]);
    Cow::Owned(out)
}

/// The matches, in order, with overlaps merged and placeholders excluded.
fn find(patterns: &[Regex], text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = patterns
        .iter()
        .flat_map(|pattern| pattern.find_iter(text).map(|it| it.range()))
        .filter(|range| !range.is_empty())
        .collect();
    found.sort_by_key(|range| range.start);
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(found.len());
    for range in found {
        match joined.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    let placeholders = placeholder::all(text.as_bytes());
    let pieces = joined
        .into_iter()
        .flat_map(|range| without(range, &placeholders));
    // A blank remainder next to a placeholder reveals nothing.
    pieces
        .filter(|piece| !text[piece.clone()].trim().is_empty())
        .collect()
}

/// The parts of a range outside the placeholders.
fn without(range: Range<usize>, placeholders: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut from = range.start;
    for placeholder in placeholders {
        if placeholder.end > from && placeholder.start < range.end {
            pieces.push(from..placeholder.start.max(from));
            from = placeholder.end;
        }
    }
    pieces.push(from..range.end.max(from));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::{redact_json, redact_text};

    /// A single test, because the patterns are global to the process.
    #[test]
    fn custom_patterns_are_redacted_in_text_and_json() {
        let pattern = |text: &str| text.to_owned();
        set_custom_patterns(&[
            pattern(r"ZZACME-\d{4}"),
            pattern(r"\d{4}-zz"),
            pattern("("),
            pattern("q*"),
        ]);
        let once = redact_text("see ZZACME-1234-zz and ZZACME-1, then ZZACME-9999.").into_owned();
        assert!(!once.contains("1234") && !once.contains("9999"), "{once}");
        assert!(once.contains("ZZACME-1, then [redacted:own:"), "{once}");
        assert_eq!(redact_text(&once), once, "a second time changes nothing");
        set_custom_patterns(&[pattern("zzcustomer=.*")]);
        let token = "ghp_".to_owned() + &"A1b2".repeat(9);
        let said = format!("for zzcustomer=Bob Smith token {token} and Eve\nbye");
        let once = redact_text(&said).into_owned();
        for secret in ["Bob", "Smith", "Eve", "A1b2"] {
            assert!(!once.contains(secret), "{once}");
        }
        assert!(once.contains("[redacted:github-token:"), "{once}");
        assert!(
            once.starts_with("for [redacted:own:") && once.ends_with("\nbye"),
            "{once}"
        );
        assert_eq!(redact_text(&once), once, "a second time changes nothing");
        set_custom_patterns(&[pattern(r"ZZACME-\d{4}")]);
        let mut value = serde_json::json!({ "note": ["ZZACME-1234"], "of": { "ZZACME-1234": 1 } });
        assert!(redact_json(&mut value));
        assert!(!value.to_string().contains("1234"), "{value}");
        set_custom_patterns(&[]);
        assert_eq!(redact_text("ZZACME-1234"), "ZZACME-1234");
    }
}
