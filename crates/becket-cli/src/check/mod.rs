//! `becket check`: what the guard would say to a command or a file tool, without running anything.
//!
//! The question is hypothetical, so every file is taken to exist: `rm -rf data` is judged the same whether
//! or not there is such a directory here.

mod rules;

use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

use anyhow::bail;
use becket::facts::FileFacts;
use becket::guard;
use becket::model::{HookSpec, ToolCall, Verdict};
use becket::respond::untrusted_hooks;
use becket::{Home, load, project};
use becket_guard::judge::Judgement;
use becket_guard::policy::Policy;
use becket_guard::rule::Preset;
use becket_guard::{Facts, Found, NoFacts};
use serde_json::{Map, Value, json};

use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::explain::shown::{advice, underlined};
use crate::report::{SCHEMA_VERSION, Style, print, print_json, tame};

pub(crate) fn main(args: &CheckArgs) -> anyhow::Result<Exit> {
    if args.rules {
        return rules::main(args.here.json);
    }
    let (home, root) = args.here.find()?;
    let policy = policy(args, &home, &root)?;
    let bench = Bench {
        policy: &policy,
        home: &home,
        cwd: std::env::current_dir().unwrap_or(root),
    };
    if args.batch {
        return bench.batch();
    }
    if args.command.is_empty() {
        bail!(
            "there is nothing to check: write `becket check -- COMMAND`, or `--batch` with JSON lines on standard input"
        );
    }
    let text = line(&args.command);
    let call = ToolCall::new("Bash", json!({ "command": text }));
    let judgement = bench.judge(&call, None);
    if args.here.json {
        let mut answer = answer(&Value::Null, judgement.as_ref());
        answer["schema_version"] = json!(SCHEMA_VERSION);
        print_json(&answer)?;
    } else {
        print(&shown(&text, judgement.as_ref()));
    }
    let stops = judgement.is_none_or(|judgement| judgement.verdict >= Verdict::Ask);
    Ok(if stops { Exit::Failure } else { Exit::Success })
}

/// The policy of the configured guard, or the ordinary one, with the preset that is asked for.
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

/// One word is a line of shell; several are a program and its arguments.
pub(crate) fn line(words: &[String]) -> String {
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

/// Everything that a judgement needs.
struct Bench<'a> {
    policy: &'a Policy,
    home: &'a Home,
    cwd: PathBuf,
}

impl Bench<'_> {
    fn judge(&self, call: &ToolCall, cwd: Option<&str>) -> Option<Judgement> {
        let cwd = cwd.map_or_else(|| self.cwd.clone(), PathBuf::from);
        let root = project::root(&cwd, &self.home.user);
        let place = guard::place(self.home, &root, cwd.to_str());
        let files = FileFacts {
            home: &self.home.user,
        };
        // A directory that is not here is on some other machine, of which nothing is known.
        let facts: &dyn Facts = if cwd.is_dir() {
            &Supposed(files)
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
            writeln!(out, "{}", self.one(&line))?;
            out.flush()?;
        }
        Ok(Exit::Success)
    }

    /// What is no question is answered, too: with `ask`, and what is wrong with it.
    fn one(&self, line: &str) -> Value {
        let question: Map<String, Value> = match serde_json::from_str(line) {
            Ok(question) => question,
            Err(error) => return refusal(&Value::Null, &format!("not a JSON object: {error}")),
        };
        let id = question.get("id").cloned().unwrap_or_default();
        let cwd = question.get("cwd").and_then(Value::as_str);
        let call = match call(&question) {
            Ok(call) => call,
            Err(why) => return refusal(&id, why),
        };
        answer(&id, self.judge(&call, cwd).as_ref())
    }
}

fn call(question: &Map<String, Value>) -> Result<ToolCall, &'static str> {
    let tool = question.get("tool").and_then(Value::as_str);
    let command = question.get("command");
    match (tool, command) {
        (None, Some(Value::String(command))) => {
            Ok(ToolCall::new("Bash", json!({ "command": command })))
        }
        (None, Some(_)) => Err("`command` is not text"),
        (None, None) => Err("there is neither `command` nor `tool`"),
        (Some(tool), _) => {
            let nested = question.get("input").filter(|input| input.is_object());
            let mut input = nested.cloned().unwrap_or_else(|| json!(question));
            if let (None, Some(fields)) = (nested, input.as_object_mut()) {
                for key in ["id", "cwd", "tool"] {
                    fields.remove(key);
                }
            }
            Ok(ToolCall::new(tool, input))
        }
    }
}

fn answer(id: &Value, judgement: Option<&Judgement>) -> Value {
    let Some(judgement) = judgement else {
        return refusal(id, "there is no command in it");
    };
    json!({
        "id": id,
        "verdict": judgement.verdict.word(),
        "rule": judgement.rule.map(|rule| rule.id),
        "reason": judgement.reason,
    })
}

fn refusal(id: &Value, why: &str) -> Value {
    json!({ "id": id, "verdict": "ask", "rule": null, "reason": why })
}

fn shown(text: &str, judgement: Option<&Judgement>) -> String {
    let style = Style::stdout();
    let Some(judgement) = judgement else {
        return "ask: there is no command in it\n".to_owned();
    };
    let verdict = match judgement.verdict {
        Verdict::NoOpinion => "none: nothing speaks against it",
        Verdict::Allow => "allow: it only reads",
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
        out += &format!("  {}\n", tame(reason));
    }
    out
}

/// Facts in which nothing is missing.
struct Supposed<'a>(FileFacts<'a>);

impl Facts for Supposed<'_> {
    fn found(&self, path: &str) -> Option<Found> {
        self.0.found(path).filter(|found| *found != Found::Missing)
    }
    fn real(&self, path: &str) -> Option<String> {
        self.0.real(path)
    }
    fn script(&self, path: &str) -> Option<String> {
        self.0.script(path)
    }
    fn git_alias(&self, name: &str, cwd: &str) -> Option<String> {
        self.0.git_alias(name, cwd)
    }
    fn names(&self, directory: &str) -> Vec<String> {
        self.0.names(directory)
    }
}

/// A preset on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum PresetArg {
    /// Only what no one wants
    Permissive,
    /// Denies what is irreversible or leaks secrets, asks for the doubtful
    Standard,
    /// Denies the doubtful too
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
