//! Filters in addition to the matcher: lists of tools, path globs, and `Tool(pattern)` conditions.

use crate::event::Event;
use crate::tool::{ToolCall, canonical_name};

/// Tools and paths a hook is limited to. Empty lists do not limit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Filter {
    /// Tool names, canonical or native, exact.
    pub tool: Vec<String>,
    /// Globs over file paths.
    pub path: Vec<String>,
}

impl Filter {
    /// Whether nothing is filtered.
    pub fn is_empty(&self) -> bool {
        self.tool.is_empty() && self.path.is_empty()
    }

    /// Whether the event passes. A filter on something the event does not have rejects the event.
    pub fn passes(&self, event: &Event) -> bool {
        self.tool_passes(event.call()) && self.path_passes(event)
    }

    fn tool_passes(&self, call: Option<&ToolCall>) -> bool {
        self.tool.is_empty()
            || call.is_some_and(|call| self.tool.iter().any(|name| is_named(call, name)))
    }

    fn path_passes(&self, event: &Event) -> bool {
        if self.path.is_empty() {
            return true;
        }
        event.paths().iter().any(|path| {
            self.path
                .iter()
                .any(|glob| path_matches(glob, path, event.cwd.as_deref()))
        })
    }
}

/// Whether a glob matches a path as the agent wrote it. Both are compared as written, relative to the working
/// directory and absolute, so `src/**` matches `/work/app/src/a.rs`, `./src/a.rs` and `src/a.rs`.
pub fn path_matches(glob: &str, path: &str, cwd: Option<&str>) -> bool {
    let path = normalize(path);
    let glob = normalize(glob);
    if glob_matches(&glob, &path) {
        return true;
    }
    let Some(cwd) = cwd.map(normalize).filter(|cwd| !cwd.is_empty()) else {
        return false;
    };
    if let Some(relative) = path
        .strip_prefix(cwd.as_str())
        .and_then(|rest| rest.strip_prefix('/'))
    {
        return glob_matches(&glob, relative);
    }
    !is_absolute(&path) && glob_matches(&glob, &format!("{cwd}/{path}"))
}

fn glob_matches(glob: &str, path: &str) -> bool {
    if cfg!(any(target_os = "macos", target_os = "windows")) {
        fast_glob::glob_match(glob.to_lowercase(), path.to_lowercase())
    } else {
        fast_glob::glob_match(glob, path)
    }
}

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.as_bytes().get(1) == Some(&b':')
}

/// Normalizes a path: `/` as separator, no `.` parts, `..` resolved where possible.
fn normalize(path: &str) -> String {
    let path = if cfg!(windows) {
        path.replace('\\', "/")
    } else {
        path.to_owned()
    };
    if !path.contains("./")
        && !path.contains("//")
        && !path.ends_with("/.")
        && !path.ends_with("/..")
    {
        return path.trim_end_matches('/').to_owned();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') {
        format!("/{joined}")
    } else {
        joined
    }
}

/// `Tool` or `Tool(pattern)`: the pattern is a glob over the command or the file path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    tool: String,
    pattern: Option<String>,
}

impl Condition {
    /// Parses `Bash(git *)`, `Write(*.json)`, `Read`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (tool, pattern) = match text.split_once('(') {
            Some((tool, rest)) => (tool.trim(), Some(rest.strip_suffix(')')?.trim().to_owned())),
            None => (text, None),
        };
        let named = !tool.is_empty()
            && tool
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '*'));
        named.then(|| Self {
            tool: tool.to_owned(),
            pattern,
        })
    }

    /// Whether the condition matches the call.
    pub fn matches(&self, call: &ToolCall, cwd: Option<&str>) -> bool {
        let tool =
            self.tool.contains('*') && call.names().iter().any(|name| wildcard(&self.tool, name));
        if !tool && !is_named(call, &self.tool) {
            return false;
        }
        match &self.pattern {
            None => true,
            Some(pattern) if matches!(pattern.as_str(), "" | "*" | ":*") => true,
            Some(pattern) => match call.command().filter(|_| call.patch().is_none()) {
                Some(command) => wildcard(&pattern.replace(":*", "*"), command),
                None => call.paths().iter().any(|path| {
                    // `*.json` in a condition matches a JSON file in any directory.
                    path_matches(pattern, path, cwd)
                        || (!pattern.contains('/')
                            && path
                                .rsplit('/')
                                .next()
                                .is_some_and(|name| glob_matches(pattern, name)))
                }),
            },
        }
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.pattern {
            Some(pattern) => write!(f, "{}({pattern})", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

fn is_named(call: &ToolCall, name: &str) -> bool {
    let canonical = canonical_name(name);
    call.names().contains(&name) || call.name == canonical || call.stands_for().contains(&canonical)
}

/// Matches `*` against any text, including `/` and spaces. Linear in practice: only the last star is retried.
fn wildcard(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            retry = Some((p + 1, t));
            p += 1;
        } else if pattern.get(p) == Some(&text[t]) {
            p += 1;
            t += 1;
        } else if let Some((after_star, from)) = retry {
            retry = Some((after_star, from + 1));
            p = after_star;
            t = from + 1;
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|c| *c == b'*')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn path_globs_match_relative_absolute_and_dotted_spellings() {
        for (glob, path, expected) in [
            ("src/**/*.ts", "src/a.ts", true),
            ("src/**/*.ts", "./src/a.ts", true),
            ("src/**/*.ts", "/work/app/src/deep/a.ts", true),
            ("src/**/*.ts", "src/.hidden/a.ts", true),
            ("**/*.ts", ".github/x.ts", true),
            ("./src/*.rs", "src/main.rs", true),
            ("/work/app/src/*.rs", "src/main.rs", true),
            ("src/**/*.ts", "lib/a.ts", false),
            ("src/**/*.ts", "/elsewhere/src/a.ts", false),
            ("src/**", "src/../secret", false),
            ("secret", "src/../secret", true),
            ("*.{ts,js}", "a.js", true),
        ] {
            assert_eq!(
                path_matches(glob, path, Some("/work/app")),
                expected,
                "{glob} on {path}"
            );
        }
    }

    #[test]
    fn conditions_test_the_command_or_the_path() {
        let bash = |command: &str| ToolCall::new("Bash", json!({ "command": command }));
        let write = |path: &str| ToolCall::new("write_file", json!({ "file_path": path }));
        let patch = |path: &str| {
            let text = format!("*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch");
            ToolCall::new("apply_patch", json!({ "command": text }))
        };
        for (condition, call, expected) in [
            ("Bash(git *)", bash("git push --force"), true),
            ("Bash(git *)", bash("ls"), false),
            ("Bash(git:*)", bash("git push"), true),
            ("Bash(*force*)", bash("git push --force"), true),
            ("Write(*.json)", write("/a/b/c.json"), true),
            ("Write(*.json)", write("c.txt"), false),
            ("Write(src/**)", write("/w/src/x.rs"), true),
            ("Write", write("c.txt"), true),
            ("Bash", write("c.txt"), false),
            ("mcp__*", ToolCall::new("mcp__a__b", json!({})), true),
            ("Write(src/**)", patch("/w/src/x.rs"), true),
            ("write_file(src/**)", patch("src/x.rs"), true),
            ("ApplyPatch(src/**)", patch("src/x.rs"), true),
            ("Write(src/**)", patch("lib/x.rs"), false),
            ("Edit(src/**)", patch("src/x.rs"), false),
            ("Bash(*src*)", patch("src/x.rs"), false),
        ] {
            assert_eq!(
                Condition::parse(condition)
                    .expect(condition)
                    .matches(&call, Some("/w")),
                expected,
                "{condition} on {call:?}"
            );
        }
        assert_eq!(Condition::parse("Bash(git"), None);
        assert_eq!(Condition::parse(""), None);
    }
}
