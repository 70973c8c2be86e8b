//! The hooks of the page about dialects do what the page says.

use super::{read, root};
use crate::context::Context;

/// The sections of the page that show a file, each as a dialect, a path below the home and the file.
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
fn every_hook_of_the_page_about_dialects_denies_what_it_should() {
    let page = read(&root().join("docs/guides/dialects.md"));
    let shown = shown(&page);
    assert_eq!(shown.len(), 9, "{shown:?}");
    for (dialect, path, file) in shown {
        let context = Context::new();
        // In a test one directory is for all of Becket's own files.
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
