//! Prompt-injection detection for text that would be stored as memory.
//!
//! Tool output, web pages and files may contain text that instructs an agent. As a memory, it would be injected again and
//! again, so matching text is quarantined until a person reviews it. This is a heuristic filter and no guarantee; everything
//! else is still injected as data, never as an instruction.

mod patterns;
#[cfg(test)]
mod tests;

use unicode_normalization::UnicodeNormalization;

use patterns::{FETCHERS, PATTERNS, ROLE_MARKERS, RUNNERS, occurs, words};

/// The kind of prompt injection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PromptInjection {
    /// Invisible characters.
    HiddenCharacters,
    /// Pretends to be a message of the system or the user, or the end of tool output.
    FakeRole,
    /// Tries to override earlier instructions.
    Override,
    /// Asks for actions without permission or oversight.
    Approval,
    /// Asks to hide something from the user.
    Secrecy,
    /// Downloads something and runs it.
    FetchAndRun,
    /// Gives an agent a command.
    Command,
}

impl PromptInjection {
    /// A short reason for the user.
    pub fn reason(self) -> &'static str {
        match self {
            Self::HiddenCharacters => "it contains invisible characters",
            Self::FakeRole => "it pretends to be a message of the system or the user",
            Self::Override => "it tries to override earlier instructions",
            Self::Approval => "it asks for actions without permission",
            Self::Secrecy => "it asks to hide something from you",
            Self::FetchAndRun => "it downloads something and runs it",
            Self::Command => "it gives an agent a command",
        }
    }

    /// Whether it is quarantined for every source. An agent may legitimately note commands and how a program is installed.
    pub fn is_severe(self) -> bool {
        !matches!(self, Self::Command | Self::FetchAndRun)
    }
}

/// Detects prompt injection; the most severe kind comes first.
pub fn detect_prompt_injection(text: &str) -> Option<PromptInjection> {
    use PromptInjection::{Approval, Command, FetchAndRun, Override, Secrecy};
    if text.chars().any(is_hidden) {
        return Some(PromptInjection::HiddenCharacters);
    }
    let plain: String = text.nfkc().flat_map(char::to_lowercase).collect();
    if has_fake_role(&plain) {
        return Some(PromptInjection::FakeRole);
    }
    let words = words(&plain);
    let found = |what: &PromptInjection| {
        PATTERNS
            .iter()
            .any(|(wants, pattern)| wants == what && occurs(pattern, &words))
    };
    let grave = [Override, Approval, Secrecy].into_iter().find(found);
    grave
        .or_else(|| fetches_and_runs(&plain).then_some(FetchAndRun))
        .or_else(|| Some(Command).filter(found))
}

/// Invisible characters that change what is read. Joiners are part of scripts and emoji.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{00ad}' | '\u{180e}'
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
        || (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

fn has_fake_role(text: &str) -> bool {
    let opens = |line: &str| {
        let line = line.trim_start_matches([' ', '\t', '#', '*', '>', '-']);
        [
            "system:",
            "user:",
            "human:",
            "assistant:",
            "developer:",
            "system prompt:",
        ]
        .iter()
        .any(|role| line.starts_with(role))
    };
    ROLE_MARKERS.iter().any(|role| text.contains(role)) || text.lines().any(opens)
}

/// A line in which downloaded data reaches an interpreter, through a pipe or as an argument.
fn fetches_and_runs(plain: &str) -> bool {
    plain.lines().any(|line| {
        let tokens = |part: &str| -> Vec<String> {
            let tokens = part.split(|c: char| c.is_whitespace() || "\"'`$()<>{};&=".contains(c));
            let names = tokens.map(|token| token.rsplit('/').next().unwrap_or(token).to_owned());
            names.filter(|name| !name.is_empty()).collect()
        };
        let has = |tokens: &[String], of: &[&str]| {
            tokens.iter().any(|token| of.contains(&token.as_str()))
        };
        let parts: Vec<Vec<String>> = line.split('|').map(tokens).collect();
        let piped = parts.iter().enumerate().any(|(at, part)| {
            let ends_up = |later: &Vec<String>| {
                later
                    .first()
                    .is_some_and(|first| RUNNERS.contains(&first.as_str()))
            };
            has(part, FETCHERS) && parts[at + 1..].iter().any(ends_up)
        });
        let substituted = [
            "$(curl", "$(wget", "<(curl", "<(wget", "`curl", "`wget", "$(base64",
        ];
        let given = substituted.iter().any(|start| line.contains(start))
            && parts
                .iter()
                .any(|part| has(part, RUNNERS) || has(part, &["eval", "exec"]));
        piped || given
    })
}
