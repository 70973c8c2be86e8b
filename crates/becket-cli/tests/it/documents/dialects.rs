//! The hooks on the dialects page behave as described.

use super::{read, root};
use crate::context::Context;

/// Sections of the page with a file: dialect, path below the home, content.
fn shown(page: &str) -> Vec<(&str, &str, &str)> {
    let sections = page.split("\n## ").skip(1);
    let file = |section: &'_ str| -> Option<(usize, usize, usize, usize)> {
        let path = section.find("In `~/")? + "In `~/".len();
        let path_end = path + section[path..].find('`')?;
        let body = path_end + section[path_end..].find("```")?;
        let body = body + section[body..].find('\n')? + 1;
        let body_end = body + section[body..].find("\n```")? + 1;
        Some((path, path_end, body, body_end))
    };
    let taken = |section| {
        let (path, path_end, body, body_end) = file(section)?;
        let dialect = section.lines().next()?;
        Some((dialect, &section[path..path_end], &section[body..body_end]))
    };
    sections.filter_map(taken).collect()
}

#[test]
fn hooks_on_the_dialects_page_block_as_described() {
    let page = read(&root().join("docs/guides/dialects.md"));
    let shown = shown(&page);
    assert_eq!(shown.len(), 9, "{shown:?}");
    for (dialect, path, file) in shown {
        let context = Context::new();
        // In tests, all of Becket's files are in one directory.
        let path = path.replace(".config/becket/", ".becket/");
        context.write(&format!("home/{path}"), file);
        let listed = context.run(&["hooks", "list"]).stdout;
        assert!(listed.contains(&format!(", {dialect}, ")), "{listed}");
        let fire = |command: &str| {
            let payload = serde_json::json!({
                "session_id": "s1", "cwd": context.project(), "hook_event_name": "PreToolUse",
                "tool_name": "run_shell_command", "tool_input": { "command": command },
            });
            let words = ["hook", "PreToolUse", "--agent", "qwen"];
            context.run_with(&words, payload.to_string().as_bytes())
        };
        let refused = fire("git push --force");
        assert!(
            page.contains(refused.stdout.trim()),
            "{dialect}: {}",
            refused.stdout
        );
        assert_eq!(refused.permission().as_deref(), Some("deny"), "{dialect}");
        assert_eq!(fire("git push").permission(), None, "{dialect}");
    }
}
