//! Notes on what changes for every command that moves between two dialects: exit codes, replies, no output.

use becket_model::{Action, Dialect, HookSpec};

use super::super::hook::title;

/// The exit codes that block a tool call.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BlockingExits {
    /// Every code but 0.
    AnyError,
    /// 2.
    Two,
    /// 2, if stderr gives a reason.
    TwoWithWords,
    /// 2 and above, if there is output.
    FromTwoWithWords,
}

fn blocks(dialect: Dialect) -> BlockingExits {
    match dialect {
        Dialect::CodeAgent | Dialect::ClaudeAgent | Dialect::Copilot => BlockingExits::AnyError,
        Dialect::Becket | Dialect::Claude | Dialect::Autohand | Dialect::Cursor => {
            BlockingExits::Two
        }
        Dialect::Codex => BlockingExits::TwoWithWords,
        Dialect::Gemini => BlockingExits::FromTwoWithWords,
    }
}

/// Whether an `allow` before a tool skips the agent's permission prompt.
fn skips_prompt(dialect: Dialect) -> bool {
    !matches!(dialect, Dialect::Cursor | Dialect::Gemini | Dialect::Codex)
}

/// The notes for each dialect that the hooks come from.
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
        let mut note = |what: String| notes.push(format!("{old} to {new}: {what}"));
        note(format!(
            "hooks get {new}'s JSON and variables and must reply in {new}'s format"
        ));
        if commands().any(|hook| hook.event.is_guarded()) {
            exit_codes(from, to, &mut note);
            if skips_prompt(from) && !skips_prompt(to) {
                note("`allow` before a tool does not skip the permission prompt".to_owned());
            }
        }
        if to == Dialect::Cursor {
            note("a hook that prints nothing counts as failed; print `{}`".to_owned());
        }
    }
    notes
}

fn exit_codes(from: Dialect, to: Dialect, note: &mut impl FnMut(String)) {
    let (before, after) = (blocks(from), blocks(to));
    let name = title(to);
    if before == BlockingExits::AnyError && after != BlockingExits::AnyError {
        note("exit code 1 no longer blocks; exit with 2 and print the reason to stderr".to_owned());
    }
    if before != BlockingExits::AnyError && after == BlockingExits::AnyError {
        note(format!(
            "every exit code but 0 blocks in {name}, even if the hook itself failed"
        ));
    }
    let wants_words = |blocks| {
        matches!(
            blocks,
            BlockingExits::TwoWithWords | BlockingExits::FromTwoWithWords
        )
    };
    if wants_words(after) && !wants_words(before) {
        note("exit code 2 blocks only with a reason on stderr".to_owned());
    }
    if after == BlockingExits::FromTwoWithWords && before != BlockingExits::AnyError {
        note("exit codes above 2 also block, if the hook prints anything".to_owned());
    }
    if before == BlockingExits::FromTwoWithWords
        && matches!(after, BlockingExits::Two | BlockingExits::TwoWithWords)
    {
        note("exit codes above 2 no longer block".to_owned());
    }
}
