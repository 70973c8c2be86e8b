//! What the text of a program in another language does outside itself.
//!
//! A tolerant scanner: it follows constants (strings, lists, concatenation, formatted strings with gaps) and
//! knows the calls that start processes and touch files. It does not know control flow; what it cannot follow is
//! unknown, and what is only text stays text. Start at [`actions`].

mod calls;
mod environment;
mod eval;
mod files;
mod methods;
mod statements;
mod strings;
mod token;

/// Languages whose one-liners are looked through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    JavaScript,
    Perl,
    Ruby,
    Php,
    Lua,
    Awk,
    AppleScript,
    Tcl,
}

/// Something a program does outside itself. Texts hold [`UNKNOWN`](crate::command::UNKNOWN) for gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Action {
    /// Gives a text to a shell.
    Shell(String),
    /// Starts a program, or does what that program would do.
    Command(Vec<String>),
    /// Writes a file.
    Write { path: String, append: bool },
    /// Runs text that it downloads.
    RunDownloaded(String),
    /// Runs text that only running would tell.
    RunUnknown,
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) actions: Vec<Action>,
    /// Whether something was left out.
    pub(super) incomplete: bool,
}

/// Texts longer than this are looked at up to here.
const MAX_CODE: usize = 1 << 17;
/// How deep programs may run programs.
const MAX_NESTING: usize = 4;

/// Everything that the text would do outside itself, in the order it is written.
pub(super) fn actions(language: Language, text: &str) -> Found {
    nested(language, text, 0)
}

fn nested(language: Language, text: &str, depth: usize) -> Found {
    let mut cut = text.len().min(MAX_CODE);
    while !text.is_char_boundary(cut) {
        cut -= 1;
    }
    let mut found = Found {
        incomplete: cut < text.len() || depth > MAX_NESTING,
        ..Found::default()
    };
    if depth > MAX_NESTING {
        return found;
    }
    let tokens = token::tokens(language, &text[..cut]);
    let mut eval = eval::Eval::new(language, &tokens, depth);
    eval.program();
    environment::written(&mut eval, &text[..cut]);
    found.actions.append(&mut eval.actions);
    found.incomplete |= eval.incomplete;
    found
}

#[cfg(test)]
mod tests;
