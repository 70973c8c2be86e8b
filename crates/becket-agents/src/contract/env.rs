//! The environment variables of a hook, by dialect, and the size limits that keep it startable.
//!
//! Names are constants: no payload can choose one. Values come from the payload and are truncated, because
//! the kernel refuses to start a program with one oversized entry. The full data is always on stdin.

use becket_model::{Dialect, Event, HookSpec};
use serde_json::Value;

use super::invocation::{HookInvocation, plain};
use super::{
    EventMetadata, autohand, becket, claude, claude_agent, code_agent, codex, copilot, cursor,
    gemini, text,
};

/// The maximum length of `NAME=value` with its closing NUL: Linux's limit for one string.
pub const MAX_ENTRY_BYTES: usize = 131_072;

/// The maximum total of all entries, each with its closing NUL.
pub const MAX_TOTAL_BYTES: usize = 1024 * 1024;

/// A variable and where its value comes from; `null` leaves it unset.
pub(super) struct HookVar(
    pub(super) &'static str,
    pub(super) fn(&HookInvocation<'_>) -> Value,
);

/// The variables for the hook's process, to be set in addition to the inherited ones.
///
/// Variables from the hook's definition override the dialect's, but not Becket's own.
///
/// A value that is too long for the kernel is cut at a character boundary and ends in `[truncated]`. If
/// the total is too large, the longest values are cut first.
pub fn env(hook: &HookSpec, event: &Event, metadata: &EventMetadata<'_>) -> Vec<(String, String)> {
    let invocation = HookInvocation {
        hook,
        event,
        metadata,
    };
    let mut out: Vec<(String, String)> = Vec::new();
    for source in sources(hook.dialect) {
        let name = source.name();
        if out.iter().any(|(taken, _)| taken == name) {
            continue;
        }
        if let Some(value) = source.value(&invocation) {
            out.push((name.to_owned(), without_nul(value)));
        }
    }
    add_own(&mut out, &hook.env);
    fit(&mut out);
    out
}

fn add_own(out: &mut Vec<(String, String)>, own: &[(String, String)]) {
    for (name, value) in own {
        if !is_name(name) || name.starts_with("BECKET_") {
            continue;
        }
        out.retain(|(taken, _)| taken != name);
        out.push((name.clone(), without_nul(value.clone())));
    }
}

/// Whether a text is a valid variable name; a program cannot be started with any other.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// Every name that [`env()`] may set for hooks of this dialect. The caller unsets those that [`env()`] did
/// not return, so a hook never reads an outer hook's event as its own.
pub fn reserved(dialect: Dialect) -> Vec<&'static str> {
    let mut names: Vec<_> = sources(dialect).map(|source| source.name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

enum VarSource {
    Var(&'static HookVar),
    Field(&'static autohand::AutohandField),
}

impl VarSource {
    fn name(&self) -> &'static str {
        match self {
            Self::Var(var) => var.0,
            Self::Field(fact) => fact.var,
        }
    }

    fn value(&self, invocation: &HookInvocation<'_>) -> Option<String> {
        match self {
            Self::Var(var) => plain(&(var.1)(invocation)),
            Self::Field(fact) => fact.text(invocation),
        }
    }
}

/// The agents' variables that hooks of Becket's own dialect get: directories only, so that no program takes
/// Becket for that agent.
const FOREIGN: &[HookVar] = &[
    cursor::PROJECT_DIR,
    gemini::PROJECT_DIR,
    gemini::CWD,
    copilot::PROJECT_DIR,
];

/// In order: of two sources for one name, the first with a value wins.
fn sources(dialect: Dialect) -> impl Iterator<Item = VarSource> {
    let (vars, facts): (&[&'static [HookVar]], bool) = match dialect {
        Dialect::Becket => (
            &[
                becket::VARS,
                claude::VARS,
                code_agent::VARS,
                claude_agent::VARS,
                FOREIGN,
            ],
            true,
        ),
        Dialect::Claude => (&[claude::VARS], false),
        Dialect::CodeAgent => (&[code_agent::VARS], false),
        Dialect::ClaudeAgent => (&[claude_agent::VARS], false),
        Dialect::Autohand => (&[], true),
        Dialect::Cursor => (&[cursor::VARS], false),
        Dialect::Gemini => (&[gemini::VARS], false),
        Dialect::Codex => (&[codex::VARS], false),
        Dialect::Copilot => (&[copilot::VARS], false),
    };
    let vars = vars.to_vec();
    let facts = if facts { &autohand::FIELDS[..] } else { &[] };
    becket::NEUTRAL
        .iter()
        .chain(vars.into_iter().flatten())
        .map(VarSource::Var)
        .chain(facts.iter().map(VarSource::Field))
}

/// A NUL ends a C string, so a value that contains one cannot be passed.
fn without_nul(value: String) -> String {
    if value.contains('\0') {
        value.replace('\0', "")
    } else {
        value
    }
}

fn fit(entries: &mut [(String, String)]) {
    let mut limit = MAX_ENTRY_BYTES;
    if total(entries, limit) > MAX_TOTAL_BYTES {
        limit = highest(limit, |limit| total(entries, limit) <= MAX_TOTAL_BYTES);
    }
    for (name, value) in entries {
        let room = limit.saturating_sub(name.len() + 2);
        *value = text::cut(std::mem::take(value), room);
    }
}

/// The total size if every entry were cut to `limit`.
fn total(entries: &[(String, String)], limit: usize) -> usize {
    entries
        .iter()
        .map(|(name, value)| (name.len() + value.len() + 2).min(limit))
        .sum()
}

/// Binary search: the highest number below `from` that fits, given that every smaller number fits too.
fn highest(from: usize, fits: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, from);
    while high - low > 1 {
        let middle = low.midpoint(high);
        if fits(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
