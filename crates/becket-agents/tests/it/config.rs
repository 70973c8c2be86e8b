//! Configuration of every dialect: text in, hooks and problems out.

mod across_agents;
mod autohand;
mod becket;
mod builtin;
mod change;
mod claude;
mod claude_agent;
mod code_agent;
mod codex;
mod component;
mod convert;
mod copilot;
mod cursor;
mod gemini;
mod laws;
mod learn;
mod problems;
mod services;

use std::path::Path;
use std::time::Duration;

use becket_agents::config::ConfigFile;
use becket_model::{Action, HookSpec, Layer, Level, Severity};

type Load = fn(&ConfigFile) -> Layer;

/// Loads a text as a project's file.
fn load(reader: Load, text: &str) -> Layer {
    load_as(reader, "/w/file", text)
}

fn load_as(reader: Load, path: &str, text: &str) -> Layer {
    reader(&ConfigFile {
        path: Path::new(path),
        level: Level::Project,
        text,
        root: None,
    })
}

/// Loads a text that must have no problems.
fn clean(reader: Load, text: &str) -> Vec<HookSpec> {
    let layer = load(reader, text);
    assert_eq!(problem_lines(&layer), [""; 0], "{text}");
    assert_eq!(layer.broken, []);
    layer.hooks
}

/// Problems as `E 4 key: message`, or `W …` for warnings.
fn problem_lines(layer: &Layer) -> Vec<String> {
    layer
        .problems
        .iter()
        .map(|problem| {
            assert_eq!(problem.file, Path::new("/w/file"));
            let mark = match problem.severity {
                Severity::Error => 'E',
                Severity::Warning => 'W',
            };
            format!(
                "{mark} {} {}: {}",
                problem.line, problem.key, problem.message
            )
        })
        .collect()
}

/// Hooks as `line event matcher type action timeout`.
fn shown(hooks: &[HookSpec]) -> Vec<String> {
    hooks
        .iter()
        .map(|hook| {
            format!(
                "{} {} [{}] {} `{}` {:?}",
                hook.source.line,
                hook.event.name(),
                hook.matcher.pattern(),
                hook.action.kind(),
                hook.action.summary(),
                hook.timeout
            )
        })
        .collect()
}

fn only(mut hooks: Vec<HookSpec>) -> HookSpec {
    assert_eq!(hooks.len(), 1, "{hooks:?}");
    hooks.remove(0)
}

fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn command(text: &str) -> Action {
    Action::Command {
        command: text.into(),
        args: None,
    }
}
