//! The generated plugins, run by a real JavaScript engine against a fake Becket.
//!
//! Both sides of the bridge are checked against each other: the adapter parses what the plugin sends, and the
//! plugin gets what the adapter renders. Without `node` the tests print a note and pass.

mod amp;
mod opencode;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use becket_agents::amp::{AMP, plugin_source as amp_source};
use becket_agents::opencode::{OPENCODE, plugin_source as opencode_source};
use becket_agents::{Adapter, payload};
use becket_model::{Decision, Event, Verdict};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A fake Becket: stores its input, and runs the script named after the event.
const BECKET: &str = r#"#!/bin/sh
here=$(dirname "$0")
sent="$here/sent/$(date +%s%N).$$.json"
cat > "$sent.part" && mv "$sent.part" "$sent"
[ -f "$here/does/$2" ] && . "$here/does/$2"
exit 0
"#;

/// A directory with a plugin, a fake Becket, and their output.
struct Bench {
    dir: TempDir,
    adapter: &'static dyn Adapter,
    driver: PathBuf,
}

impl Bench {
    /// `None`, with a note, without `node`.
    fn new(agent: &str) -> Option<Self> {
        if Command::new("node").arg("--version").output().is_err() {
            note("node is not installed; the plugins are not tested");
            return None;
        }
        let dir = tempfile::tempdir().expect("a temporary directory");
        // A path that needs quoting everywhere.
        let home = dir.path().join("it's \"here\"");
        fs::create_dir_all(home.join("sent")).unwrap();
        fs::create_dir_all(home.join("does")).unwrap();
        let becket = home.join("becket");
        fs::write(&becket, BECKET).unwrap();
        fs::set_permissions(&becket, fs::Permissions::from_mode(0o755)).unwrap();
        let path = becket.to_str().expect("a path of text");
        let (adapter, source): (&'static dyn Adapter, String) = match agent {
            "amp" => (&AMP, amp_source(path)),
            _ => (&OPENCODE, opencode_source(path)),
        };
        fs::write(dir.path().join("plugin.mjs"), source).unwrap();
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/plugins");
        Some(Self {
            dir,
            adapter,
            driver: tests.join(format!("{agent}.mjs")),
        })
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("it's \"here\"")
    }

    /// Makes the fake Becket run a shell line at an event.
    fn does(&self, event: &str, line: &str) {
        fs::write(self.home().join("does").join(event), line).unwrap();
    }

    /// Makes the fake Becket reply to an event as the adapter renders a decision.
    fn answers(&self, event: &str, payload: &Value, decision: &Decision) {
        let map = payload.as_object().unwrap().clone();
        let parsed = self.adapter.parse(Some(event), map).unwrap();
        let rendered = self.adapter.render(&parsed, decision);
        assert_eq!(rendered.exit, 0);
        let reply = self.home().join("does").join(format!("{event}.reply"));
        fs::write(&reply, rendered.stdout).unwrap();
        self.does(event, &format!("cat \"$here/does/{event}.reply\""));
    }

    fn run(&self, steps: &Value) -> Value {
        self.run_with(steps, &[])
    }

    fn run_with(&self, steps: &Value, env: &[(&str, &str)]) -> Value {
        let output = Command::new("node")
            .arg(&self.driver)
            .arg(self.dir.path().join("plugin.mjs"))
            .arg(steps.to_string())
            .current_dir(self.dir.path())
            .env_remove("BECKET_ON_FAILURE")
            .env_remove("BECKET_PLUGIN_TIMEOUT_MS")
            .env_remove("PWD")
            .envs(env.iter().copied())
            .output()
            .expect("node runs");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        assert_eq!(stderr, "", "a plugin prints nothing");
        serde_json::from_slice(&output.stdout).expect("the driver prints JSON")
    }

    /// The events that the fake Becket received, in order, parsed by the adapter.
    fn sent(&self) -> Vec<Event> {
        let mut files: Vec<PathBuf> = fs::read_dir(self.home().join("sent"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "json"))
            .collect();
        files.sort();
        files
            .iter()
            .map(|path| {
                let map = payload::read(&fs::read(path).unwrap()).unwrap();
                self.adapter.parse(None, map).unwrap()
            })
            .collect()
    }

    fn sent_names(&self) -> Vec<String> {
        self.sent().into_iter().map(|e| e.native_name).collect()
    }
}

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn note(text: &str) {
    eprintln!("note: {text}");
}

fn verdict(verdict: Verdict, reason: &str) -> Decision {
    Decision {
        verdict,
        reason: Some(reason.into()),
        ..Decision::default()
    }
}

fn context(text: &str) -> Decision {
    Decision {
        context: Some(text.into()),
        ..Decision::default()
    }
}

fn rewrite(input: Value) -> Decision {
    Decision {
        updated_input: Some(input),
        ..Decision::default()
    }
}
