//! `becket hooks add` and `becket hooks remove`.

use serde_json::json;

use super::{CONFIG, config, context, done, refused};
use crate::context::Context;

#[test]
fn a_hook_with_every_option_is_added_and_read_back() {
    let context = context();
    #[rustfmt::skip]
    let added = done(&context, &[
        "hooks", "add", "everything", "--event", "pre-tool,PostToolUse", "--matcher", "Write|Edit", "--tool", "Write", "--tool", "Edit",
        "--path", "src/**/*.rs", "--if", "Write(*.rs)", "--command", "./check \"it\"", "--arg=--fast", "--arg", "a b", "--timeout", "5s",
        "--async", "--once", "--sequential", "--priority", "-3", "--on-failure", "deny", "--env", "A=b=c", "--cwd", "sub",
        "--description", "All of it", "--dialect", "claude", "--disabled", "--json",
    ]).json();
    assert_eq!(added["schema_version"], 1);
    assert_eq!(added["status"], "disabled");
    let text = config(&context);
    let new = text.strip_prefix(CONFIG).expect("what was there stays");
    assert_eq!(
        new,
        r#"
[[hook]]
name = "everything"
description = "All of it"
event = ["pre-tool", "PostToolUse"]
matcher = "Write|Edit"
filter = { tool = ["Write", "Edit"], path = ["src/**/*.rs"] }
if = "Write(*.rs)"
command = './check "it"'
args = ["--fast", "a b"]
env = { A = "b=c" }
cwd = "sub"
timeout = "5s"
async = true
once = true
sequential = true
priority = -3
on_failure = "deny"
dialect = "claude"
enabled = false
"#
    );
    let shown = done(&context, &["hooks", "show", "everything", "--json"]).json();
    let definition = &shown["hooks"][1]["definition"];
    assert_eq!(definition["event"], "PostToolUse");
    assert_eq!(definition["action"]["args"], json!(["--fast", "a b"]));
    assert_eq!(definition["timeout_ms"], 5000);
    let problems = done(&context, &["hooks", "list", "--json"]).json();
    assert_eq!(problems["problems"], json!([]));
}

#[test]
fn every_kind_of_hook_can_be_added() {
    let context = Context::new();
    for (name, args, kind) in [
        (
            "web",
            vec![
                "--url",
                "https://example.com/h",
                "--header",
                "X=$TOKEN",
                "--allow-env",
                "TOKEN",
            ],
            "http",
        ),
        (
            "ask",
            vec!["--prompt", "Is this safe?", "--model", "small"],
            "prompt",
        ),
        (
            "role",
            vec!["--prompt", "Look", "--agent", "reviewer"],
            "agent",
        ),
        (
            "mcp",
            vec![
                "--server",
                "s",
                "--server-tool",
                "t",
                "--input",
                "{\"a\": 1}",
            ],
            "mcp_tool",
        ),
        (
            "guard",
            vec![
                "--use",
                "security-guard",
                "--option",
                "preset=strict",
                "--option",
                "auto_approve=true",
            ],
            "builtin",
        ),
    ] {
        let mut all = vec!["hooks", "add", name, "--event", "PreToolUse"];
        all.extend(args);
        done(&context, &all);
        let shown = done(&context, &["hooks", "show", name, "--json"]).json();
        assert_eq!(
            shown["hooks"][0]["definition"]["type"],
            kind,
            "{}",
            config(&context)
        );
    }
    let shown = done(&context, &["hooks", "show", "guard", "--json"]).json();
    let options = &shown["hooks"][0]["definition"]["action"]["options"];
    assert_eq!(
        *options,
        json!({ "preset": "strict", "auto_approve": true })
    );
}

#[test]
fn an_added_hook_runs() {
    let context = Context::new();
    done(
        &context,
        &[
            "hooks",
            "add",
            "--event",
            "PreToolUse",
            "--command",
            "echo no >&2; exit 2",
        ],
    );
    assert_eq!(context.bash("ls").reason(), "no");
}

#[test]
fn invalid_input_is_rejected_by_key() {
    let context = context();
    let add = |args: &[&str]| {
        let mut all = vec!["hooks", "add", "x"];
        all.extend(args);
        let said = refused(&context, &all);
        assert_eq!(config(&context), CONFIG, "{args:?}");
        said
    };
    let stop = ["--event", "Stop", "--command", "x"];
    for (more, expected) in [
        (vec!["--timeout", "soon"], "`timeout`"),
        (vec!["--timeout", "0"], "`timeout`"),
        (vec!["--on-failure", "maybe"], "`on_failure`"),
        (vec!["--matcher", "("], "`matcher`"),
        (vec!["--if", "Bash(("], "`if`"),
        (vec!["--dialect", "klingon"], "`dialect`"),
        (vec!["--env", "novalue"], "--env"),
        (vec!["--env", "=x"], "--env"),
        (vec!["--priority", "high"], "--priority"),
        (vec!["--url", "u"], "--url"),
    ] {
        let args: Vec<&str> = stop.iter().copied().chain(more).collect();
        let said = add(&args);
        assert!(said.contains(expected), "{args:?}: {said}");
    }
    let said = add(&["--event", "Stopp", "--command", "x"]);
    assert!(
        said.contains("`event`") && said.contains("did you mean `Stop`?"),
        "{said}"
    );
    assert!(add(&["--event", "Stop"]).contains("add `command`, `url`"));
    assert!(add(&["--command", "x"]).contains("missing `event`"));
    assert!(add(&["--use", "nothing"]).contains("one of: log, sound-alert"));
    let twice = refused(
        &context,
        &["hooks", "add", "two", "--event", "Stop", "--command", "x"],
    );
    assert!(
        twice.contains("`name`") && twice.contains("`two`"),
        "{twice}"
    );
}

#[test]
fn project_hook_needs_trust_and_add_can_grant_it() {
    let context = Context::new();
    let add = |name: &str, level: &str, more: &[&str]| {
        let mut args = vec![
            "hooks",
            "add",
            name,
            "--event",
            "PreToolUse",
            "--level",
            level,
        ];
        args.extend(more);
        args.push("--command");
        let command = format!("echo no >&2; exit 2 # {name}");
        args.push(&command);
        done(&context, &args)
    };
    let added = add("p", "project", &[]);
    assert!(
        added.stderr.contains("becket trust") && added.stderr.contains("--trust"),
        "{}",
        added.stderr
    );
    assert!(context.read("app/becket.toml").contains("name = \"p\""));
    assert_eq!(context.bash("ls").stdout, "");
    let enabled = done(&context, &["hooks", "enable", "p", "--trust"]);
    assert_eq!(enabled.stderr, "");
    assert_eq!(context.bash("ls").reason(), "no");
    let added = add("l", "local", &["--trust", "--json"]).json();
    assert_eq!(added["trusted"], json!(["l"]));
    assert_eq!(added["status"], "enabled");
    assert!(
        context
            .read("app/becket.local.toml")
            .contains("name = \"l\"")
    );
    let json = done(&context, &["trust", "show", "--json"]).json();
    assert_eq!(json["untrusted"], json!([]));
}

#[test]
fn remove_asks_and_removes_only_that_hook() {
    let context = context();
    let answer = context.run(&["hooks", "remove", "two"]);
    assert_eq!(answer.exit, 1);
    assert!(
        answer.stdout.contains("-  name = 'two'"),
        "{}",
        answer.stdout
    );
    assert!(answer.stderr.contains("--yes"), "{}", answer.stderr);
    assert_eq!(config(&context), CONFIG);
    done(&context, &["hooks", "remove", "two", "--yes"]);
    let (start, end) = (
        CONFIG.find("\n[[hook]]\n  name").unwrap(),
        CONFIG.find("\n[settings]").unwrap(),
    );
    assert_eq!(
        config(&context),
        format!("{}{}", &CONFIG[..start], &CONFIG[end..])
    );
    let removed = done(
        &context,
        &["hooks", "remove", "no-force-push", "--yes", "--json"],
    )
    .json();
    assert_eq!(removed["changed"], true);
    assert_eq!(
        config(&context),
        "# My hooks. Do not reformat!\n\n[settings]\nrecord = true # yes\n"
    );
}

#[test]
fn hooks_in_other_agents_files_can_be_removed() {
    let context = Context::new();
    let text = "{\n  // mine\n  \"hooks\": {\n    \"Stop\": [{ \"hooks\": [\n      { \"type\": \"command\", \"command\": \"a\" },\n      { \"type\": \"command\", \"command\": \"b\" }\n    ] }]\n  }\n}\n";
    context.write("home/.claude/settings.json", text);
    done(&context, &["hooks", "disable", "Stop[0].hooks[1]"]);
    done(&context, &["hooks", "remove", "Stop[0].hooks[1]", "--yes"]);
    let left = context.read("home/.claude/settings.json");
    assert!(
        left.contains("// mine") && left.contains("\"a\"") && !left.contains("\"b\""),
        "{left}"
    );
    assert_eq!(config(&context), "", "nothing is left of the switch");
}

#[test]
fn symlink_out_of_the_project_is_not_written_through() {
    let context = Context::new();
    context.write("elsewhere.toml", "# not yours\n");
    std::os::unix::fs::symlink(
        context.path("elsewhere.toml"),
        context.path("app/becket.toml"),
    )
    .expect("a link");
    std::os::unix::fs::symlink(
        context.path("new.toml"),
        context.path("app/becket.local.toml"),
    )
    .expect("a link");
    for level in ["project", "local"] {
        let said = refused(
            &context,
            &[
                "hooks",
                "add",
                "x",
                "--event",
                "Stop",
                "--command",
                "x",
                "--level",
                level,
            ],
        );
        assert!(said.contains("becket"), "{said}");
    }
    assert_eq!(context.read("elsewhere.toml"), "# not yours\n");
    assert!(!context.path("new.toml").exists());
}

#[test]
fn symlink_of_the_user_stays_a_symlink() {
    let context = Context::new();
    context.write("dotfiles/config.toml", "# mine\n");
    std::fs::create_dir_all(context.path("home/.becket")).expect("created");
    let link = context.path("home/.becket/config.toml");
    std::os::unix::fs::symlink(context.path("dotfiles/config.toml"), &link).expect("a link");
    done(&context, &["hooks", "off"]);
    assert!(
        std::fs::symlink_metadata(&link)
            .expect("there")
            .file_type()
            .is_symlink()
    );
    assert_eq!(
        context.read("dotfiles/config.toml"),
        "# mine\n\n[hooks]\nenabled = false\n"
    );
}

#[test]
fn unparsable_file_is_not_changed_and_reported_with_its_line() {
    let context = Context::new();
    context.config("a = 1\nb = \n");
    for args in [
        vec!["hooks", "add", "x", "--event", "Stop", "--command", "x"],
        vec!["hooks", "off"],
        vec!["hooks", "enable", "security-guard"],
    ] {
        let said = refused(&context, &args);
        assert!(
            said.contains("config.toml:2") && said.contains("not valid TOML"),
            "{said}"
        );
    }
    assert_eq!(config(&context), "a = 1\nb = \n");
}
