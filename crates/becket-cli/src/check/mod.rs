//! `becket check`: the guard's verdict on a command or a file tool, without running it.
//!
//! The check assumes that every file exists: `rm -rf data` gets the same verdict whether or not the directory is there.

mod rules;

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use becket::facts::FileFacts;
use becket::guard;
use becket::model::{HookSpec, ToolCall, Verdict};
use becket::pipeline::untrusted_hooks;
use becket::{Home, load, project};
use becket_guard::judge::Judgement;
use becket_guard::policy::Policy;
use becket_guard::rule::Preset;
use becket_guard::{Facts, NoFacts, PathKind};
use serde_json::{Map, Value, json};

use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::explain::render::{advice, underlined};
use crate::report::{SCHEMA_VERSION, Style, print, print_json, sanitize};

pub(crate) fn main(args: &CheckArgs) -> anyhow::Result<Exit> {
    if args.rules {
        return rules::main(args.here.json);
    }
    let (home, root) = args.here.find()?;
    let policy = policy(args, &home, &root)?;
    let context = CheckContext {
        policy: &policy,
        home: &home,
        cwd: std::env::current_dir().unwrap_or(root),
    };
    if args.batch {
        return context.batch();
    }
    if args.command.is_empty() {
        bail!(
            "no command to check; use `becket check -- COMMAND`, or `becket check --batch` with JSON Lines on standard input"
        );
    }
    let text = shell_line(&args.command);
    let call = ToolCall::new("Bash", json!({ "command": text }));
    let judgement = context.judge(&call, None);
    if args.here.json {
        let mut answer = result_json(&Value::Null, judgement.as_ref());
        answer["schema_version"] = json!(SCHEMA_VERSION);
        print_json(&answer)?;
    } else {
        print(&render(&text, judgement.as_ref()));
    }
    let stops = judgement.is_none_or(|judgement| judgement.verdict >= Verdict::Ask);
    Ok(if stops { Exit::Failure } else { Exit::Success })
}

/// The policy of the configured guard, or the default policy; `--preset` overrides the preset.
fn policy(args: &CheckArgs, home: &Home, root: &Path) -> anyhow::Result<Policy> {
    let configuration = load(home, Some(root), None);
    let untrusted = untrusted_hooks(&configuration, home, root);
    let hooks = configuration.loaded.hooks.iter();
    let enabled: Vec<&HookSpec> = hooks
        .filter(|hook| hook.enabled && !untrusted.contains(hook))
        .collect();
    let mut own = enabled
        .iter()
        .filter(|hook| !hook.source.level.needs_trust() && guard::is_guard(hook));
    let mut policy = match own.next() {
        Some(hook) => guard::policy_of(hook, &enabled).map_err(anyhow::Error::msg)?,
        None => Policy::default(),
    };
    if let Some(preset) = args.preset {
        policy.preset = preset.into();
    }
    Ok(policy)
}

/// Joins arguments to a shell line: a single word is a shell line already, several words are quoted.
pub(crate) fn shell_line(words: &[String]) -> String {
    match words {
        [line] => line.clone(),
        words => words
            .iter()
            .map(|word| quoted(word))
            .collect::<Vec<_>>()
            .join(" "),
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_./:=@%+,~*?-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// What the guard needs for a verdict.
struct CheckContext<'a> {
    policy: &'a Policy,
    home: &'a Home,
    cwd: PathBuf,
}

impl CheckContext<'_> {
    fn judge(&self, call: &ToolCall, cwd: Option<&str>) -> Option<Judgement> {
        let cwd = cwd.map_or_else(|| self.cwd.clone(), PathBuf::from);
        let root = project::root(&cwd, &self.home.user);
        let place = guard::run_location(self.home, &root, cwd.to_str());
        let files = FileFacts {
            home: &self.home.user,
        };
        // A directory that does not exist here belongs to another machine; its files are unknown.
        let facts: &dyn Facts = if cwd.is_dir() {
            &AssumeFilesExist(files)
        } else {
            &NoFacts
        };
        guard::judge_call(call, self.policy, &place, facts)
    }

    fn batch(&self) -> anyhow::Result<Exit> {
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        for line in std::io::stdin().lock().lines() {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            writeln!(out, "{}", self.check_line(&line))?;
            out.flush()?;
        }
        Ok(Exit::Success)
    }

    /// Checks one JSON line. Invalid input yields the verdict `ask` with the error as the reason.
    fn check_line(&self, line: &str) -> Value {
        let request: Map<String, Value> = match serde_json::from_str(line) {
            Ok(request) => request,
            Err(error) => return ask_json(&Value::Null, &format!("not a JSON object: {error}")),
        };
        let id = request.get("id").cloned().unwrap_or_default();
        let cwd = request.get("cwd").and_then(Value::as_str);
        let call = match parse_call(&request) {
            Ok(call) => call,
            Err(why) => return ask_json(&id, why),
        };
        result_json(&id, self.judge(&call, cwd).as_ref())
    }
}

fn parse_call(request: &Map<String, Value>) -> Result<ToolCall, &'static str> {
    let tool = request.get("tool").and_then(Value::as_str);
    let command = request.get("command");
    match (tool, command) {
        (None, Some(Value::String(command))) => {
            Ok(ToolCall::new("Bash", json!({ "command": command })))
        }
        (None, Some(_)) => Err("`command` must be a string"),
        (None, None) => Err("needs `command` or `tool`"),
        (Some(tool), _) => {
            let nested = request.get("input").filter(|input| input.is_object());
            let mut input = nested.cloned().unwrap_or_else(|| json!(request));
            if let (None, Some(fields)) = (nested, input.as_object_mut()) {
                for key in ["id", "cwd", "tool"] {
                    fields.remove(key);
                }
            }
            Ok(ToolCall::new(tool, input))
        }
    }
}

fn result_json(id: &Value, judgement: Option<&Judgement>) -> Value {
    let Some(judgement) = judgement else {
        return ask_json(id, "the tool call contains no command");
    };
    json!({
        "id": id,
        "verdict": judgement.verdict.word(),
        "rule": judgement.rule.map(|rule| rule.id),
        "reason": judgement.reason,
    })
}

fn ask_json(id: &Value, why: &str) -> Value {
    json!({ "id": id, "verdict": "ask", "rule": null, "reason": why })
}

fn render(text: &str, judgement: Option<&Judgement>) -> String {
    let style = Style::stdout();
    let Some(judgement) = judgement else {
        return "ask: the tool call contains no command\n".to_owned();
    };
    let verdict = match judgement.verdict {
        Verdict::NoOpinion => "none: no rule matches",
        Verdict::Allow => "allow: read-only",
        verdict => verdict.word(),
    };
    let mut out = format!("{}\n", style.bold(verdict));
    for finding in &judgement.findings {
        out += &format!(
            "  {} ({})\n{}{}",
            style.bold(finding.rule.id),
            finding.rule.severity.word(),
            underlined(text, finding.span, style),
            advice(finding, judgement)
        );
    }
    if judgement.findings.is_empty()
        && let Some(reason) = judgement
            .reason
            .as_ref()
            .filter(|_| judgement.verdict > Verdict::Allow)
    {
        out += &format!("  {}\n", sanitize(reason));
    }
    out
}

/// File facts that treat every file as existing.
struct AssumeFilesExist<'a>(FileFacts<'a>);

impl Facts for AssumeFilesExist<'_> {
    fn path_kind(&self, path: &str) -> Option<PathKind> {
        self.0
            .path_kind(path)
            .filter(|found| *found != PathKind::Missing)
    }
    fn real_path(&self, path: &str) -> Option<String> {
        self.0.real_path(path)
    }
    fn script_text(&self, path: &str) -> Option<String> {
        self.0.script_text(path)
    }
    fn git_alias(&self, name: &str, cwd: &str) -> Option<String> {
        self.0.git_alias(name, cwd)
    }
    fn list_names(&self, directory: &str) -> Vec<String> {
        self.0.list_names(directory)
    }
}

/// A guard preset on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PresetArg {
    /// Block only catastrophic commands
    Permissive,
    /// Block irreversible commands and secret leaks, ask about doubtful ones
    Standard,
    /// Block doubtful commands too
    Strict,
}

impl From<PresetArg> for Preset {
    fn from(preset: PresetArg) -> Self {
        match preset {
            PresetArg::Permissive => Self::Permissive,
            PresetArg::Standard => Self::Standard,
            PresetArg::Strict => Self::Strict,
        }
    }
}
