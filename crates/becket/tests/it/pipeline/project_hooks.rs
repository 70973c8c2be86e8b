//! Hooks of a project: they run only if the user trusts them.

use becket::pipeline::untrusted_hooks;
use becket::trust::{TrustStore, fingerprint};
use becket::{Configuration, load};
use serde_json::json;

use super::client_world::{ClientWorld, ran, verdict};

const CHECK: &str = "name = \"check\"\nevent = \"PreToolUse\"";

/// A project with a hook that blocks.
fn project() -> ClientWorld {
    let world = ClientWorld::new();
    world.write("app/becket.toml", &world.counting(CHECK, "exit 2"));
    world
}

fn configuration(world: &ClientWorld) -> Configuration {
    load(&world.home, Some(&world.project()), Some("claude"))
}

pub(super) fn trust_all(world: &ClientWorld) {
    let (configuration, root) = (configuration(world), world.project());
    let mut store = TrustStore::open(&world.home.trust_file()).unwrap();
    for hook in &configuration.loaded.hooks {
        store.add(&root, &[(hook, &fingerprint(hook, &root))], "2026-01-01");
    }
    store.save().unwrap();
}

#[test]
fn project_hook_runs_only_after_trust() {
    let world = project();
    let answer = world.bash("ls");
    assert_eq!((verdict(&answer), world.runs()), ("none", 0));
    assert_eq!(
        answer.record["skipped"],
        json!([{ "hook": "check", "why": "untrusted" }])
    );
    trust_all(&world);
    let answer = world.bash("ls");
    assert_eq!((verdict(&answer), world.runs()), ("deny", 1));
    assert_eq!(answer.record.get("skipped"), None);
    world.write(
        "app/becket.toml",
        &world.counting(CHECK, "exit 2 # changed"),
    );
    assert_eq!((verdict(&world.bash("ls")), world.runs()), ("none", 1));
}

#[test]
fn users_hooks_run_next_to_untrusted_ones() {
    let world = project();
    world.config("[[hook]]\nname = \"mine\"\nevent = \"PreToolUse\"\ncommand = \"true\"\n");
    assert_eq!(ran(&world.bash("ls")), ["mine"]);
}

#[test]
fn damaged_trust_file_trusts_nothing() {
    let world = project();
    trust_all(&world);
    world.write("home/.becket/trust.json", "{ damaged");
    assert_eq!((verdict(&world.bash("ls")), world.runs()), ("none", 0));
    assert_eq!(untrusted(&world), ["check"]);
}

fn untrusted(world: &ClientWorld) -> Vec<String> {
    let configuration = configuration(world);
    let hooks = untrusted_hooks(&configuration, &world.home, &world.project());
    hooks.into_iter().map(|hook| hook.name.clone()).collect()
}

#[test]
fn hooks_that_wait_for_trust_are_listed() {
    let world = project();
    world.config("[[hook]]\nname = \"mine\"\nevent = \"PreToolUse\"\ncommand = \"true\"\n");
    assert_eq!(untrusted(&world), ["check"]);
    trust_all(&world);
    assert_eq!(untrusted(&world), [""; 0]);
    let text = world.lines("app/becket.toml").join("\n");
    let more = "[[hook]]\nname = \"new\"\nevent = \"Stop\"\ncommand = \"true\"\n[[hook]]\nname = \"idle\"\nevent = \"Stop\"\ncommand = \"id\"\nenabled = false\n";
    world.write("app/becket.toml", &format!("{text}\n{more}"));
    assert_eq!(untrusted(&world), ["new"]);
}

#[test]
fn hooks_run_in_the_project() {
    let world = ClientWorld::new();
    std::fs::create_dir_all(world.path("app/src")).unwrap();
    world.config("[[hook]]\nevent = \"PreToolUse\"\ncommand = \"pwd >&2; exit 2\"\n");
    let call = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "cwd": world.path("app/src") });
    let answer = world.fire("PreToolUse", &call);
    let root = world.project().canonicalize().unwrap();
    let reason = answer.record["decision"]["reason"].as_str().unwrap();
    assert!(
        [root.to_str().unwrap(), root.join("src").to_str().unwrap()].contains(&reason),
        "{reason}"
    );
}
