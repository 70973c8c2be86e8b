//! Splits a shell command line into words without running it.

/// The words of every simple command in a line: quotes removed, split at operators, expansions left as they
/// are. For recognising programs and files, not for execution.
pub fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        match c {
            '\'' => word
                .get_or_insert_default()
                .extend(chars.by_ref().take_while(|c| *c != '\'')),
            '"' => double_quoted(&mut chars, word.get_or_insert_default()),
            '\\' => word
                .get_or_insert_default()
                .extend(chars.next().filter(|c| *c != '\n')),
            c if c.is_whitespace()
                || matches!(c, ';' | '&' | '|' | '<' | '>' | '(' | ')' | '`') =>
            {
                words.extend(word.take());
            }
            c => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}

fn double_quoted(chars: &mut std::str::Chars<'_>, word: &mut String) {
    while let Some(c) = chars.next() {
        match c {
            '"' => return,
            '\\' => match chars.next() {
                Some(c @ ('"' | '\\' | '$' | '`')) => word.push(c),
                Some('\n') | None => {}
                Some(c) => word.extend(['\\', c]),
            },
            c => word.push(c),
        }
    }
}

/// Every word that could name a file: the words, and the values after `=` in them.
pub fn path_candidates(line: &str) -> Vec<String> {
    let words = split(line);
    let assigned: Vec<String> = words
        .iter()
        .filter_map(|word| word.split_once('='))
        .map(|(_, value)| value.to_owned())
        .collect();
    words.into_iter().chain(assigned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_lose_their_quotes_and_keep_their_expansions() {
        for (line, expected) in [
            ("a b  c", &["a", "b", "c"][..]),
            (
                r#""$CLAUDE_PROJECT_DIR"/x.sh 'a b'"#,
                &["$CLAUDE_PROJECT_DIR/x.sh", "a b"],
            ),
            ("a&&b;c|d>e", &["a", "b", "c", "d", "e"]),
            (r"a\ b", &["a b"]),
            ("x ''", &["x", ""]),
            ("'open", &["open"]),
        ] {
            assert_eq!(split(line), expected, "{line}");
        }
    }
}
