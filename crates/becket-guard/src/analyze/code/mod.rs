//! External effects of program text in other languages.
//!
//! A tolerant scanner: it propagates constants (strings, lists, concatenation, formatted strings with gaps) and
//! recognizes calls that start processes or touch files. It ignores control flow. Values it cannot compute are
//! unknown; text that is only data stays data. Start at [`actions`].

mod calls;
mod environment;
mod eval;
mod files;
mod methods;
mod statements;
mod strings;
mod token;

use becket_base::text::prefix_bytes;

/// Languages whose one-liners are analyzed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ScriptLanguage {
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

/// An external effect of a program. Texts contain [`UNKNOWN`](crate::command::UNKNOWN) for gaps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CodeAction {
    /// Passes a text to a shell.
    Shell(String),
    /// Starts a program, or has the same effect as that program.
    Command(Vec<String>),
    /// Writes a file.
    Write { path: String, append: bool },
    /// Runs text that it downloads.
    RunDownloaded(String),
    /// Runs text that is only known at run time.
    RunUnknown,
}

/// The external effects of a program.
#[derive(Debug, Default)]
pub(super) struct CodeActions {
    pub(super) actions: Vec<CodeAction>,
    /// Whether part of the program was skipped.
    pub(super) incomplete: bool,
}

/// Longer texts are analyzed up to this length.
const MAX_CODE: usize = 1 << 17;
/// Maximum nesting depth of programs that run programs.
const MAX_NESTING: usize = 4;

/// All external effects of the text, in source order.
pub(super) fn actions(language: ScriptLanguage, text: &str) -> CodeActions {
    nested(language, text, 0)
}

fn nested(language: ScriptLanguage, text: &str, depth: usize) -> CodeActions {
    let kept = prefix_bytes(text, MAX_CODE);
    let mut found = CodeActions {
        incomplete: kept.len() < text.len() || depth > MAX_NESTING,
        ..CodeActions::default()
    };
    if depth > MAX_NESTING {
        return found;
    }
    let tokens = token::tokens(language, kept);
    let mut eval = eval::CodeEvaluator::new(language, &tokens, depth);
    eval.program();
    environment::written(&mut eval, kept);
    found.actions.append(&mut eval.actions);
    found.incomplete |= eval.incomplete;
    found
}

#[cfg(test)]
mod tests;
