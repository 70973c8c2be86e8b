//! Matchers, filters and conditions: which calls and events a hook is for.

use becket_model::filter::path_matches;
use becket_model::matcher::MatchStyle;
use becket_model::subject::{constant, has_subject, passes};
use becket_model::{Condition, Dialect, EventData, EventKind, Matcher, ToolCall};
use serde_json::json;

use crate::{before, event, hook};

fn matcher(pattern: &str, style: MatchStyle) -> Matcher {
    Matcher::parse(pattern, style).expect(pattern)
}

#[test]
fn matcher_keeps_its_pattern_and_style() {
    for style in [
        MatchStyle::Names,
        MatchStyle::Search,
        MatchStyle::Whole,
        MatchStyle::Exact,
    ] {
        let matcher = matcher(" Bash ", style);
        assert_eq!(
            (matcher.pattern(), matcher.style(), matcher.is_all()),
            ("Bash", style, false)
        );
    }
    assert!(Matcher::all().is_all() && Matcher::all().matches(""));
}

#[test]
fn list_of_names_is_known_without_its_separators() {
    let names = |pattern: &str, style| {
        let names = matcher(pattern, style).names().map(<[String]>::to_vec);
        names.unwrap_or_default().join("+")
    };
    assert_eq!(
        names("Write | Edit, ,|Read", MatchStyle::Names),
        "Write+Edit+Read"
    );
    assert_eq!(names("view|create", MatchStyle::Whole), "view+create");
    assert_eq!(names("a|b", MatchStyle::Exact), "a|b");
    assert_eq!(names("Wr.te", MatchStyle::Names), "");
    assert_eq!(
        names("Write|Edit", MatchStyle::Search),
        "",
        "parts of names"
    );
}

#[test]
fn matchers_are_equal_if_they_match_alike() {
    let parse = |pattern| matcher(pattern, MatchStyle::Names);
    assert_eq!(parse("*"), parse(""));
    assert_eq!(parse("Bash"), parse(" Bash"));
    assert_ne!(parse("Bash"), parse("Edit"));
    assert_ne!(parse("Bash"), parse(""));
    assert_ne!(parse("Bash"), matcher("Bash", MatchStyle::Search));
}

#[test]
fn wildcards_match_their_parts_in_order() {
    for (pattern, subject, expected) in [
        ("mcp__.*__write.*", "mcp__files__write_file", true),
        ("mcp__.*__write.*", "mcp__files__read_file", false),
        ("^a.*b.*c$", "a-b-c", true),
        ("^a.*b.*c$", "a-c-b", false),
        ("^a.*b.*c$", "a-b-cd", false),
        ("^a.*b.*c$", "xa-b-c", false),
        ("^a.*b", "a-b-c", true),
        ("a.*a", "a", false),
        ("^Note", "Notebook", true),
        ("^Note", "aNote", false),
        ("Edit$", "MultiEdit", true),
        ("Edit$", "Edits", false),
        ("a.*b", "a\nb", false),
        ("^(?:Bash|Wri.*)$", "Write", true),
        ("^(?:Bash|Wri.*)$", "Bashful", false),
    ] {
        let matched = matcher(pattern, MatchStyle::Search).matches(subject);
        assert_eq!(matched, expected, "{pattern} on {subject}");
    }
}

#[test]
fn names_may_be_padded_and_are_never_empty() {
    let list = matcher("Write , Edit||", MatchStyle::Names);
    assert!(list.matches("Write") && list.matches("Edit"));
    assert!(!list.matches("") && !list.matches("Edit||"));
}

#[test]
fn bad_character_classes_are_refused_when_they_are_read() {
    for pattern in ["a[z-a]", "\\p{Klingon}"] {
        let error = Matcher::parse(pattern, MatchStyle::Search).expect_err(pattern);
        assert!(error.to_string().contains(pattern), "{error}");
        assert_eq!(error.pattern, pattern);
    }
}

#[test]
fn pattern_that_backtracks_without_end_counts_as_a_match() {
    let endless = matcher("^(a|a)*(?=b)c$", MatchStyle::Search);
    assert!(endless.matches(&"a".repeat(60)));
    assert!(!endless.matches("x"));
}

#[test]
fn globs_are_compared_as_written_without_a_directory() {
    for (glob, path, expected) in [
        ("src/*.rs", "src/a.rs", true),
        ("src/*.rs", "/w/src/a.rs", false),
        ("src/", "src", true),
        ("src/*", "src//a", true),
        ("src/*", "src/./a", true),
        ("a", "b/../a", true),
        ("../a", "../a", true),
        ("../../a", "../../a", true),
        ("a", "../a", false),
        ("/a", "/b/../a", true),
        ("a", "/b/../a", false),
        ("b", "b/a/..", true),
        ("b", "b/.", true),
    ] {
        assert_eq!(path_matches(glob, path, None), expected, "{glob} on {path}");
    }
    assert!(!path_matches("/w/a", "a", Some("")));
    assert!(path_matches("/w/a", "a", Some("/w/")));
    assert!(
        !path_matches("a", "/wide/a", Some("/w")),
        "another directory"
    );
    assert!(
        !path_matches("/w/C:/a", "C:/a", Some("/w")),
        "an absolute path of Windows"
    );
    assert!(!path_matches("/w/**", "/elsewhere/a", Some("/w")));
}

#[test]
fn filter_needs_the_tool_and_the_path() {
    let filtered = |tools: &[&str], paths: &[&str], tool: &str, path: &str| {
        let mut hook = hook("h", Dialect::Becket);
        hook.filter.tool = tools.iter().map(ToString::to_string).collect();
        hook.filter.path = paths.iter().map(ToString::to_string).collect();
        hook.filter
            .passes(&before(tool, json!({ "file_path": path })))
    };
    assert!(filtered(&[], &[], "Write", "a"));
    assert!(filtered(&["Write"], &["*.rs"], "write_file", "a.rs"));
    assert!(filtered(
        &["Read", "Write"],
        &["*.md", "*.rs"],
        "Write",
        "/w/a.rs"
    ));
    assert!(!filtered(&["Read"], &["*.rs"], "Write", "a.rs"));
    assert!(!filtered(&["Write"], &["*.md"], "Write", "a.rs"));
    let mut hook = hook("h", Dialect::Becket);
    assert!(hook.filter.is_empty());
    hook.filter.tool.push("Write".into());
    assert!(!hook.filter.is_empty());
    let stop = event(EventData::Stop {
        active: false,
        last_message: None,
    });
    assert!(!hook.filter.passes(&stop), "an event without a tool");
    hook.filter.tool.clear();
    hook.filter.path.push("**".into());
    assert!(!hook.filter.is_empty() && !hook.filter.passes(&stop));
}

fn holds(condition: &str, call: &ToolCall) -> bool {
    let condition = Condition::parse(condition).expect(condition);
    condition.matches(call, Some("/w"))
}

#[test]
fn conditions_without_a_pattern_are_about_the_tool_alone() {
    let read = ToolCall::new("Read", json!({}));
    for condition in [
        "Read",
        "Read()",
        "Read(*)",
        "Read(:*)",
        "read_file",
        "*",
        "R*",
    ] {
        assert!(holds(condition, &read), "{condition}");
    }
    for condition in ["Write", "Read(a)", "W*", "*x"] {
        assert!(!holds(condition, &read), "{condition}");
    }
}

#[test]
fn wildcards_of_conditions_match_any_text() {
    let run = |command: &str| ToolCall::new("Bash", json!({ "command": command }));
    for (condition, command, expected) in [
        ("Bash(git*push)", "git a/b c push", true),
        ("Bash(git*push)", "git push now", false),
        ("Bash(*a*b*)", "xaxbx", true),
        ("Bash(*ab)", "aab", true),
        ("Bash(*abc)", "ababc", true),
        ("Bash(a**)", "a", true),
        ("Bash(ls)", "ls -a", false),
        ("Bash(ls -a)", "ls", false),
        ("Bash(git:*)", "github", true),
    ] {
        assert_eq!(
            holds(condition, &run(command)),
            expected,
            "{condition} on {command}"
        );
    }
}

#[test]
fn pattern_without_a_directory_is_about_the_name_of_a_file() {
    let write = |path: &str| ToolCall::new("Write", json!({ "file_path": path }));
    assert!(holds("Write(*.json)", &write("/elsewhere/a.json")));
    assert!(!holds("Write(*/a.json)", &write("/elsewhere/a.json")));
    assert!(!holds("Write(b.json)", &write("/elsewhere/a.json")));
    let patch = json!({ "command": "*** Update File: src/a.rs" });
    let patch = ToolCall::new("apply_patch", patch);
    assert!(holds("Edit(a.rs)", &patch) && holds("*Patch(a.rs)", &patch));
}

#[test]
fn condition_prints_as_it_was_written() {
    for text in ["Bash(git *)", "Read", "mcp__*", "my-tool(a)", "a_b"] {
        assert_eq!(Condition::parse(text).expect(text).to_string(), text);
    }
    assert_eq!(
        Condition::parse(" Bash( git * ) ")
            .expect("spaces")
            .to_string(),
        "Bash(git *)"
    );
    for bad in ["(ls)", "Bash git", "Bash.x", "Bash(ls) ; rm"] {
        assert_eq!(Condition::parse(bad), None, "{bad}");
    }
}

#[test]
fn some_subjects_are_constant_in_cursors_dialect() {
    for (kind, word) in [
        (EventKind::UserPromptSubmit, Some("UserPromptSubmit")),
        (EventKind::Stop, Some("Stop")),
        (EventKind::AgentResponse, Some("AgentResponse")),
        (EventKind::AgentThought, Some("AgentThought")),
        (EventKind::FileModified, Some("Write")),
        (EventKind::SessionStart, None),
    ] {
        assert_eq!(constant(Dialect::Cursor, &kind), word, "{kind}");
        assert_eq!(
            has_subject(Dialect::Cursor, &kind),
            word.is_some(),
            "{kind}"
        );
        assert_eq!(constant(Dialect::Claude, &kind), None, "{kind}");
    }
    assert!(has_subject(Dialect::Cursor, &EventKind::SubagentStart));
    for dialect in Dialect::ALL {
        assert!(has_subject(dialect, &EventKind::PostToolUse), "{dialect:?}");
    }
}

#[test]
fn matcher_accepts_events_of_its_native_event_only() {
    let mut hook = hook("h", Dialect::Cursor);
    hook.matcher = matcher("push", MatchStyle::Search);
    let accepts = |hook: &becket_model::HookSpec, tool: &str, input| {
        passes(hook.into(), &before(tool, input))
    };
    for native in ["beforeShellExecution", "afterShellExecution"] {
        hook.native_event = Some(native.into());
        assert!(
            accepts(&hook, "Bash", json!({ "command": "git push" })),
            "{native}"
        );
        assert!(
            !accepts(&hook, "Bash", json!({ "command": "git pull" })),
            "{native}"
        );
        assert!(
            !accepts(&hook, "Read", json!({ "command": "git push" })),
            "{native}"
        );
    }
    for native in ["beforeMCPExecution", "afterMCPExecution"] {
        hook.native_event = Some(native.into());
        assert!(accepts(&hook, "mcp__git__push", json!({})), "{native}");
        assert!(!accepts(&hook, "push", json!({})), "{native}");
    }
    hook.native_event = Some("preToolUse".into());
    assert!(accepts(&hook, "push", json!({})));
    assert!(!accepts(&hook, "Bash", json!({ "command": "git push" })));
}

#[test]
fn matcher_without_a_subject_to_match_passes() {
    let mut claude = hook("h", Dialect::Claude);
    claude.matcher = matcher("resume", MatchStyle::Names);
    let start = |source: Option<&str>| {
        event(EventData::SessionStart {
            source: source.map(str::to_owned),
        })
    };
    assert!(passes((&claude).into(), &start(None)));
    assert!(passes((&claude).into(), &start(Some("resume"))));
    assert!(!passes((&claude).into(), &start(Some("startup"))));
    claude.dialect = Dialect::ClaudeAgent;
    assert!(passes((&claude).into(), &start(Some("startup"))));
}
