//! Golden payloads: parsing `fixtures/<agent>/<Event>/<case>/input.json` must give `event.json`; a decision
//! of every kind, rendered for that event, must give `replies.json`. `events.txt` next to the folders lists
//! every event that the agent documents.
//!
//! One `replies.json` serves all cases of an event, because a reply depends on the event and not on the
//! payload; an exceptional case has its own. A new case is a new folder:
//! `BECKET_BLESS=1 cargo test -p becket-agents golden` writes the expected files. Review them carefully,
//! because they are the specification.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use becket_agents::{Adapter, Rendered, adapter, adapters, payload};
use becket_model::{Decision, Event, Verdict};
use serde_json::{Map, Value, json};

/// One test for each agent, which reports every case that differs.
macro_rules! golden {
    ($($agent:ident)*) => {
        const TESTED: &[&str] = &[$(stringify!($agent)),*];

        mod payloads_and_replies_are_as_recorded {
            $(
                #[test]
                fn $agent() {
                    let golden = super::Golden::of(stringify!($agent));
                    golden.check_events();
                    golden.check();
                }
            )*
        }
    };
}

golden!(
    amp augment autohand claude cline codex copilot crush cursor devin droid gemini goose kiro opencode qwen
    windsurf
);

#[test]
fn every_agent_has_golden_files() {
    let agents: BTreeSet<&str> = adapters().iter().map(|agent| agent.id()).collect();
    assert_eq!(agents, TESTED.iter().copied().collect());
}

/// A decision of each kind, by its name in `replies.json`.
fn decisions() -> Vec<(&'static str, Decision)> {
    let verdict = |verdict, reason: &str| Decision {
        verdict,
        reason: Some(reason.into()),
        ..Decision::default()
    };
    let input = Some(json!({ "command": "npm test -- --ci" }));
    let allow = verdict(Verdict::Allow, "on the list");
    let deny = verdict(Verdict::Deny, "touches .env");
    vec![
        ("none", Decision::default()),
        ("allow", allow.clone()),
        ("ask", verdict(Verdict::Ask, "looks unusual")),
        ("deny", deny.clone()),
        ("halt", verdict(Verdict::Halt, "out of budget")),
        (
            "rewrite",
            Decision {
                updated_input: input.clone(),
                ..Decision::default()
            },
        ),
        (
            "allow-rewrite",
            Decision {
                updated_input: input.clone(),
                ..allow
            },
        ),
        (
            "context",
            Decision {
                context: Some("The tests live in e2e/.".into()),
                ..Decision::default()
            },
        ),
        (
            "keep-going",
            Decision {
                keep_going: Some("Run the tests first.".into()),
                ..Decision::default()
            },
        ),
        (
            "system-message",
            Decision {
                system_message: Some("Formatted 3 files.".into()),
                ..Decision::default()
            },
        ),
        (
            "deny-with-everything",
            Decision {
                updated_input: input,
                context: Some("The tests live in e2e/.".into()),
                system_message: Some("Formatted 3 files.".into()),
                keep_going: Some("Run the tests first.".into()),
                suppress_logging: true,
                ..deny
            },
        ),
    ]
}

/// The fixtures of one agent.
struct Golden {
    agent: &'static dyn Adapter,
    root: PathBuf,
    bless: bool,
}

impl Golden {
    fn of(agent: &str) -> Self {
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
        Self {
            agent: adapter(agent).expect("the agent is listed"),
            root: fixtures.join(agent),
            bless: std::env::var_os("BECKET_BLESS").is_some(),
        }
    }

    fn events(&self) -> Vec<PathBuf> {
        folders(&self.root)
    }

    /// `events.txt` lists every event that the agent documents; each has a folder, and no other.
    fn check_events(&self) {
        let list = self.root.join("events.txt");
        let text = fs::read_to_string(&list).unwrap_or_else(|e| panic!("{}: {e}", list.display()));
        let listed: BTreeSet<String> = text.lines().map(str::to_owned).collect();
        let found: BTreeSet<String> = self.events().iter().map(|path| name(path)).collect();
        assert_eq!(found, listed, "{}", list.display());
    }

    fn check(&self) {
        let mut wrong = Vec::new();
        for event in self.events() {
            let cases = folders(&event);
            assert!(!cases.is_empty(), "{} has no case", event.display());
            for case in cases {
                self.check_case(&event, &case, &mut wrong);
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    }

    fn check_case(&self, event_folder: &Path, case: &Path, wrong: &mut Vec<String>) {
        let input = case.join("input.json");
        let bytes = fs::read(&input).unwrap_or_else(|e| panic!("{}: {e}", input.display()));
        let map = payload::read(&bytes).unwrap_or_else(|e| panic!("{}: {e}", input.display()));
        // Some payloads do not name their event; the installer names it on the command line, as the folder does here.
        let event = self.agent.parse(Some(&name(event_folder)), map.clone());
        let event = event.unwrap_or_else(|e| panic!("{}: {e}", input.display()));
        assert_eq!(
            event.raw,
            map,
            "{}: the payload is kept whole",
            input.display()
        );
        self.compare(&case.join("event.json"), &event.to_json(), wrong);

        let own = case.join("replies.json");
        let replies = if own.exists() {
            own
        } else {
            event_folder.join("replies.json")
        };
        self.compare(&replies, &self.replies(&event), wrong);
    }

    fn replies(&self, event: &Event) -> Value {
        let replies: Map<String, Value> = decisions()
            .into_iter()
            .map(|(kind, decision)| (kind.into(), reply(&self.agent.render(event, &decision))))
            .collect();
        Value::Object(replies)
    }

    fn compare(&self, path: &Path, found: &Value, wrong: &mut Vec<String>) {
        let pretty = format!("{found:#}\n");
        let expected = fs::read_to_string(path).ok();
        if expected.as_ref() == Some(&pretty) {
            return;
        }
        if self.bless {
            fs::write(path, pretty).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            return;
        }
        let hint = "hint: BECKET_BLESS=1 writes it; read it before you commit it";
        let complaint = match expected {
            None => format!("{} is missing\n{hint}", path.display()),
            Some(expected) => format!(
                "{}\n{}\n{hint}",
                path.display(),
                changes(&expected, &pretty)
            ),
        };
        // The cases of one event share one file of replies.
        if !wrong.contains(&complaint) {
            wrong.push(complaint);
        }
    }
}

/// A reply as data, so that the expected files are readable.
fn reply(rendered: &Rendered) -> Value {
    let mut out = json!({ "exit": rendered.exit, "stdout": stdout(&rendered.stdout) });
    if !rendered.stderr.is_empty() {
        out["stderr"] = json!(rendered.stderr);
    }
    if !rendered.lost.is_empty() {
        out["lost"] = json!(rendered.lost);
    }
    out
}

/// JSON as JSON, other text as a string, no output as null.
fn stdout(text: &str) -> Value {
    if text.is_empty() {
        return Value::Null;
    }
    let line = text.strip_suffix('\n').expect("stdout ends its line");
    if !line.starts_with('{') {
        return json!(line);
    }
    assert!(!line.contains('\n'), "one object on one line: {line}");
    serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))
}

fn changes(expected: &str, found: &str) -> String {
    let diff = similar::TextDiff::from_lines(expected, found);
    diff.unified_diff().context_radius(2).to_string()
}

fn folders(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut folders: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
}

fn name(path: &Path) -> String {
    let name = path.file_name().expect("a folder has a name");
    name.to_string_lossy().into_owned()
}
