//! What changes for every command that moves from one dialect to another: exit codes, answers, silence.

use becket_model::{Action, Dialect, HookSpec};

use super::super::hook::title;

/// Which exit codes hold a tool back.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Blocks {
    /// All but 0.
    AnyError,
    /// 2.
    Two,
    /// 2, if stderr says why.
    TwoWithWords,
    /// All from 2 on, if there are words.
    FromTwoWithWords,
}

fn blocks(dialect: Dialect) -> Blocks {
    match dialect {
        Dialect::CodeAgent | Dialect::ClaudeAgent | Dialect::Copilot => Blocks::AnyError,
        Dialect::Becket | Dialect::Claude | Dialect::Autohand | Dialect::Cursor => Blocks::Two,
        Dialect::Codex => Blocks::TwoWithWords,
        Dialect::Gemini => Blocks::FromTwoWithWords,
    }
}

/// Whether an `allow` before a tool spares the person the question.
fn vouches(dialect: Dialect) -> bool {
    !matches!(dialect, Dialect::Cursor | Dialect::Gemini | Dialect::Codex)
}

/// One list for each dialect that hooks come from.
pub(super) fn between(hooks: &[HookSpec], to: Dialect) -> Vec<String> {
    let mut notes = Vec::new();
    for from in Dialect::ALL.into_iter().filter(|from| *from != to) {
        let commands = || {
            hooks.iter().filter(|hook| {
                hook.dialect == from && matches!(hook.action, Action::Command { .. })
            })
        };
        if commands().next().is_none() {
            continue;
        }
        let (old, new) = (title(from), title(to));
        let mut tell = |what: String| notes.push(format!("{old} to {new}: {what}"));
        tell(format!(
            "hooks read {new}'s JSON and variables and answer in {new}'s words"
        ));
        if commands().any(|hook| hook.event.is_guarded()) {
            exit_codes(from, to, &mut tell);
            if vouches(from) && !vouches(to) {
                tell("an `allow` before a tool does not spare the question".to_owned());
            }
        }
        if to == Dialect::Cursor {
            tell("a hook that prints nothing counts as failed; print `{}`".to_owned());
        }
    }
    notes
}

fn exit_codes(from: Dialect, to: Dialect, tell: &mut impl FnMut(String)) {
    let (before, after) = (blocks(from), blocks(to));
    let name = title(to);
    if before == Blocks::AnyError && after != Blocks::AnyError {
        tell("exit code 1 no longer blocks; exit with 2 and say why on stderr".to_owned());
    }
    if before != Blocks::AnyError && after == Blocks::AnyError {
        tell(format!(
            "every exit code but 0 blocks in {name}, also that of a hook that only failed"
        ));
    }
    let wants_words = |blocks| matches!(blocks, Blocks::TwoWithWords | Blocks::FromTwoWithWords);
    if wants_words(after) && !wants_words(before) {
        tell("exit code 2 blocks only with a reason on stderr".to_owned());
    }
    if after == Blocks::FromTwoWithWords && before != Blocks::AnyError {
        tell("exit codes from 3 on block too, if the hook says anything".to_owned());
    }
    if before == Blocks::FromTwoWithWords && matches!(after, Blocks::Two | Blocks::TwoWithWords) {
        tell("exit codes from 3 on no longer block".to_owned());
    }
}
