//! The variables a hook finds, by dialect, and the limits that keep it startable.
//!
//! Names are constants: no payload can choose one. Values are the payload's and are bounded, because
//! the kernel refuses to start a program with one oversized entry; the full data is always on stdin.

use becket_model::{Dialect, Event, HookSpec};
use serde_json::Value;

use super::scene::{Scene, plain};
use super::{
    Surroundings, autohand, becket, claude, claude_agent, code_agent, codex, copilot, cursor,
    gemini, text,
};

/// The longest `NAME=value` with its closing NUL: what Linux takes for one string.
pub const MAX_ENTRY_BYTES: usize = 131_072;

/// All entries together, each with its closing NUL.
pub const MAX_TOTAL_BYTES: usize = 1024 * 1024;

/// A variable and where its value comes from; `null` leaves it unset.
pub(super) struct Var(pub(super) &'static str, pub(super) fn(&Scene<'_>) -> Value);

/// The variables for the hook's process, to be set on top of what it inherits.
///
/// What the hook's own definition adds wins over its dialect's names, but not over Becket's.
///
/// A value too long for the kernel is cut between two characters and ends in `[truncated]`; where the
/// total is too large, the longest values are cut first.
pub fn env(hook: &HookSpec, event: &Event, around: &Surroundings<'_>) -> Vec<(String, String)> {
    let scene = Scene {
        hook,
        event,
        around,
    };
    let mut out: Vec<(String, String)> = Vec::new();
    for source in sources(hook.dialect) {
        let name = source.name();
        if out.iter().any(|(taken, _)| taken == name) {
            continue;
        }
        if let Some(value) = source.value(&scene) {
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

/// Whether a text can be the name of a variable at all; a program cannot be started with any other.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

/// Every name that [`env()`] may set for hooks of this dialect. A caller unsets those that it did not
/// get, so that a hook never takes an outer hook's event for its own.
pub fn reserved(dialect: Dialect) -> Vec<&'static str> {
    let mut names: Vec<_> = sources(dialect).map(|source| source.name()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

enum Source {
    Var(&'static Var),
    Fact(&'static autohand::Fact),
}

impl Source {
    fn name(&self) -> &'static str {
        match self {
            Self::Var(var) => var.0,
            Self::Fact(fact) => fact.var,
        }
    }

    fn value(&self, scene: &Scene<'_>) -> Option<String> {
        match self {
            Self::Var(var) => plain(&(var.1)(scene)),
            Self::Fact(fact) => fact.text(scene),
        }
    }
}

/// What hooks of Becket's own dialect get of the agents' names: directories, and nothing by which a
/// program would take Becket for that agent.
const FOREIGN: &[Var] = &[
    cursor::PROJECT_DIR,
    gemini::PROJECT_DIR,
    gemini::CWD,
    copilot::PROJECT_DIR,
];

/// In order: of two sources for one name, the first that has a value gives it.
fn sources(dialect: Dialect) -> impl Iterator<Item = Source> {
    let (vars, facts): (&[&'static [Var]], bool) = match dialect {
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
    let facts = if facts { &autohand::FACTS[..] } else { &[] };
    becket::NEUTRAL
        .iter()
        .chain(vars.into_iter().flatten())
        .map(Source::Var)
        .chain(facts.iter().map(Source::Fact))
}

/// A NUL ends a C string, so a value that holds one cannot be passed at all.
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

/// The bytes needed if no entry were longer than `limit`.
fn total(entries: &[(String, String)], limit: usize) -> usize {
    entries
        .iter()
        .map(|(name, value)| (name.len() + value.len() + 2).min(limit))
        .sum()
}

/// The highest number below `from` that fits, where everything below a fitting number fits too.
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
