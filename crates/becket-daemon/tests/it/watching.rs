//! Edits outside of agents are indexed.

use std::fs;
use std::path::{Path, PathBuf};

use becket_testkit::wait_for;
use becket_testkit::write_file;
use serde_json::json;

use crate::world::World;

struct Project {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let root = dir.path().canonicalize().expect("a place");
        let project = Self { _dir: dir, root };
        for (name, text) in files {
            project.write(name, text);
        }
        project
    }

    fn name(&self) -> &str {
        self.root.to_str().expect("text")
    }

    fn write(&self, name: &str, text: &str) {
        write_file(&self.root, name, text);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }
}

impl World {
    fn index(&self, project: &Project) {
        let body = json!({ "project": project.name() }).to_string();
        let begun = self.post("/api/v1/index", "application/json", body.as_bytes());
        assert_eq!(begun.status, 200, "{}", begun.body);
        let path = format!("/api/v1/index?project={}", project.name());
        wait_for("the project is indexed", || {
            self.get(&path).json()["running"] == false
        });
    }

    /// The names of the functions that a search finds.
    fn functions(&self, project: &Project, words: &str) -> Vec<String> {
        let path = format!("/api/v1/search?project={}&q={words}", project.name());
        let found = self.get(&path).json()["found"].clone();
        let found = found.as_array().expect("a list").iter();
        let names = found.filter_map(|item| item["code"]["name"].as_str());
        names.map(str::to_owned).collect()
    }

    fn indexed(&self, project: &Project) -> Vec<String> {
        let files = self.reader().code_files(project.name()).expect("files");
        files.into_iter().map(|file| file.path).collect()
    }
}

#[test]
fn changed_moved_and_deleted_files_are_indexed_and_ignored_ones_are_not() {
    let world = World::new();
    let project = Project::new(&[
        (".gitignore", "*.log\ntarget/\n"),
        ("src/lib.rs", "fn circumnavigate() {}\n"),
        ("src/deep/cape.rs", "fn round_the_cape() {}\n"),
        ("target/made.rs", "fn made_by_a_program() {}\n"),
    ]);
    world.index(&project);
    project.write("src/lib.rs", "fn anchor_overnight() {}\n");
    wait_for("the change is found", || {
        world.functions(&project, "anchor_overnight") == ["anchor_overnight"]
    });
    assert!(world.functions(&project, "circumnavigate").is_empty());
    // As most editors save: write a temporary file, then rename it.
    project.write("src/.lib.rs.swp", "fn hoist_the_mainsail() {}\n");
    fs::rename(project.path("src/.lib.rs.swp"), project.path("src/lib.rs")).expect("renamed");
    wait_for("the new text is found", || {
        world.functions(&project, "hoist_the_mainsail") == ["hoist_the_mainsail"]
    });
    fs::rename(project.path("src/deep"), project.path("src/deeper")).expect("renamed");
    wait_for("the directory has moved", || {
        let files = world.indexed(&project);
        files.contains(&"src/deeper/cape.rs".into()) && !files.contains(&"src/deep/cape.rs".into())
    });
    project.write("src/deeper/cape.rs", "fn weather_the_storm() {}\n");
    wait_for("it is watched under its new name", || {
        world.functions(&project, "weather_the_storm") == ["weather_the_storm"]
    });
    project.write("src/new/place.rs", "fn discover_an_island() {}\n");
    wait_for("a new directory is found", || {
        world.functions(&project, "discover_an_island") == ["discover_an_island"]
    });
    fs::remove_file(project.path("src/new/place.rs")).expect("removed");
    wait_for("what is gone is not found", || {
        world.functions(&project, "discover_an_island").is_empty()
    });
    project.write("app.log", "fn logged() {}\n");
    project.write("target/made.rs", "fn made_again() {}\n");
    project.write("src/last.rs", "fn arrive_at_last() {}\n");
    wait_for("what came after is found", || {
        world.functions(&project, "arrive_at_last") == ["arrive_at_last"]
    });
    let files = world.indexed(&project);
    assert!(
        !files
            .iter()
            .any(|file| file == "app.log" || file.starts_with("target")),
        "{files:?}"
    );
    assert!(world.metric("becket_watched_changes_total") >= 1);
}

#[test]
fn changes_made_without_a_daemon_are_indexed_at_its_start() {
    let mut world = World::new();
    let project = Project::new(&[("a.rs", "fn circumnavigate() {}\n")]);
    world.index(&project);
    world.stop();
    project.write("a.rs", "fn anchor_overnight() {}\n");
    world.start().expect("another daemon");
    wait_for("the change is found", || {
        world.functions(&project, "anchor_overnight") == ["anchor_overnight"]
    });
}

#[test]
fn symlinks_out_of_the_project_are_not_followed() {
    let elsewhere = tempfile::tempdir().expect("a directory");
    fs::write(elsewhere.path().join("secret.rs"), "fn elsewhere() {}\n").expect("written");
    let world = World::new();
    let project = Project::new(&[("a.rs", "fn circumnavigate() {}\n")]);
    world.index(&project);
    link(elsewhere.path(), &project.path("out"));
    link(&elsewhere.path().join("secret.rs"), &project.path("b.rs"));
    project.write("c.rs", "fn arrive_at_last() {}\n");
    wait_for("what came after is found", || {
        world.functions(&project, "arrive_at_last") == ["arrive_at_last"]
    });
    assert_eq!(world.indexed(&project), ["a.rs", "c.rs"]);
}

fn link(to: &Path, at: &Path) {
    std::os::unix::fs::symlink(to, at).expect("linked");
}
