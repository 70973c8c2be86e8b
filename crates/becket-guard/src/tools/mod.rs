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

use crate::command::Word;
use crate::effects::{Effect, Origin, Report, Verb, judge, rules};
use crate::facts::{Facts, Found, Place};
use crate::paths::{Area, Follow, Guarded, Scene, name};
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
    let call = Call {
        scene: Scene::at(place, facts),
        input,
    };
    let mut report = Report::on_tool(tool, found);
    match tool {
        "Bash" | "Task" | "Glob" | "List" | "WebSearch" | "TodoWrite" => {}
        "Grep" => call.grep(&mut report),
        "WebFetch" => call.fetch(&mut report),
        "ApplyPatch" => call.patch(&mut report),
        _ => call.act(action::of(tool), &mut report),
    }
    if call.scene.is_exhausted() {
        report.command(&rules::TOO_MANY_PATHS);
    }
}

struct Call<'a> {
    scene: Scene<'a>,
    input: &'a Value,
}

impl Call<'_> {
    fn act(&self, action: Action, report: &mut Report<'_>) {
        let paths = arguments::paths(self.input);
        for path in &paths {
            for verb in self.verbs(action, path) {
                self.judge(verb, &path.text, report);
            }
        }
        if action.writes() {
            self.content(&paths, report);
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

    fn judge(&self, verb: Verb, path: &str, report: &mut Report<'_>) {
        let effect = Effect::new(verb, word(path));
        for spot in self.scene.spots(&effect.target, verb.follow()) {
            judge(&effect, &spot, &self.scene, Origin::Tool, report);
        }
    }

    /// Tokens in what is written, unless the file is made for secrets or temporary.
    fn content(&self, paths: &[Argument], report: &mut Report<'_>) {
        let fits = |path: &Argument| {
            let spot = self.scene.spot(self.scene.absolute(&path.text));
            spot.secret.is_some() || matches!(spot.area, Area::Temp | Area::Build)
        };
        if !paths.is_empty() && paths.iter().all(fits) {
            return;
        }
        if arguments::texts(self.input)
            .iter()
            .any(|text| has_token(text))
        {
            let path = paths.first().map_or("", |path| path.text.as_str());
            report.path(&rules::SECRET_IN_CONTENT, path);
        }
    }

    fn grep(&self, report: &mut Report<'_>) {
        let mode = self.input.get("output_mode").and_then(Value::as_str);
        if matches!(mode, Some("files_with_matches" | "count")) {
            return;
        }
        let text = |key: &str| self.input.get(key).and_then(Value::as_str);
        let root = text("path").or_else(|| text("file_path"));
        if let Some(root) = root {
            self.judge(Verb::Read, root, report);
        }
        for key in ["glob", "include", "include_pattern"] {
            if let Some(glob) = text(key).filter(|glob| !glob.starts_with('!')) {
                // Only the last part tells: `**/.env` is `.env` somewhere.
                let path = format!("{}/{}", root.unwrap_or("."), name(glob));
                self.judge(Verb::Read, &path, report);
            }
        }
    }

    fn fetch(&self, report: &mut Report<'_>) {
        for key in ["url", "uri", "prompt"] {
            let Some(text) = self.input.get(key).and_then(Value::as_str) else {
                continue;
            };
            for url in text
                .split_whitespace()
                .filter(|word| word.starts_with("file:"))
            {
                self.judge(Verb::Read, &arguments::from_uri(url), report);
            }
            if has_token(text) {
                report.command(&rules::SECRET_IN_COMMAND);
            }
        }
    }

    fn patch(&self, report: &mut Report<'_>) {
        let Some(text) = ["patch", "input", "command", "diff", "content"]
            .iter()
            .find_map(|key| self.input.get(key)?.as_str())
        else {
            return self.act(Action::Edit, report);
        };
        let steps = patch::steps(text);
        for step in &steps {
            let verb = if step.verb == Verb::Delete {
                self.deletion(&step.path)
            } else {
                step.verb
            };
            self.judge(verb, &step.path, report);
        }
        if steps.is_empty() {
            self.act(Action::Edit, report);
        }
        let added = text.lines().filter_map(|line| line.strip_prefix('+'));
        if added.into_iter().any(has_token) {
            let holds_secrets =
                |path: &str| self.scene.spot(self.scene.absolute(path)).secret.is_some();
            if !steps.iter().all(|step| holds_secrets(&step.path)) || steps.is_empty() {
                let path = steps.first().map_or("", |step| step.path.as_str());
                report.path(&rules::SECRET_IN_CONTENT, path);
            }
        }
    }
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
