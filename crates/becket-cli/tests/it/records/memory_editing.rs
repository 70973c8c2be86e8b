//! Editing memories in an editor, and moving them with export and import.

use serde_json::{Value, json};

use crate::context::Context;

fn remember(context: &Context, text: &str) -> String {
    let output = context.run(&["remember", text, "--json"]).json();
    output["remembered"]["id"]
        .as_str()
        .expect("an id")
        .to_owned()
}

fn shown(context: &Context, id: &str) -> Value {
    context.run(&["memories", "show", id, "--json"]).json()["memory"]["memory"].clone()
}

#[test]
fn memory_is_edited_in_the_editor_without_a_shell() {
    let mut context = Context::new();
    let id = remember(&context, "Prices are in cents");
    let none = context.run(&["memories", "edit", &id]);
    assert_eq!(none.exit, 1);
    assert!(none.stderr.contains("VISUAL nor EDITOR"), "{}", none.stderr);
    let noted = context.path("noted");
    let editor = context.script(
        "my editor",
        &format!(
            "echo \"$1|$2\" > {0}; stat -c %a \"$3\" >> {0}; sed -i 's/cents/euros/' \"$3\"",
            noted.display()
        ),
    );
    let line = format!("'{}' --wait '$(touch hacked)'", editor.display());
    context.set_env("EDITOR", &line);
    let edited = context.run(&["memories", "edit", &id[..6]]);
    assert_eq!(edited.exit, 0, "{}", edited.stderr);
    assert_eq!(shown(&context, &id)["text"], "Prices are in euros");
    assert_eq!(context.read("noted"), "--wait|$(touch hacked)\n600\n");
    assert!(!context.project().join("hacked").exists());
    // The temporary file is deleted.
    let left = std::fs::read_dir(context.path("home/.becket/daemon")).expect("a directory");
    let left = left.flatten().filter(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().starts_with("memory-")
    });
    assert_eq!(left.count(), 0);
    let same = context.run(&["memories", "edit", &id]);
    assert!(same.stderr.contains("No changes"), "{}", same.stderr);
    let failing = context.script("failing", "echo gone > \"$1\"; exit 3");
    context.set_env("VISUAL", &failing);
    let failed = context.run(&["memories", "edit", &id]);
    assert_eq!(failed.exit, 1);
    assert_eq!(shown(&context, &id)["text"], "Prices are in euros");
    let emptying = context.script("emptying", ": > \"$1\"");
    context.set_env("VISUAL", &emptying);
    let emptied = context.run(&["memories", "edit", &id]);
    assert!(
        emptied.stderr.contains("`text` is empty"),
        "{}",
        emptied.stderr
    );
    assert_eq!(shown(&context, &id)["text"], "Prices are in euros");
}

#[test]
fn export_and_import_carry_memories() {
    let (here, there) = (Context::new(), Context::new());
    let id = remember(&here, "The harbour closes at dusk");
    here.run(&["memories", "pin", &id]);
    let lines = here.run(&["export"]);
    assert!(lines.stderr.contains("1 memory"), "{}", lines.stderr);
    // The project has another path there.
    let project = |context: &Context| {
        let root = context.project().canonicalize().expect("a place");
        root.display().to_string()
    };
    let lines = lines.stdout.replace(&project(&here), &project(&there));
    for new in [1, 0] {
        let output = there.run_with(&["import", "-", "--json"], lines.as_bytes());
        assert_eq!(output.json()["memories"], json!(new), "{}", output.stderr);
    }
    assert_eq!(shown(&there, &id)["pinned"], true);
    let found = there
        .run(&["search", "when does the harbour close", "--json"])
        .json();
    assert_eq!(found["items"][0]["memory"]["id"], json!(id), "{found}");
}
