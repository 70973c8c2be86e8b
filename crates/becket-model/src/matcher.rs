//! Matchers: which subjects (tool names, sources, reasons) a hook applies to.
//!
//! A matcher is validated when configuration is loaded, so an invalid pattern is a load error and never "matches
//! everything" or "matches nothing". The regex engine is built only when a subject is first tested: most matchers
//! are plain names and need none.

use std::borrow::Cow;
use std::sync::OnceLock;

use fancy_regex::Regex;

/// How a dialect interprets a matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchStyle {
    /// `Edit|Write` and `Edit, Write` are lists of exact names; anything else is a regex. Claude's rule.
    Names,
    /// Always an unanchored regex: `Edit` matches `MultiEdit`.
    Search,
    /// A regex for the whole subject: `Edit` does not match `MultiEdit`, `.*Edit` does.
    Whole,
    /// One exact name: `a|b` matches a subject called `a|b`.
    Exact,
}

/// A compiled matcher.
#[derive(Debug, Clone)]
pub struct Matcher {
    pattern: String,
    style: MatchStyle,
    test: CompiledTest,
}

#[derive(Debug, Clone)]
enum CompiledTest {
    All,
    /// One of these names.
    Exact(Vec<String>),
    /// Any of these texts with wildcards.
    Wildcards(Vec<WildcardText>),
    Regex(OnceLock<Option<Regex>>),
}

/// Plain text with `.*` between, such as `mcp__.*` or `^Notebook.*Edit$`. Nine matchers in ten have this form and
/// need no regex engine.
#[derive(Debug, Clone, PartialEq, Eq)]
struct WildcardText {
    at_start: bool,
    at_end: bool,
    parts: Vec<String>,
}

impl WildcardText {
    /// Parses an alternative without groups; `None` if it needs the regex engine.
    fn parse(pattern: &str) -> Option<Self> {
        let (at_start, rest) = match pattern.strip_prefix('^') {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let (at_end, rest) = match rest.strip_suffix('$') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let parts: Vec<String> = rest.split(".*").map(str::to_owned).collect();
        let plain = parts.iter().all(|part| {
            part.chars()
                .all(|c| is_word(c) || matches!(c, '-' | ' ' | '/' | ':' | ','))
        });
        plain.then_some(Self {
            at_start,
            at_end,
            parts,
        })
    }

    fn matches(&self, subject: &str) -> bool {
        let [first, middle @ .., last] = self.parts.as_slice() else {
            return self
                .parts
                .first()
                .is_some_and(|only| self.only(only, subject));
        };
        let Some(mut rest) = (if self.at_start {
            subject.strip_prefix(first.as_str())
        } else {
            after(subject, first)
        }) else {
            return false;
        };
        for part in middle {
            match after(rest, part) {
                Some(left) => rest = left,
                None => return false,
            }
        }
        if self.at_end {
            rest.ends_with(last.as_str())
        } else {
            rest.contains(last.as_str())
        }
    }

    fn only(&self, text: &str, subject: &str) -> bool {
        match (self.at_start, self.at_end) {
            (true, true) => subject == text,
            (true, false) => subject.starts_with(text),
            (false, true) => subject.ends_with(text),
            (false, false) => subject.contains(text),
        }
    }
}

fn after<'s>(text: &'s str, part: &str) -> Option<&'s str> {
    text.find(part).map(|at| &text[at + part.len()..])
}

/// The pattern is not a valid regex.
#[derive(Debug, thiserror::Error)]
#[error("matcher `{pattern}` is not a valid regex: {message}")]
pub struct BadMatcher {
    /// The pattern as written.
    pub pattern: String,
    message: String,
}

impl Matcher {
    /// The matcher that matches everything.
    pub fn all() -> Self {
        Self {
            pattern: String::new(),
            style: MatchStyle::Names,
            test: CompiledTest::All,
        }
    }

    /// Compiles a pattern.
    pub fn parse(pattern: &str, style: MatchStyle) -> Result<Self, BadMatcher> {
        let trimmed = pattern.trim();
        let test = if let Some(test) = compile_without_regex(trimmed, style) {
            test
        } else {
            check(trimmed, style).map_err(|message| BadMatcher {
                pattern: pattern.to_owned(),
                message,
            })?;
            CompiledTest::Regex(OnceLock::new())
        };
        Ok(Self {
            pattern: trimmed.to_owned(),
            style,
            test,
        })
    }

    /// Whether the matcher matches a subject.
    pub fn matches(&self, subject: &str) -> bool {
        match &self.test {
            CompiledTest::All => true,
            CompiledTest::Exact(names) => names.iter().any(|name| name == subject),
            // A regex `.` does not match a line break, and no legitimate subject has one.
            CompiledTest::Wildcards(any) => {
                !subject.contains('\n') && any.iter().any(|wild| wild.matches(subject))
            }
            CompiledTest::Regex(cell) => cell
                .get_or_init(|| Regex::new(&regex(&self.pattern, self.style)).ok())
                .as_ref()
                // If backtracking exceeds its limit, the result is unknown: it counts as a match.
                .is_some_and(|regex| regex.is_match(subject).unwrap_or(true)),
        }
    }

    /// Whether everything matches.
    pub fn is_all(&self) -> bool {
        matches!(self.test, CompiledTest::All)
    }

    /// The pattern as written.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }

    /// How the pattern is interpreted.
    pub fn style(&self) -> MatchStyle {
        self.style
    }

    /// The exact names that match, if the matcher is a list of names.
    pub fn names(&self) -> Option<&[String]> {
        match &self.test {
            CompiledTest::Exact(names) => Some(names),
            _ => None,
        }
    }
}

/// The regex of a pattern. `Search` and `Names` add no anchors.
fn regex(pattern: &str, style: MatchStyle) -> Cow<'_, str> {
    match style {
        MatchStyle::Whole => Cow::Owned(format!("^(?:{pattern})$")),
        _ => Cow::Borrowed(pattern),
    }
}

impl PartialEq for Matcher {
    fn eq(&self, other: &Self) -> bool {
        (self.is_all() && other.is_all())
            || (self.pattern == other.pattern && self.style == other.style)
    }
}

/// Compiles patterns that need no regex engine: match-all, lists of names, plain text with `.*`.
fn compile_without_regex(pattern: &str, style: MatchStyle) -> Option<CompiledTest> {
    if matches!(pattern, "" | "*" | ".*" | "^.*$") {
        return Some(CompiledTest::All);
    }
    if style == MatchStyle::Exact {
        return Some(CompiledTest::Exact(vec![pattern.to_owned()]));
    }
    if style == MatchStyle::Whole
        && pattern
            .chars()
            .all(|c| is_word(c) || matches!(c, '|' | '-'))
    {
        return Some(CompiledTest::Exact(
            pattern.split('|').map(str::to_owned).collect(),
        ));
    }
    if style == MatchStyle::Names
        && pattern
            .chars()
            .all(|c| is_word(c) || matches!(c, '|' | ',' | ' ' | '-'))
    {
        return Some(CompiledTest::Exact(names(pattern, &['|', ','])));
    }
    // `^(a|b)$` is `^a$|^b$`; any other group needs the engine.
    let whole = if style == MatchStyle::Whole {
        Some(pattern)
    } else {
        anchored_group(pattern)
    };
    let wild: Option<Vec<WildcardText>> = match whole {
        Some(group) => group
            .split('|')
            .map(|one| WildcardText::parse(&format!("^{one}$")))
            .collect(),
        None => pattern.split('|').map(WildcardText::parse).collect(),
    };
    wild.map(CompiledTest::Wildcards)
}

/// The inside of `^(…)$`, if it has no group of its own.
fn anchored_group(pattern: &str) -> Option<&str> {
    let inner = pattern.strip_prefix('^')?.strip_suffix('$')?;
    let inner = inner
        .strip_prefix("(?:")
        .or_else(|| inner.strip_prefix('('))?
        .strip_suffix(')')?;
    (!inner.contains(['(', ')'])).then_some(inner)
}

fn names(list: &str, separators: &[char]) -> Vec<String> {
    list.split(separators)
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Validates a pattern without building the matching machine, which costs a hundred times as much.
fn check(pattern: &str, style: MatchStyle) -> Result<(), String> {
    fancy_regex::Expr::parse_tree(pattern).map_err(|error| error.to_string())?;
    // The tree parser does not validate character classes and repetitions.
    if pattern.contains(['[', '{', '\\']) || style == MatchStyle::Whole {
        Regex::new(&regex(pattern, style)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(style: MatchStyle, pattern: &str, subject: &str) -> bool {
        Matcher::parse(pattern, style)
            .expect(pattern)
            .matches(subject)
    }

    #[test]
    fn empty_star_and_dot_star_match_everything() {
        for pattern in ["", "  ", "*", ".*"] {
            for style in [
                MatchStyle::Names,
                MatchStyle::Search,
                MatchStyle::Whole,
                MatchStyle::Exact,
            ] {
                assert!(matches(style, pattern, "Bash"), "{pattern:?}");
            }
        }
    }

    #[test]
    fn name_lists_are_exact() {
        for (pattern, subject, expected) in [
            ("Bash", "Bash", true),
            ("Edit", "MultiEdit", false),
            ("Write|Edit", "Edit", true),
            ("Write, Edit", "Edit", true),
            ("bash", "Bash", false),
            ("mcp__github", "mcp__github__search", false),
            ("mcp__github__.*", "mcp__github__search", true),
            ("my-tool", "my-tool", true),
        ] {
            assert_eq!(
                matches(MatchStyle::Names, pattern, subject),
                expected,
                "{pattern} on {subject}"
            );
        }
    }

    #[test]
    fn searching_is_unanchored_unless_the_pattern_says_otherwise() {
        for (pattern, subject, expected) in [
            ("Edit", "MultiEdit", true),
            ("^Edit$", "MultiEdit", false),
            ("^(run_command|delete_path)$", "delete_path", true),
            ("^(run_command|delete_path)$", "x_delete_path", false),
            ("^a|b$", "ab", true),
            ("^(?!mcp__)", "mcp__x", false),
            ("^(?!mcp__)", "Bash", true),
            ("Wr.te", "Write", true),
        ] {
            assert_eq!(
                matches(MatchStyle::Search, pattern, subject),
                expected,
                "{pattern} on {subject}"
            );
        }
    }

    #[test]
    fn whole_patterns_match_the_whole_subject_and_exact_ones_letter_by_letter() {
        for (style, pattern, subject, expected) in [
            (MatchStyle::Whole, "bash", "bash", true),
            (MatchStyle::Whole, "bash", "bash2", false),
            (MatchStyle::Whole, "bash|view", "view", true),
            (MatchStyle::Whole, "bash|view", "review", false),
            (MatchStyle::Whole, "bash|", "", true),
            (MatchStyle::Whole, "b.*|v", "bash", true),
            (MatchStyle::Whole, "^b|h$", "bash", false),
            (MatchStyle::Whole, "server/.*", "server/tool", true),
            (MatchStyle::Exact, "startup", "startup", true),
            (MatchStyle::Exact, "startup|resume", "startup", false),
            (MatchStyle::Exact, "a(", "a(", true),
            (MatchStyle::Exact, "start.*", "startup", false),
        ] {
            let matched = matches(style, pattern, subject);
            assert_eq!(matched, expected, "{style:?} {pattern} on {subject}");
        }
        assert!(Matcher::parse("a)|(b", MatchStyle::Whole).is_err());
    }

    #[test]
    fn a_bad_pattern_is_an_error_that_names_it() {
        for pattern in ["Bash(", "a[", "(?<", "*x", "\\"] {
            let error = Matcher::parse(pattern, MatchStyle::Search).expect_err(pattern);
            assert!(error.to_string().contains(pattern), "{error}");
        }
    }

    proptest::proptest! {
        /// The fast path and the regex engine give the same result.
        #[test]
        fn the_short_cut_agrees_with_the_engine(pattern in "(\\^|)(\\(|)[ab|](a|b|-|\\||\\.\\*){0,5}(\\)|)(\\$|)", subject in "[ab-]{0,6}") {
            for style in [MatchStyle::Search, MatchStyle::Whole] {
                let Ok(matcher) = Matcher::parse(&pattern, style) else { continue };
                let engine = Regex::new(&regex(&pattern, style)).expect("what parses compiles");
                proptest::prop_assert_eq!(matcher.matches(&subject), engine.is_match(&subject).expect("no backtracking"), "{} on {}", pattern, subject);
            }
        }

        #[test]
        fn every_accepted_pattern_compiles(pattern in ".{0,24}", subject in ".{0,24}") {
            for style in [MatchStyle::Names, MatchStyle::Search, MatchStyle::Whole, MatchStyle::Exact] {
                if let Ok(matcher) = Matcher::parse(&pattern, style)
                    && let CompiledTest::Regex(cell) = &matcher.test {
                        matcher.matches(&subject);
                        proptest::prop_assert!(cell.get().expect("tested").is_some(), "accepted but does not compile: {pattern:?}");
                    }
            }
        }
    }
}
