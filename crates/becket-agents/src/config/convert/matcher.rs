//! Converts a matcher to another dialect: its tool names and its pattern syntax.

use becket_model::subject::{constant, has_subject};
use becket_model::tool::{canonical_name, names_in};
use becket_model::{Dialect, HookSpec, MatchStyle};

use super::super::hook::{BoundEvent, style, title};

pub(super) struct ConvertedMatcher {
    /// One per entry to write; `None` matches everything.
    pub(super) patterns: Vec<Option<String>>,
    /// What changes in meaning.
    pub(super) notes: Vec<String>,
}

impl ConvertedMatcher {
    fn all() -> Self {
        Self {
            patterns: vec![None],
            notes: Vec::new(),
        }
    }
}

/// The subjects that a hook matches.
enum MatchedSubjects {
    Everything,
    /// Exactly these subjects.
    Names(Vec<String>),
    /// Subjects in which this regular expression finds a match.
    Regex(String),
}

/// Converts the matcher, and the part of the filter that a matcher can express. An error is a reason to
/// leave the hook out.
pub(super) fn convert(hook: &HookSpec, to: Dialect) -> Result<ConvertedMatcher, String> {
    if hook.dialect == to {
        return Ok(same(hook, to));
    }
    let mut notes = Vec::new();
    let wanted = wanted(hook, to, &mut notes)?;
    if !has_subject(to, &hook.event) || constant(to, &hook.event).is_some() {
        if !matches!(wanted, MatchedSubjects::Everything) {
            notes.push("its matcher: it would run for every such event".to_owned());
        }
        return Ok(ConvertedMatcher {
            notes,
            ..ConvertedMatcher::all()
        });
    }
    let wanted = match wanted {
        MatchedSubjects::Names(names) if hook.event.is_tool() => {
            MatchedSubjects::Names(tools(&names, to, &mut notes))
        }
        MatchedSubjects::Regex(pattern) => {
            if hook.event.is_tool() && family(hook.dialect) != family(to) {
                let title = title(to);
                notes.push(format!(
                    "its matcher is a regular expression, and {title} has other names for tools: {pattern}"
                ));
            }
            MatchedSubjects::Regex(pattern)
        }
        other => other,
    };
    let patterns = print(hook, to, wanted)?;
    Ok(ConvertedMatcher { patterns, notes })
}

fn same(hook: &HookSpec, to: Dialect) -> ConvertedMatcher {
    let mut found = ConvertedMatcher::all();
    if !hook.matcher.is_all() {
        found.patterns = vec![Some(hook.matcher.pattern().to_owned())];
    }
    if !hook.filter.tool.is_empty() && to != Dialect::Autohand {
        found.notes.push("its tool filter".to_owned());
    }
    found
}

fn wanted(
    hook: &HookSpec,
    to: Dialect,
    notes: &mut Vec<String>,
) -> Result<MatchedSubjects, String> {
    let own = own_matcher(hook, notes);
    let filter = &hook.filter.tool;
    if filter.is_empty() || to == Dialect::Autohand {
        return Ok(own);
    }
    if !hook.event.is_tool() {
        return Err("its tool filter keeps it from ever running here".to_owned());
    }
    if matches!(own, MatchedSubjects::Everything) {
        return Ok(MatchedSubjects::Names(filter.clone()));
    }
    let tools = filter.join(", ");
    notes.push(format!("its tool filter ({tools})"));
    Ok(own)
}

fn own_matcher(hook: &HookSpec, notes: &mut Vec<String>) -> MatchedSubjects {
    let narrow = match hook.native_event.as_deref() {
        Some("beforeShellExecution" | "afterShellExecution") => {
            if !hook.matcher.is_all() {
                let pattern = hook.matcher.pattern();
                notes.push(format!(
                    "its matcher tests the command line ({pattern}): it would run for every command"
                ));
            }
            Some(MatchedSubjects::Names(vec!["Bash".to_owned()]))
        }
        Some("beforeReadFile") => Some(MatchedSubjects::Names(vec!["Read".to_owned()])),
        Some("beforeMCPExecution" | "afterMCPExecution") => {
            if !hook.matcher.is_all() {
                notes.push("its matcher: it would run for every MCP tool".to_owned());
            }
            Some(MatchedSubjects::Regex("^mcp_".to_owned()))
        }
        _ => None,
    };
    if let Some(narrow) = narrow {
        return narrow;
    }
    if hook.matcher.is_all() || !has_subject(hook.dialect, &hook.event) {
        return MatchedSubjects::Everything;
    }
    if constant(hook.dialect, &hook.event).is_some() {
        return MatchedSubjects::Everything;
    }
    match (hook.matcher.names(), hook.matcher.style()) {
        (Some(names), _) => MatchedSubjects::Names(names.to_vec()),
        (None, MatchStyle::Whole) => {
            MatchedSubjects::Regex(format!("^(?:{})$", hook.matcher.pattern()))
        }
        (None, _) => MatchedSubjects::Regex(hook.matcher.pattern().to_owned()),
    }
}

/// Groups dialects that use the same tool names.
fn family(dialect: Dialect) -> Dialect {
    match dialect {
        Dialect::Becket | Dialect::Claude | Dialect::CodeAgent | Dialect::ClaudeAgent => {
            Dialect::Claude
        }
        other => other,
    }
}

/// Translates tool names to the other dialect.
fn tools(names: &[String], to: Dialect, notes: &mut Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for name in names {
        let canonical = canonical_name(name);
        let native = names_in(to, canonical).into_iter().next();
        let native = native.map_or_else(|| canonical.to_owned(), String::from);
        let shared = ["Write", "Edit", "Delete", "ApplyPatch"]
            .into_iter()
            .filter(|other| *other != canonical)
            .filter(|other| names_in(to, other).contains(&native.as_str().into()))
            .filter(|other| !names.iter().any(|name| canonical_name(name) == *other))
            .collect::<Vec<_>>();
        if !shared.is_empty() {
            let (title, shared) = (title(to), shared.join(" and "));
            notes.push(format!("in {title}, `{native}` also covers {shared}"));
        }
        if to == Dialect::Cursor && native.starts_with("MCP:") {
            notes.push(format!(
                "`{name}` becomes `{native}`, which may be a tool of another server"
            ));
        }
        if !out.contains(&native) {
            out.push(native);
        }
    }
    out
}

fn print(
    hook: &HookSpec,
    to: Dialect,
    wanted: MatchedSubjects,
) -> Result<Vec<Option<String>>, String> {
    let bound = BoundEvent::to(hook.event.clone());
    // How the other dialect interprets a pattern that is clearly a regular expression.
    let reads = style(to, &bound, "(?:a)");
    let wanted = match wanted {
        MatchedSubjects::Names(mut names) => {
            // No tool has such a name, and alone these patterns would match everything.
            names.retain(|name| !matches!(name.trim(), "" | "*" | ".*" | "^.*$"));
            if names.is_empty() {
                return Err("its matcher contains no tool name".to_owned());
            }
            MatchedSubjects::Names(names)
        }
        other => other,
    };
    Ok(match (wanted, reads) {
        (MatchedSubjects::Everything, _) => vec![None],
        (MatchedSubjects::Names(names), MatchStyle::Exact) => names.into_iter().map(Some).collect(),
        (MatchedSubjects::Names(names), reads) => vec![Some(list(&names, to, &bound, reads))],
        (MatchedSubjects::Regex(_), MatchStyle::Exact) => {
            return Err(format!(
                "its matcher is a regular expression, but {} compares whole names here",
                title(to)
            ));
        }
        (MatchedSubjects::Regex(pattern), reads) => {
            if to == Dialect::Codex && ["(?=", "(?!", "(?<"].iter().any(|l| pattern.contains(l)) {
                return Err(format!("Codex does not support look-around in `{pattern}`"));
            }
            let pattern = match reads {
                MatchStyle::Whole => format!(".*(?:{pattern}).*"),
                _ if style(to, &bound, &pattern) == MatchStyle::Search => pattern,
                // Without the group, the other dialect would take it for a list of names.
                _ => format!("(?:{pattern})"),
            };
            vec![Some(pattern)]
        }
    })
}

fn list(names: &[String], to: Dialect, bound: &BoundEvent, reads: MatchStyle) -> String {
    let plain = names.join("|");
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let words = names
        .iter()
        .all(|name| !name.is_empty() && name.chars().all(is_word));
    let by_name = style(to, bound, &plain) == MatchStyle::Names;
    if words && (by_name || reads == MatchStyle::Whole) {
        return plain;
    }
    let escaped: Vec<String> = names.iter().map(|name| escape(name)).collect();
    let escaped = escaped.join("|");
    match (reads, names.len()) {
        (MatchStyle::Whole, _) => escaped,
        (_, 1) => format!("^{escaped}$"),
        _ => format!("^({escaped})$"),
    }
}

fn escape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if !c.is_alphanumeric() && !matches!(c, '_' | ' ' | ':') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
