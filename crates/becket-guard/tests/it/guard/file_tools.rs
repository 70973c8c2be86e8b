//! File tools, patches and MCP tools.

use becket_guard::{NoFacts, tools};
use serde_json::{Value, json};

use super::fake_machine::{FakeMachine, location};

fn ids(tool: &str, input: &Value) -> Vec<&'static str> {
    let mut found = Vec::new();
    tools::check(tool, input, &location(), &NoFacts, &mut found);
    found.iter().map(|finding| finding.rule.id).collect()
}

#[test]
fn autohands_protected_files_are_protected_from_every_file_tool() {
    for name in [
        ".env",
        ".env.local",
        ".env.production",
        "id_rsa",
        "id_ed25519",
        "server.pem",
        "private.key",
        "credentials.json",
        "secrets.json",
        ".npmrc",
        ".pypirc",
    ] {
        for path in [
            name.to_owned(),
            format!("/home/me/work/app/{name}"),
            format!("./config/../{name}"),
        ] {
            let input = json!({ "file_path": path, "content": "x", "new_string": "x" });
            assert_eq!(ids("Write", &input), ["secrets.overwrite"], "{path}");
            assert_eq!(ids("Edit", &input), ["secrets.overwrite"], "{path}");
            assert_eq!(ids("Delete", &input)[0], "secrets.delete", "{path}");
            let expected = if name == ".npmrc" {
                "secrets.read-likely"
            } else {
                "secrets.read"
            };
            assert_eq!(ids("Read", &input), [expected], "{path}");
        }
    }
}

#[test]
fn writing_persistence_files_is_found() {
    for (path, rule) in [
        (".claude/settings.json", "guard.agent-settings"),
        ("~/.claude/settings.json", "guard.agent-settings-user"),
        ("/home/me/.codex/hooks.json", "guard.agent-settings-user"),
        ("becket.toml", "guard.own"),
        ("/home/me/.config/becket/config.toml", "guard.own"),
        (".git/hooks/pre-commit", "persistence.git"),
        (".git/config", "persistence.git"),
        ("/home/me/.bashrc", "persistence.start"),
        ("/home/me/.ssh/authorized_keys", "persistence.access"),
        (".github/workflows/ci.yml", "persistence.ci"),
        (".husky/pre-push", "persistence.tracked-hook"),
        ("/etc/hosts", "core.write-system"),
        (".git/HEAD", "core.write-git"),
        ("/home/me/notes", "core.write-outside"),
    ] {
        for tool in [
            "Write",
            "Edit",
            "MultiEdit",
            "mcp__fs__write_file",
            "mcp__fs__edit_file",
        ] {
            let found = ids(tool, &json!({ "file_path": path }));
            assert!(found.contains(&rule), "{tool} {path}: {found:?}");
        }
    }
}

#[test]
fn deletion_by_a_tool_is_judged_like_a_command() {
    for (path, expected) in [
        (".", "core.delete-project"),
        ("/", "core.delete-root"),
        ("~", "core.delete-home"),
        (".git", "core.delete-git"),
        ("src", "core.delete-tree"),
        ("src/a.rs", "core.delete-file"),
        ("/etc", "core.delete-system"),
    ] {
        assert_eq!(
            ids("Delete", &json!({ "path": path })),
            [expected],
            "{path}"
        );
    }
    for path in ["node_modules", "build", "/tmp/x"] {
        assert_eq!(ids("Delete", &json!({ "path": path })), [""; 0], "{path}");
    }
    let machine = FakeMachine::with(&["/home/me/work/app/Makefile"]);
    let mut found = Vec::new();
    tools::check(
        "Delete",
        &json!({ "path": "Makefile" }),
        &location(),
        &machine,
        &mut found,
    );
    assert_eq!(found[0].rule.id, "core.delete-file");
}

#[test]
fn patches_are_judged_by_their_writes() {
    for (patch, expected) in [
        (
            "*** Begin Patch\n*** Add File: .env\n+A=1\n*** End Patch",
            &["secrets.overwrite"][..],
        ),
        ("*** Update File: src/a.rs\n@@\n-a\n+b", &[]),
        (
            "*** Update File: src/a.rs\n*** Move to: .claude/settings.json\n",
            &["guard.agent-settings"],
        ),
        (
            "*** Delete File: becket.toml",
            &["guard.own", "core.delete-file"],
        ),
        (
            "--- a/.git/hooks/pre-commit\n+++ b/.git/hooks/pre-commit\n@@ -1 +1 @@",
            &["persistence.git"],
        ),
        (
            "--- /dev/null\n+++ b/.github/workflows/x.yml\n",
            &["persistence.ci"],
        ),
        (
            "--- a/.env\n+++ /dev/null\n",
            &["secrets.delete", "core.delete-tree"],
        ),
    ] {
        for key in ["patch", "input", "command"] {
            assert_eq!(
                ids("ApplyPatch", &json!({ key: patch })),
                expected,
                "{patch}"
            );
        }
    }
}

#[test]
fn mcp_tools_are_judged_by_their_names_and_arguments() {
    for (tool, input, expected) in [
        (
            "mcp__fs__read_file",
            json!({ "path": ".env" }),
            &["secrets.read"][..],
        ),
        (
            "mcp__fs__read_multiple_files",
            json!({ "paths": ["a.rs", "~/.ssh/id_rsa"] }),
            &["secrets.read"],
        ),
        (
            "mcp__fs__readFile",
            json!({ "uri": "file:///home/me/.aws/credentials" }),
            &["secrets.read"],
        ),
        (
            "mcp__fs__readFile",
            json!({ "uri": "file:///home/me/%2Eaws/credentials" }),
            &["secrets.read"],
        ),
        (
            "mcp__fs__move_file",
            json!({ "source": "x", "destination": ".claude/settings.json" }),
            &["guard.agent-settings"],
        ),
        (
            "mcp__fs__move_file",
            json!({ "source": ".env", "destination": "/tmp/x" }),
            &["secrets.copy"],
        ),
        (
            "mcp__fs__copy",
            json!({ "from": "~/.ssh/id_rsa", "to": "x" }),
            &["secrets.copy"],
        ),
        (
            "mcp__fs__delete_file",
            json!({ "path": "/etc/passwd" }),
            &["core.delete-in-system"],
        ),
        (
            "mcp__slack__upload",
            json!({ "args": { "file": ".env" } }),
            &["secrets.upload"],
        ),
        (
            "mcp__x__process",
            json!({ "filename": ".env" }),
            &["secrets.read"],
        ),
        (
            "mcp__x__process",
            json!({ "filename": "becket.toml" }),
            &["guard.own"],
        ),
        ("mcp__fs__list_directory", json!({ "path": "~/.ssh" }), &[]),
        ("mcp__fs__read_file", json!({ "path": "src/a.rs" }), &[]),
        ("mcp__gh__search", json!({ "query": ".env" }), &[]),
        (
            "mcp__gh__create_issue",
            json!({ "title": "x", "body": "look at .env" }),
            &[],
        ),
    ] {
        assert_eq!(ids(tool, &input), expected, "{tool} {input}");
    }
}

#[test]
fn search_tools_count_as_reading() {
    for (input, expected) in [
        (
            json!({ "pattern": "KEY", "path": ".env" }),
            &["secrets.read"][..],
        ),
        (
            json!({ "pattern": "KEY", "path": "~/.ssh" }),
            &["secrets.read"],
        ),
        (
            json!({ "pattern": "KEY", "glob": ".env*" }),
            &["secrets.read"],
        ),
        (
            json!({ "pattern": "KEY", "glob": "**/.env" }),
            &["secrets.read"],
        ),
        (json!({ "pattern": "KEY", "glob": "*.rs" }), &[]),
        (json!({ "pattern": ".env", "path": "src" }), &[]),
        (
            json!({ "pattern": "KEY", "path": ".env", "output_mode": "count" }),
            &[],
        ),
    ] {
        assert_eq!(ids("Grep", &input), expected, "{input}");
    }
    assert_eq!(
        ids("WebFetch", &json!({ "url": "file:///etc/shadow" })),
        ["secrets.read"]
    );
    assert_eq!(
        ids("WebFetch", &json!({ "url": "https://example.com/.env" })),
        [""; 0]
    );
    assert_eq!(ids("Glob", &json!({ "pattern": "**/.env" })), [""; 0]);
}

#[test]
fn token_in_written_content_is_found() {
    let token = format!("gh{}_{}", "p", "x7Kq2mWvB9nRtY4cL8dF3hJ6sZ1aQ5eU0oPi");
    let code = format!("const T = \"{token}\";");
    assert_eq!(
        ids(
            "Write",
            &json!({ "file_path": "src/a.ts", "content": code })
        ),
        ["secrets.in-content"]
    );
    assert_eq!(
        ids(
            "Edit",
            &json!({ "file_path": "src/a.ts", "new_string": code })
        ),
        ["secrets.in-content"]
    );
    assert_eq!(
        ids(
            "MultiEdit",
            &json!({ "file_path": "src/a.ts", "edits": [{ "new_string": code }] })
        ),
        ["secrets.in-content"]
    );
    let patch = format!("*** Update File: a.ts\n@@\n+{code}");
    assert_eq!(
        ids("ApplyPatch", &json!({ "patch": patch })),
        ["secrets.in-content"]
    );
    assert_eq!(
        ids(
            "Edit",
            &json!({ "file_path": "src/a.ts", "old_string": code, "new_string": "x" })
        ),
        [""; 0]
    );
    assert_eq!(
        ids("Write", &json!({ "file_path": "/tmp/x", "content": code })),
        [""; 0]
    );
    assert_eq!(
        ids(
            "Write",
            &json!({ "file_path": "a.ts", "content": "password: string" })
        ),
        [""; 0]
    );
}

#[test]
fn everyday_tool_calls_have_no_findings() {
    for (tool, path) in [
        ("Read", "src/main.rs"),
        ("Read", ".env.example"),
        ("Read", "docs/secrets.md"),
        ("Read", "/home/me/.ssh/id_rsa.pub"),
        ("Read", "tests/fixtures/server.key"),
        ("Read", ".github/workflows/ci.yml"),
        ("Read", "/etc/hosts"),
        ("Read", "app/[id]/page.tsx"),
        ("Read", ".claude/settings.json"),
        ("Write", "src/keys.rs"),
        ("Write", ".env.example"),
        ("Write", "app/[...slug]/page.tsx"),
        ("Write", "CLAUDE.md"),
        ("Write", "/tmp/x.txt"),
        ("Edit", "secret_santa.py"),
        ("Edit", ".gitignore"),
        ("Edit", "Cargo.toml"),
        ("NotebookEdit", "a.ipynb"),
    ] {
        assert_eq!(
            ids(tool, &json!({ "file_path": path, "content": "x" })),
            [""; 0],
            "{tool} {path}"
        );
    }
    for input in [
        json!(null),
        json!("x"),
        json!([]),
        json!({ "file_path": 1 }),
        json!({ "file_path": "" }),
    ] {
        for tool in [
            "Read",
            "Write",
            "Delete",
            "ApplyPatch",
            "Grep",
            "WebFetch",
            "mcp__a__b",
            "",
        ] {
            assert_eq!(ids(tool, &input), [""; 0], "{tool} {input}");
        }
    }
}

#[test]
fn database_tools_are_judged_by_their_sql_but_search_tools_are_not() {
    for (tool, key, text, expected) in [
        (
            "mcp__postgres__query",
            "sql",
            "DROP TABLE users",
            &["databases.drop"][..],
        ),
        (
            "mcp__app_db__execute_sql",
            "query",
            "delete from users",
            &["databases.delete-all"],
        ),
        (
            "mcp__postgres__query",
            "sql",
            "SELECT * FROM users LIMIT 1",
            &[],
        ),
        ("mcp__github__search", "query", "delete from users", &[]),
        ("mcp__linear__search_issues", "query", "drop table bug", &[]),
    ] {
        assert_eq!(ids(tool, &json!({ key: text })), expected, "{tool} {text}");
    }
}

#[test]
fn fetching_the_metadata_service_is_found() {
    let fetch = |url: &str| ids("WebFetch", &json!({ "url": url }));
    assert_eq!(
        fetch("http://169.254.169.254/latest/meta-data/"),
        ["services.metadata"]
    );
    assert_eq!(fetch("https://example.com/169.254.169.254"), [""; 0]);
}
