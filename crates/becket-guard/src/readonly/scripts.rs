//! Scripts on the command line: sed, awk, jq.

use crate::packs::args::Args;

/// Whether every script consists of commands that print, select or replace within the stream.
pub(super) fn sed_only_reads(args: &Args<'_>) -> bool {
    let given: Vec<&str> = args.values_of(&["e", "expression"]).collect();
    if given.is_empty() {
        return args.operand(0).is_some_and(sed_script_only_reads);
    }
    given.into_iter().all(sed_script_only_reads)
}

fn sed_script_only_reads(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '}', '{']);
        if rest.is_empty() {
            return true;
        }
        match sed_command(rest) {
            Some(after) => rest = after,
            None => return false,
        }
    }
}

/// The text after one read-only command.
fn sed_command(text: &str) -> Option<&str> {
    let text = sed_address(text)?;
    let text = match text.strip_prefix(',') {
        Some(second) => sed_address(second.trim_start())?,
        None => text,
    };
    let text = text.trim_start_matches([' ', '!']);
    let mut characters = text.chars();
    match characters.next()? {
        's' => sed_replacement(characters.as_str()),
        'p' | 'd' | '=' | 'l' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | 'D' | 'P' => {
            end_of_command(characters.as_str())
        }
        'q' | 'Q' => end_of_command(
            characters
                .as_str()
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == ' '),
        ),
        '{' => Some(characters.as_str()),
        _ => None,
    }
}

fn end_of_command(text: &str) -> Option<&str> {
    let text = text.trim_start_matches(' ');
    (text.is_empty() || text.starts_with([';', '\n', '}'])).then_some(text)
}

/// The text after a line number, `$` or `/pattern/`; the address may be empty.
fn sed_address(text: &str) -> Option<&str> {
    let number = |c: char| c.is_ascii_digit() || matches!(c, '~' | '+' | '$');
    match text.chars().next()? {
        '/' => delimited(&text[1..], '/').map(|rest| rest.trim_start_matches(['I', 'M'])),
        '\\' => {
            let delimiter = text[1..].chars().next()?;
            delimited(&text[1 + delimiter.len_utf8()..], delimiter)
        }
        _ => Some(text.trim_start_matches(number)),
    }
}

fn sed_replacement(text: &str) -> Option<&str> {
    let delimiter = text.chars().next()?;
    if delimiter.is_alphanumeric() || delimiter == '\\' || delimiter == '\n' {
        return None;
    }
    let rest = delimited(&text[delimiter.len_utf8()..], delimiter)?;
    let rest = delimited(rest, delimiter)?;
    // The flags `w` and `e` write and execute.
    end_of_command(rest.trim_start_matches(|c: char| c.is_ascii_digit() || "gpiIm".contains(c)))
}

/// The text after the next unescaped `delimiter`.
fn delimited(text: &str, delimiter: char) -> Option<&str> {
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == delimiter {
            return Some(&text[at + character.len_utf8()..]);
        }
    }
    None
}

/// Whether an awk program cannot write, execute anything or read the environment.
pub(super) fn awk_only_reads(args: &Args<'_>) -> bool {
    let Some(program) = args.operand(0) else {
        return false;
    };
    let words = [
        "system", "getline", "ENVIRON", "ARGV", "ARGC", "close", "fflush", "load", "include",
    ];
    // Comparisons with `>` are rejected together with redirections, and pipes in patterns as well.
    !program.contains(['|', '>', '@', '`']) && !words.iter().any(|word| program.contains(word))
}

/// jq can print the environment.
pub(super) fn jq_reads_no_environment(args: &Args<'_>) -> bool {
    args.texts().all(|text| {
        let lower = text.to_ascii_lowercase();
        !lower
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '.')
            .any(|word| word == "env" || word.starts_with("env."))
            && !lower.contains("input_filename")
    })
}

/// Lints may follow `--`. Other compiler flags may execute programs, and test binaries accept arbitrary arguments.
pub(super) fn cargo_passes_no_flags_on(args: &Args<'_>) -> bool {
    let path_only = !args.surely_matches("nextest") || args.surely_matches("nextest run|list");
    let Some(before) = args.separator else {
        return path_only;
    };
    if !args.surely_matches("clippy") {
        return path_only && !args.surely_matches("doc|d|build|b|check|c");
    }
    let mut passed = args.operands[before..].iter().map(|operand| operand.text);
    while let Some(flag) = passed.next() {
        let lint = match flag {
            "-D" | "-W" | "-A" | "-F" | "--deny" | "--warn" | "--allow" | "--forbid" => {
                passed.next()
            }
            _ => ["-D", "-W", "-A", "-F"]
                .iter()
                .find_map(|level| flag.strip_prefix(level)),
        };
        if !lint.is_some_and(is_lint) {
            return false;
        }
    }
    true
}

fn is_lint(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sed_scripts_that_write_or_execute_are_not_read_only() {
        for script in [
            "1,20p",
            "$p",
            "/a/,/b/p",
            "5q",
            "10,+5p",
            "s/a/b/g",
            "s|a|b|;s,c,d,2p",
            "/x/d",
            "1~2p",
            "\\#a/b#p",
            "/a/{p;q}",
            "1!p",
            "/a\\/b/p",
            "2{p}",
            "s/w/e/",
        ] {
            assert!(sed_script_only_reads(script), "{script}");
        }
        for script in [
            "w out",
            "1w out",
            "s/a/b/w out",
            "s/a/b/e",
            "e id",
            "1e id",
            "r /etc/x",
            "s/a/b/gw x",
            "/a/w x",
            "y/a/b/w",
            "s/a",
            "a\\text",
            "1,5w x",
            "p;w x",
            "s/a/b/;e",
        ] {
            assert!(!sed_script_only_reads(script), "{script}");
        }
    }
}
