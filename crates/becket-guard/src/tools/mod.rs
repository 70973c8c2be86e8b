//! What file tools and MCP tools would do to which paths.
//!
//! The same rules as for commands; only the way to the paths differs. Tools are known by their canonical
//! names; of others, MCP's among them, the name says what they do (`action`) and the arguments' names which of
//! them are paths (`arguments`).
//!
//! What a written script would do is not judged here: that is judged when it is run.
//!
//! Start at [`check`].

mod action;
mod arguments;
mod patch;

use serde_json::Value;

use crate::command::{Invocation, Script, Word};
use crate::effects::{Effect, Origin, Report, Verb, judge, rules, touched};
use crate::facts::{Facts, Found, Place};
use crate::packs;
use crate::paths::{Area, Follow, Guarded, Scene, Spot, name};
use crate::redact;
use crate::rule::Finding;

use action::Action;
use arguments::{Argument, Role};

/// Adds to `found` what is wrong with a call of `tool` with this input.
pub fn check(
    tool: &str,
    input: &Value,
    place: &Place,
    facts: &dyn Facts,
    found: &mut Vec<Finding>,
) {
    let call = Call::new(tool, input, Scene::at(place, facts));
    let mut report = Report::on_tool(tool, found);
    for effect in &call.effects {
        for spot in call.scene.spots(&effect.target, effect.verb.follow()) {
            judge(effect, &spot, &call.scene, Origin::Tool, &mut report);
        }
    }
    call.content(&mut report);
    if tool.starts_with("mcp__") {
        call.query(tool, place, facts, &mut report);
    }
    if call.too_many || call.scene.is_exhausted() {
        report.command(&rules::TOO_MANY_PATHS);
    }
}

/// What a call would do to which paths.
pub fn touches(tool: &str, input: &Value, place: &Place, facts: &dyn Facts) -> Vec<(Verb, Spot)> {
    let call = Call::new(tool, input, Scene::at(place, facts));
    touched(&call.effects, &call.scene)
}

struct Call<'a> {
    scene: Scene<'a>,
    input: &'a Value,
    does: Does,
    effects: Vec<Effect>,
    /// There are more paths than were looked at.
    too_many: bool,
}

/// What sort of call it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Does {
    Nothing,
    Grep,
    Fetch,
    Patch,
    /// A patch that names no file: whatever else is named is edited.
    Unread,
    Act(Action),
}

impl Does {
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

impl<'a> Call<'a> {
    fn new(tool: &str, input: &'a Value, scene: Scene<'a>) -> Self {
        let mut call = Self {
            scene,
            input,
            does: Does::of(tool),
            effects: Vec::new(),
            too_many: false,
        };
        match call.does {
            Does::Nothing | Does::Unread => {}
            Does::Grep => call.grep(),
            Does::Fetch => call.fetch(),
            Does::Patch => call.patch(),
            Does::Act(action) => call.act(action),
        }
        call
    }

    /// Databases are asked in SQL, whatever the tool is called.
    fn query(&self, tool: &str, place: &Place, facts: &dyn Facts, report: &mut Report<'_>) {
        // Every search has a query; only a database's is SQL.
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
            packs::check(&command, &Script::default(), place, facts, &mut found);
            for finding in found
                .iter()
                .filter(|finding| finding.rule.pack() == "databases")
            {
                report.command(finding.rule);
            }
        }
    }

    fn touch(&mut self, verb: Verb, path: &str) {
        self.effects.push(Effect::new(verb, word(path)));
    }

    fn act(&mut self, action: Action) {
        let arguments = arguments::paths(self.input);
        self.too_many |= arguments.too_many;
        for path in &arguments.paths {
            for verb in self.verbs(action, path) {
                self.touch(verb, &path.text);
            }
        }
    }

    /// What the tool does to one of its paths.
    fn verbs(&self, action: Action, path: &Argument) -> Vec<Verb> {
        let is_source = path.role == Role::Source;
        match action {
            Action::Look => Vec::new(),
            Action::Write => vec![Verb::Truncate],
            Action::Edit => vec![Verb::Write],
            Action::Delete => vec![self.deletion(&path.text)],
            Action::Upload => vec![Verb::Upload],
            Action::Copy if is_source => vec![Verb::CopyFrom],
            Action::Copy => vec![Verb::CopyOnto],
            Action::Move if is_source => vec![Verb::MoveFrom],
            Action::Move if path.role == Role::Target => vec![Verb::MoveOnto],
            Action::Move => vec![Verb::MoveFrom, Verb::MoveOnto],
            // Where nobody knows, what governs guards is not to be touched on a guess.
            Action::Unknown if self.is_governing(&path.text) => vec![Verb::Write],
            Action::Unknown | Action::Read => vec![Verb::Read],
        }
    }

    fn is_governing(&self, path: &str) -> bool {
        let spots = self.scene.spots(&word(path), Follow::Links);
        spots
            .iter()
            .any(|spot| matches!(spot.guarded, Some(Guarded::Own | Guarded::Agent { .. })))
    }

    /// Tools that delete take directories, too. Where nobody can look, a name with an ending is a file's.
    fn deletion(&self, path: &str) -> Verb {
        let is_file = match self.scene.found(&self.scene.absolute(path)) {
            Some(found) => found != Found::Directory,
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
            self.touch(Verb::Read, root);
        }
        for key in ["glob", "include", "include_pattern"] {
            if let Some(glob) = text(key).filter(|glob| !glob.starts_with('!')) {
                // Only the last part tells: `**/.env` is `.env` somewhere.
                let path = format!("{}/{}", root.unwrap_or("."), name(glob));
                self.touch(Verb::Read, &path);
            }
        }
    }

    fn fetch(&mut self) {
        let texts: Vec<&str> = self.fetched().collect();
        let words = texts.iter().flat_map(|text| text.split_whitespace());
        for url in words.filter(|word| word.starts_with("file:")) {
            self.touch(Verb::Read, &arguments::from_uri(url));
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
            self.does = Does::Unread;
            self.act(Action::Edit);
        }
        for step in &steps {
            let verb = if step.verb == Verb::Delete {
                self.deletion(&step.path)
            } else {
                step.verb
            };
            self.touch(verb, &step.path);
        }
    }

    fn patched(&self) -> Option<&'a str> {
        let input = self.input;
        let mut keys = ["patch", "input", "command", "diff", "content"].iter();
        keys.find_map(|key| input.get(key)?.as_str())
    }

    /// Tokens in what is written or sent, unless the file is made for secrets or temporary.
    fn content(&self, report: &mut Report<'_>) {
        let is_secret = |spot: &Spot| spot.secret.is_some();
        let fits = |spot: &Spot| is_secret(spot) || matches!(spot.area, Area::Temp | Area::Build);
        let patch = self.patched().into_iter();
        let written = || arguments::texts(self.input).into_iter();
        let found = match self.does {
            Does::Nothing | Does::Grep => false,
            Does::Fetch => {
                if self.fetched().any(has_token) {
                    report.command(&rules::SECRET_IN_COMMAND);
                }
                let mut words = self.fetched().flat_map(str::split_whitespace);
                if words.any(packs::is_metadata_service) {
                    report.command(&packs::METADATA);
                }
                false
            }
            Does::Patch => {
                let lines = patch.flat_map(str::lines);
                let mut added = lines.filter_map(|line| line.strip_prefix('+'));
                !self.only(is_secret) && added.any(has_token)
            }
            Does::Unread => !self.only(fits) && written().chain(patch).any(has_token),
            Does::Act(action) => action.writes() && !self.only(fits) && written().any(has_token),
        };
        if found {
            let first = self.effects.first();
            let named = first.map_or("", |effect| effect.target.text.as_str());
            report.path(&rules::SECRET_IN_CONTENT, named);
        }
    }

    /// Whether every path is of a kind where tokens are at home.
    fn only(&self, fits: impl Fn(&Spot) -> bool) -> bool {
        let mut paths = self.effects.iter().map(|effect| &effect.target.text);
        !self.effects.is_empty()
            && paths.all(|path| fits(&self.scene.spot(self.scene.absolute(path))))
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

/// Brackets are ordinary in file names (`[id].tsx`), stars are not.
fn word(path: &str) -> Word {
    Word {
        glob: path.contains(['*', '?']) || (path.contains('{') && path.contains(',')),
        ..Word::literal(path)
    }
}
