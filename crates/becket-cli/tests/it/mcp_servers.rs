//! Registering `becket mcp` in the agents' MCP settings.

use crate::context::Context;

const AGENTS: &str = "claude,codex,copilot,cursor,droid,gemini,opencode,qwen,windsurf";

/// Settings files with existing content.
const FILES: [(&str, &str); 4] = [
    ("home/.claude.json", "{\n  \"numStartups\": 3\n}\n"),
    (
        "home/.gemini/settings.json",
        "{\n  // mine\n  \"ui\": {}\n}\n",
    ),
    (
        "home/.codex/config.toml",
        "model = \"o\" # mine\n\n[mcp_servers.other]\ncommand = \"o\"\n",
    ),
    (
        "home/.cursor/mcp.json",
        "{ \"mcpServers\": { \"other\": { \"command\": \"o\" } } }",
    ),
];

/// Every file below the home except Becket's own, with its text.
fn files(context: &Context) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut dirs = vec![context.path("home")];
    while let Some(dir) = dirs.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                dirs.extend((!path.ends_with(".becket")).then_some(path));
            } else {
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                found.push((path.display().to_string(), text));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn mcp_server_is_registered_on_request_and_removed_again() {
    let context = Context::new();
    for (name, text) in FILES {
        context.write(name, text);
    }
    let before = files(&context);
    let without = context.run(&["init", "--agent", AGENTS, "--dry-run"]);
    assert!(!without.stdout.contains("\"mcp\""), "{}", without.stdout);
    let installed = context.run(&["init", "--agent", AGENTS, "--yes", "--mcp"]);
    assert_eq!(installed.exit, 0, "{}", installed.stderr);
    let program = env!("CARGO_BIN_EXE_becket");
    for name in [
        "home/.claude.json",
        "home/.codex/config.toml",
        "home/.copilot/mcp-config.json",
        "home/.cursor/mcp.json",
        "home/.factory/mcp.json",
        "home/.gemini/settings.json",
        "home/.config/opencode/opencode.json",
        "home/.qwen/settings.json",
        "home/.codeium/windsurf/mcp_config.json",
    ] {
        let text = context.read(name);
        assert!(
            text.contains(program) && text.contains("\"mcp\""),
            "{name}: {text}"
        );
    }
    // Gemini keeps hooks and MCP servers in one file.
    let gemini = context.read("home/.gemini/settings.json");
    assert!(
        gemini.contains("// mine") && gemini.contains("hook BeforeTool --agent gemini"),
        "{gemini}"
    );

    let between = files(&context);
    let again = context.run(&["init", "--agent", AGENTS, "--yes", "--mcp"]);
    assert_eq!(again.exit, 0, "{}", again.stderr);
    assert_eq!(files(&context), between);

    let removed = context.run(&["uninstall", "--agent", AGENTS, "--yes"]);
    assert_eq!(removed.exit, 0, "{}", removed.stderr);
    assert_eq!(files(&context), before);
}

#[test]
fn user_edits_survive_removal_of_the_mcp_server() {
    let context = Context::new();
    context.run(&["init", "--agent", "claude,gemini", "--yes", "--mcp"]);
    for name in ["home/.claude.json", "home/.gemini/settings.json"] {
        let text = context.read(name);
        let edited = text.replacen('{', "{\n  \"mine\": true,", 1);
        context.write(name, edited);
    }
    // It is found without being named.
    let removed = context.run(&["uninstall", "--yes"]);
    assert_eq!(removed.exit, 0, "{}", removed.stderr);
    for name in ["home/.claude.json", "home/.gemini/settings.json"] {
        let text = context.read(name);
        assert!(
            text.contains("\"mine\"") && !text.contains("becket"),
            "{name}: {text}"
        );
    }
}

#[test]
fn project_scope_uses_the_plain_program_name() {
    let context = Context::new();
    let answer = context.run(&[
        "init", "--agent", "claude", "--scope", "project", "--yes", "--mcp",
    ]);
    assert_eq!(answer.exit, 0, "{}", answer.stderr);
    let servers: serde_json::Value =
        serde_json::from_str(&context.read("app/.mcp.json")).expect("JSON");
    assert_eq!(servers["mcpServers"]["becket"]["command"], "becket");
}

#[test]
fn foreign_mcp_server_with_the_same_name_is_not_changed() {
    let context = Context::new();
    let theirs = "{ \"mcpServers\": { \"becket\": { \"command\": \"/opt/rope\" } } }";
    context.write("home/.claude.json", theirs);
    let answer = context.run(&["init", "--agent", "claude", "--yes", "--mcp"]);
    assert!(
        answer
            .stderr
            .contains("another MCP server is named `becket`"),
        "{}",
        answer.stderr
    );
    assert_eq!(context.read("home/.claude.json"), theirs);
}
