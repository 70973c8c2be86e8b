//! Text that wants to be obeyed.
//!
//! What a tool prints, a page says or a file holds may be written to be read by an agent. Remembered, it would be
//! told to agents again and again; so text of that shape is set aside until a person has looked at it. This is a
//! sieve and no proof: what passes is still told as data and never as an instruction.

#[cfg(test)]
mod tests;
mod wording;

use unicode_normalization::UnicodeNormalization;

use wording::{PATTERNS, occurs, words};

/// What a text wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Suspicion {
    /// It has characters that nobody sees.
    Hidden,
    /// It pretends to come from elsewhere: the system, the person, the end of a tool's output.
    Role,
    /// It wants earlier instructions to count no more.
    Override,
    /// It wants things to be done without asking, or unwatched.
    Approval,
    /// It wants something kept from the person.
    Secrecy,
    /// It fetches something and runs it.
    FetchAndRun,
    /// It tells an agent what to do.
    Command,
}

impl Suspicion {
    /// In a few words, for people.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Hidden => "it has characters that nobody sees",
            Self::Role => "it pretends to be a message of the system or the person",
            Self::Override => "it wants earlier instructions to be ignored",
            Self::Approval => "it wants things done without asking",
            Self::Secrecy => "it wants something kept from you",
            Self::FetchAndRun => "it fetches something and runs it",
            Self::Command => "it tells an agent what to do",
        }
    }

    /// Whether it is suspect whoever says it. An agent may well note what has to be run, and how a program is
    /// installed; the rest is no knowledge.
    pub fn is_grave(self) -> bool {
        !matches!(self, Self::Command | Self::FetchAndRun)
    }
}

/// What is suspect about a text, the gravest first.
pub fn suspicion(text: &str) -> Option<Suspicion> {
    use Suspicion::{Approval, Command, FetchAndRun, Override, Secrecy};
    if text.chars().any(is_hidden) {
        return Some(Suspicion::Hidden);
    }
    let plain: String = text.nfkc().flat_map(char::to_lowercase).collect();
    if plays_a_role(&plain) {
        return Some(Suspicion::Role);
    }
    let words = words(&plain);
    let found = |what: &Suspicion| {
        PATTERNS
            .iter()
            .any(|(wants, pattern)| wants == what && occurs(pattern, &words))
    };
    let grave = [Override, Approval, Secrecy].into_iter().find(found);
    grave
        .or_else(|| fetches_and_runs(&plain).then_some(FetchAndRun))
        .or_else(|| Some(Command).filter(found))
}

/// Characters that change what is read and show nothing. Joiners belong to scripts and to emoji.
fn is_hidden(c: char) -> bool {
    matches!(c,
        '\u{200b}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{00ad}' | '\u{180e}'
        | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
        || (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
}

const ROLES: &[&str] = &[
    "<system>",
    "</system>",
    "<system-reminder",
    "</system-reminder",
    "<|im_start|>",
    "<|system|>",
    "<|user|>",
    "[inst]",
    "[/inst]",
    "<<sys>>",
    "</tool_result>",
    "</function_results>",
    "<user_query>",
    "begin system prompt",
    "end of tool output",
];

fn plays_a_role(text: &str) -> bool {
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
    ROLES.iter().any(|role| text.contains(role)) || text.lines().any(opens)
}

const FETCHERS: &[&str] = &[
    "curl",
    "wget",
    "iwr",
    "irm",
    "invoke-webrequest",
    "fetch",
    "base64",
];
const RUNNERS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "fish", "python", "python3", "node", "perl", "ruby", "php",
    "iex", "pwsh", "sudo", "source",
];

/// A line in which something fetched reaches an interpreter: through a pipe, or as its argument.
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
