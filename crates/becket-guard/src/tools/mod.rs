//! Judges tools other than the shell: file tools and MCP tools.
//!
//! They are judged by the same rules as commands; only the way to find paths differs. Known tools are recognized by
//! their canonical names. For other tools, including MCP tools, the name reveals the action (`action`) and the
//! argument names reveal the paths (`arguments`).
//!
//! The content of a written script is not judged here; it is judged when it runs.
//!
//! Start at [`check`].

mod action;
mod arguments;
mod patch;

use serde_json::Value;

use crate::command::{Invocation, Script, Word};
use crate::effects::{
    ActionOrigin, FindingReport, PathEffect, Verb, check_path_effect, classify_effects,
};
use crate::facts::{Facts, PathKind, RunLocation};
use crate::packs;
use crate::paths::{ClassifiedPath, FollowLinks, PathArea, PathContext, Protection, name};
use crate::redact;
use crate::rule::Finding;
use crate::rules;

use action::ToolAction;
use arguments::{PathArgument, PathRole};

/// Checks a call of `tool` with this input and adds the findings to `found`.
pub fn check(
    tool: &str,
    input: &Value,
    location: &RunLocation,
    facts: &dyn Facts,
    found: &mut Vec<Finding>,
) {
    let call = ToolCall::new(tool, input, PathContext::at(location, facts));
    let mut report = FindingReport::for_tool(tool, found);
    for effect in &call.effects {
        for classified in call
            .context
            .classify_word(&effect.target, effect.verb.follow_links())
        {
            check_path_effect(
                effect,
                &classified,
                &call.context,
                ActionOrigin::Tool,
                &mut report,
            );
        }
    }
    call.check_content(&mut report);
    if tool.starts_with("mcp__") {
        call.check_query(tool, location, facts, &mut report);
    }
    if call.too_many || call.context.is_exhausted() {
        report.add_command(&rules::CORE_TOO_MANY_PATHS);
    }
}

/// The effects of a tool call on classified paths.
pub fn classified_effects(
    tool: &str,
    input: &Value,
    location: &RunLocation,
    facts: &dyn Facts,
) -> Vec<(Verb, ClassifiedPath)> {
    let call = ToolCall::new(tool, input, PathContext::at(location, facts));
    classify_effects(&call.effects, &call.context)
}

struct ToolCall<'a> {
    context: PathContext<'a>,
    input: &'a Value,
    kind: CallKind,
    effects: Vec<PathEffect>,
    /// Whether the path limit was exceeded.
    too_many: bool,
}

/// The kind of tool call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallKind {
    Nothing,
    Grep,
    Fetch,
    Patch,
    /// A patch that names no file: all other path arguments count as edited.
    UnparsedPatch,
    Act(ToolAction),
}

impl CallKind {
    fn of(tool: &str) -> Self {
        match tool {
            "Bash" | "Task" | "Glob" | "List" | "WebSearch" | "TodoWrite" => Self::Nothing,
            "Grep" => Self::Grep,
            "WebFetch" => Self::Fetch,
            "ApplyPatch" => Self::Patch,
            _ => Self::Act(action::of(tool)),
        }
    }
}

impl<'a> ToolCall<'a> {
    fn new(tool: &str, input: &'a Value, context: PathContext<'a>) -> Self {
        let mut call = Self {
            context,
            input,
            kind: CallKind::of(tool),
            effects: Vec::new(),
            too_many: false,
        };
        match call.kind {
            CallKind::Nothing | CallKind::UnparsedPatch => {}
            CallKind::Grep => call.grep(),
            CallKind::Fetch => call.fetch(),
            CallKind::Patch => call.patch(),
            CallKind::Act(action) => call.act(action),
        }
        call
    }

    /// Checks SQL arguments of database tools, whatever the tool is called.
    fn check_query(
        &self,
        tool: &str,
        location: &RunLocation,
        facts: &dyn Facts,
        report: &mut FindingReport<'_>,
    ) {
        // Every search tool has a `query`; only that of a database is SQL.
        let keys: &[&str] = if names_database(tool) {
            &["sql", "statement", "query"]
        } else {
            &["sql"]
        };
        let texts = keys.iter().filter_map(|key| self.input.get(key)?.as_str());
        for text in texts {
            let command = Invocation {
                program: "psql".to_owned(),
                args: vec![Word::literal("-c"), Word::literal(text)],
                ..Invocation::default()
            };
            let mut found = Vec::new();
            packs::check(&command, &Script::default(), location, facts, &mut found);
            for finding in found
                .iter()
                .filter(|finding| finding.rule.pack() == "databases")
            {
                report.add_command(finding.rule);
            }
        }
    }

    fn add_effect(&mut self, verb: Verb, path: &str) {
        self.effects.push(PathEffect::new(verb, word(path)));
    }

    fn act(&mut self, action: ToolAction) {
        let arguments = arguments::paths(self.input);
        self.too_many |= arguments.too_many;
        for path in &arguments.paths {
            for verb in self.verbs(action, path) {
                self.add_effect(verb, &path.text);
            }
        }
    }

    /// The effects of the tool on one of its paths.
    fn verbs(&self, action: ToolAction, path: &PathArgument) -> Vec<Verb> {
        let is_source = path.role == PathRole::Source;
        match action {
            ToolAction::Inspect => Vec::new(),
            ToolAction::Write => vec![Verb::Truncate],
            ToolAction::Edit => vec![Verb::Write],
            ToolAction::Delete => vec![self.deletion(&path.text)],
            ToolAction::Upload => vec![Verb::Upload],
            ToolAction::Copy if is_source => vec![Verb::CopyFrom],
            ToolAction::Copy => vec![Verb::CopyOnto],
            ToolAction::Move if is_source => vec![Verb::MoveFrom],
            ToolAction::Move if path.role == PathRole::Target => vec![Verb::MoveOnto],
            ToolAction::Move => vec![Verb::MoveFrom, Verb::MoveOnto],
            // An unknown action on a guard or agent setting counts as a write.
            ToolAction::Unknown if self.is_protected_setting(&path.text) => vec![Verb::Write],
            ToolAction::Unknown | ToolAction::Read => vec![Verb::Read],
        }
    }

    fn is_protected_setting(&self, path: &str) -> bool {
        let candidates = self.context.classify_word(&word(path), FollowLinks::Always);
        candidates.iter().any(|classified| {
            matches!(
                classified.protection,
                Some(Protection::Becket | Protection::Agent { .. })
            )
        })
    }

    /// Deletion tools also accept directories. If no fact is available, a name with an extension counts as a file.
    fn deletion(&self, path: &str) -> Verb {
        let is_file = match self.context.path_kind(&self.context.absolute(path)) {
            Some(found) => found != PathKind::Directory,
            None => name(path).trim_start_matches('.').contains('.'),
        };
        if is_file {
            Verb::Delete
        } else {
            Verb::DeleteRecursive
        }
    }

    fn grep(&mut self) {
        let input = self.input;
        let text = |key: &str| input.get(key).and_then(Value::as_str);
        if matches!(text("output_mode"), Some("files_with_matches" | "count")) {
            return;
        }
        let root = text("path").or_else(|| text("file_path"));
        if let Some(root) = root {
            self.add_effect(Verb::Read, root);
        }
        for key in ["glob", "include", "include_pattern"] {
            if let Some(glob) = text(key).filter(|glob| !glob.starts_with('!')) {
                // Only the last component counts: `**/.env` means any `.env`.
                let path = format!("{}/{}", root.unwrap_or("."), name(glob));
                self.add_effect(Verb::Read, &path);
            }
        }
    }

    fn fetch(&mut self) {
        let texts: Vec<&str> = self.fetched().collect();
        let words = texts.iter().flat_map(|text| text.split_whitespace());
        for url in words.filter(|word| word.starts_with("file:")) {
            self.add_effect(Verb::Read, &arguments::from_uri(url));
        }
    }

    fn fetched(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let input = self.input;
        let texts = ["url", "uri", "prompt"].into_iter();
        texts.filter_map(|key| input.get(key)?.as_str())
    }

    fn patch(&mut self) {
        let steps = self.patched().map(patch::steps).unwrap_or_default();
        if steps.is_empty() {
            self.kind = CallKind::UnparsedPatch;
            self.act(ToolAction::Edit);
        }
        for step in &steps {
            let verb = if step.verb == Verb::Delete {
                self.deletion(&step.path)
            } else {
                step.verb
            };
            self.add_effect(verb, &step.path);
        }
    }

    fn patched(&self) -> Option<&'a str> {
        let input = self.input;
        let mut keys = ["patch", "input", "command", "diff", "content"].iter();
        keys.find_map(|key| input.get(key)?.as_str())
    }

    /// Checks written or sent text for tokens, unless the file is a secret file or temporary.
    fn check_content(&self, report: &mut FindingReport<'_>) {
        let is_secret = |classified: &ClassifiedPath| classified.secret.is_some();
        let fits = |classified: &ClassifiedPath| {
            is_secret(classified) || matches!(classified.area, PathArea::Temp | PathArea::Build)
        };
        let patch = self.patched().into_iter();
        let written = || arguments::texts(self.input).into_iter();
        let found = match self.kind {
            CallKind::Nothing | CallKind::Grep => false,
            CallKind::Fetch => {
                if self.fetched().any(has_token) {
                    report.add_command(&rules::SECRETS_IN_COMMAND);
                }
                let mut words = self.fetched().flat_map(str::split_whitespace);
                if words.any(packs::is_metadata_service) {
                    report.add_command(&rules::SERVICES_METADATA);
                }
                false
            }
            CallKind::Patch => {
                let lines = patch.flat_map(str::lines);
                let mut added = lines.filter_map(|line| line.strip_prefix('+'));
                !self.all_targets(is_secret) && added.any(has_token)
            }
            CallKind::UnparsedPatch => {
                !self.all_targets(fits) && written().chain(patch).any(has_token)
            }
            CallKind::Act(action) => {
                action.writes() && !self.all_targets(fits) && written().any(has_token)
            }
        };
        if found {
            let first = self.effects.first();
            let named = first.map_or("", |effect| effect.target.text.as_str());
            report.add_path(&rules::SECRETS_IN_CONTENT, named);
        }
    }

    /// Whether every target satisfies `fits`.
    fn all_targets(&self, fits: impl Fn(&ClassifiedPath) -> bool) -> bool {
        let mut paths = self.effects.iter().map(|effect| &effect.target.text);
        !self.effects.is_empty()
            && paths.all(|path| fits(&self.context.classify(self.context.absolute(path))))
    }
}

fn names_database(tool: &str) -> bool {
    let tool = tool.to_ascii_lowercase();
    [
        "sql",
        "postgres",
        "database",
        "bigquery",
        "snowflake",
        "supabase",
        "neon",
        "clickhouse",
        "duckdb",
        "maria",
        "cockroach",
        "planetscale",
        "_db_",
        "redshift",
    ]
    .iter()
    .any(|name| tool.contains(name))
}

fn has_token(text: &str) -> bool {
    redact::find(text)
        .iter()
        .any(|found| found.kind.is_unmistakable())
}

/// Brackets are common in file names (`[id].tsx`), stars are not.
fn word(path: &str) -> Word {
    Word {
        glob: path.contains(['*', '?']) || (path.contains('{') && path.contains(',')),
        ..Word::literal(path)
    }
}
