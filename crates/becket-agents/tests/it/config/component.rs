//! Hooks of plugins, skills, subagents and commands.

use std::path::{Path, PathBuf};

use becket_agents::config::{ConfigFile, front_matter, plugin};
use becket_model::{Dialect, EventKind, Level};

use super::{clean, command, load, load_as, only, problem_lines, seconds, shown};

#[test]
fn the_official_plugin_format_loads() {
    let hook = only(clean(
        plugin,
        r#"{
  "description": "formats",
  "hooks": {
    "PostToolUse": [
      {
        "matcher": "Write|Edit",
        "hooks": [
          { "type": "command", "command": "fmt.sh" }
        ]
      }
    ]
  }
}"#,
    ));
    assert_eq!(hook.dialect, Dialect::Claude);
    assert_eq!(hook.event, EventKind::PostToolUse);
    assert_eq!(hook.matcher.pattern(), "Write|Edit");
    assert_eq!(hook.action, command("fmt.sh"));
    assert_eq!(hook.source.line, 8);
}

#[test]
fn a_plugin_may_give_the_events_themselves_and_flat_hooks() {
    let hooks = clean(
        plugin,
        r#"{"description": "d", "PostToolUse": [{"matcher": "Edit", "hooks": [{"type": "command", "command": "a"}]}],
            "SessionStart": [{"command": "b", "timeout": 7}]}"#,
    );
    assert_eq!(
        hooks
            .iter()
            .map(|hook| (hook.action.summary(), hook.dialect))
            .collect::<Vec<_>>(),
        [
            ("a".into(), Dialect::Claude),
            ("b".into(), Dialect::ClaudeAgent)
        ]
    );
    assert_eq!(hooks[1].timeout, seconds(7));
}

#[test]
fn the_plugins_root_is_kept_beside_the_command_and_not_put_into_it() {
    let layer = plugin(&ConfigFile {
        path: Path::new("/p/fmt/hooks/hooks.json"),
        level: Level::Plugin,
        text: r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/x.sh"}]}]}}"#,
        root: Some(Path::new("/p/fmt")),
    });
    let hook = only(layer.hooks);
    assert_eq!(hook.action, command("${CLAUDE_PLUGIN_ROOT}/x.sh"));
    assert_eq!(hook.root, Some(PathBuf::from("/p/fmt")));
    assert_eq!(hook.source.level, Level::Plugin);
}

#[test]
fn plugin_unknown_event_is_reported_and_kept() {
    let layer = load(
        plugin,
        r#"{"hooks": {"Sotp": [{"hooks": [{"type": "command", "command": "x"}]}]}}"#,
    );
    assert_eq!(
        problem_lines(&layer),
        ["W 1 hooks.Sotp: unknown event `Sotp`"]
    );
    assert_eq!(layer.hooks.len(), 1);
}

const SKILL: &str = r#"---
name: formatter
description: Formats.
hooks:
  PreToolUse:
    - matcher: "Write|Edit"
      hooks:
        - type: command
          command: scripts/format.sh
          timeout: 10
  Stop:
    - hooks:
        - type: command
          command: |
            echo done
          once: true
---
# Formatter

hooks: not this
"#;

#[test]
fn the_documented_front_matter_loads_with_lines_of_the_markdown_file() {
    let hooks = clean(front_matter, SKILL);
    assert_eq!(
        shown(&hooks),
        [
            "8 PreToolUse [Write|Edit] command `scripts/format.sh` 10s",
            "13 Stop [] command `echo done\n` 600s",
        ]
    );
    assert!(hooks.iter().all(|hook| hook.dialect == Dialect::Claude));
    assert_eq!(hooks[0].source.key, "hooks.PreToolUse[0].hooks[0]");
    assert!(hooks[1].once);
}

#[test]
fn a_subagents_stop_is_the_subagents() {
    for (path, event) in [
        ("/w/.claude/agents/reviewer.md", EventKind::SubagentStop),
        (
            "/w/.claude/agents/deep/reviewer.md",
            EventKind::SubagentStop,
        ),
        ("/w/.claude/skills/x/SKILL.md", EventKind::Stop),
        (
            "/home/me/agents/app/.claude/skills/x/SKILL.md",
            EventKind::Stop,
        ),
        ("/w/.claude/commands/agents.md", EventKind::Stop),
    ] {
        let layer = load_as(front_matter, path, SKILL);
        assert_eq!(layer.hooks[1].event, event, "{path}");
    }
}

#[test]
fn a_file_without_front_matter_or_without_hooks_gives_nothing() {
    for text in [
        "",
        "# Title\n",
        "---\n",
        "---\nname: x\n",
        "---\nname: x\n---\nhooks:\n  Stop: [x]\n",
        "---\nname: x\ndescription: about: hooks: and [more\n---\n",
        "text\n---\nhooks:\n  Stop: [x]\n---\n",
        "---\nhooks:\n---\n",
        "---\nhooks: {}\n---\n",
    ] {
        assert_eq!(clean(front_matter, text), [], "{text:?}");
    }
}

#[test]
fn windows_line_ends_flow_style_and_flat_hooks_are_read() {
    let hooks = clean(front_matter, &SKILL.replace('\n', "\r\n"));
    assert_eq!(hooks.len(), 2);
    assert_eq!(hooks[0].source.line, 8);
    let hooks = clean(
        front_matter,
        "---\n{name: x, hooks: {PreToolUse: [{matcher: Bash, hooks: [{type: command, command: a}]}]}}\n---\n",
    );
    assert_eq!(shown(&hooks), ["2 PreToolUse [Bash] command `a` 600s"]);
    let hooks = clean(
        front_matter,
        "---\nhooks:\n  sessionStart:\n  - notify\n---\n",
    );
    assert_eq!(shown(&hooks), ["4 SessionStart [] command `notify` 60s"]);
}

#[test]
fn a_stray_colon_elsewhere_does_not_cost_the_hooks() {
    let text = SKILL.replace("description: Formats.", "description: Use when: formatting");
    let layer = load(front_matter, &text);
    assert_eq!(layer.hooks.len(), 2, "{:?}", problem_lines(&layer));
    assert_eq!(layer.hooks[0].source.line, 8);
    assert_eq!(layer.problems.len(), 1);
    assert!(
        problem_lines(&layer)[0].starts_with("W 3 : not valid YAML"),
        "{:?}",
        problem_lines(&layer)
    );
}

#[test]
fn bad_yaml_in_the_hooks_is_an_error_with_its_line() {
    let layer = load(
        front_matter,
        "---\nname: x\nhooks:\n  Stop: [\n  PreToolUse: }\n---\n",
    );
    assert_eq!(layer.hooks, []);
    assert_eq!(layer.problems.len(), 1);
    assert!(
        problem_lines(&layer)[0].starts_with("E 5 : not valid YAML"),
        "{:?}",
        problem_lines(&layer)
    );
}

#[test]
fn problems_in_front_matter_have_lines_of_the_markdown_file() {
    let layer = load(
        front_matter,
        "---\nname: x\nhooks:\n  PreToolUse:\n    - matcher: 5\n      hooks:\n        - type: command\n          command: a\n        - type: command\n          timeout: -1\n          comand: b\n---\n",
    );
    assert_eq!(
        problem_lines(&layer),
        [
            "E 5 hooks.PreToolUse[0].matcher: expected a string, found a number",
            "W 11 hooks.PreToolUse[0].hooks[1].comand: unknown key",
            "E 9 hooks.PreToolUse[0].hooks[1]: missing `command`",
            "E 10 hooks.PreToolUse[0].hooks[1].timeout: is not a duration greater than 0",
        ]
    );
    assert_eq!(layer.broken.len(), 2);
}

#[test]
fn aliases_are_not_expanded_and_depth_is_bounded() {
    let mut bomb = String::from("---\na: &a [x,x,x,x,x,x,x,x,x]\n");
    for (from, to) in ('a'..='y').zip('b'..='z') {
        let list = vec![format!("*{from}"); 9].join(",");
        bomb.extend([to.to_string(), format!(": &{to} [{list}]\n")]);
    }
    bomb += "hooks:\n  Stop: *z\n---\n";
    let layer = load(front_matter, &bomb);
    assert_eq!(
        problem_lines(&layer),
        ["E 29 hooks.Stop: an alias, which is not expanded here is not a hook"]
    );
    for deep in [
        "[".repeat(100),
        "[".repeat(100_000),
        "- ".repeat(100),
        "- ".repeat(100_000),
    ] {
        let layer = load(front_matter, &format!("---\nhooks:\n  {deep}\n---\n"));
        assert_eq!(layer.hooks, []);
        assert_eq!(layer.problems.len(), 1);
        assert!(
            problem_lines(&layer)[0].contains("YAML: "),
            "{:?}",
            problem_lines(&layer)
        );
    }
}
