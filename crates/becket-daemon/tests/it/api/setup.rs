//! This machine's setup, single decisions and sessions.

use becket_testkit::wait_for;
use serde_json::{Value, json};

use super::machine::PLAN;
use super::world::{Reply, World, a_day, record};

fn post(world: &World, path: &str, body: &Value) -> Reply {
    world.post(&format!("/api/v1{path}"), "", &body.to_string())
}

/// A guard decision on a command, as the hook records it.
fn guarded(id: &str, command: &str) -> Value {
    let payload =
        json!({ "tool_name": "Bash", "tool_input": { "command": command }, "tool_use_id": id });
    let mut record = record(id, 20, "PreToolUse", payload);
    let reason = "core.delete-root: `rm -rf /` deletes the whole file system\ninstead: name the one directory that should go";
    record["decision"] = json!({
        "verdict": "deny", "reason": reason,
        "hooks": [
            { "hook": "security-guard", "verdict": "deny", "ms": 1, "reason": reason },
            { "hook": "lint", "verdict": "none", "ms": 7 },
        ],
    });
    record
}

#[test]
fn decision_is_explained_with_every_hook_result() {
    let world = World::with(&[guarded("g1", "rm -rf /")]);
    let told = world.get("/api/v1/decisions/g1").json();
    assert_eq!(
        (&told["event_id"], &told["verdict"]),
        (&json!("g1"), &json!("deny"))
    );
    assert_eq!(
        told["call"],
        json!({ "tool": "Bash", "input": { "command": "rm -rf /" }, "rewritten_to": null })
    );
    assert_eq!(told["hooks"][0]["hook"], "security-guard");
    let matched = &told["hooks"][0]["matched"][0];
    assert_eq!(matched["rule"], "core.delete-root");
    assert_eq!(
        (&matched["severity"], &matched["text"]),
        (&json!("catastrophic"), &json!("rm -rf /"))
    );
    assert!(
        matched["safer"]
            .as_str()
            .expect("text")
            .starts_with("name the one")
    );
    assert_eq!(told["hooks"][1]["matched"], json!([]));
    assert_eq!(world.get("/api/v1/decisions/missing").status, 404);
}

#[test]
fn exported_session_can_be_imported() {
    let world = World::with(&a_day());
    let reply = world.get("/api/v1/sessions/s1/export");
    assert_eq!(reply.header("content-type"), Some("application/x-ndjson"));
    assert_eq!(
        reply.header("content-disposition"),
        Some("attachment; filename=\"becket-s1.jsonl\"")
    );
    let lines: Vec<Value> = lines(&reply.body);
    assert_eq!(lines[0], json!({ "type": "becket_export", "version": 1 }));
    let sessions: Vec<&Value> = lines[1..]
        .iter()
        .map(|line| &line["record"]["session"])
        .collect();
    assert_eq!(sessions, vec![&json!("s1"); 9]);
    assert_eq!(world.get("/api/v1/sessions/missing/export").status, 404);
    let detail = world.get("/api/v1/sessions/s1").json();
    assert_eq!(detail["resume"], "claude --resume s1");
}

/// The JSON lines of a body that may be chunked.
fn lines(body: &str) -> Vec<Value> {
    let lines = body.lines().filter(|line| line.starts_with('{'));
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

#[test]
fn only_the_shown_plan_is_applied() {
    let world = World::with(&a_day());
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::write(dir.path().join("becket.toml"), "").expect("written");
    let root = dir.path().canonicalize().expect("it is there");
    for (path, plain) in [
        ("/rules/apply", json!({ "decision": "e04" })),
        ("/connections/apply", json!({ "agent": "claude" })),
        ("/settings/apply", json!({ "redact": ["x"] })),
        ("/trust", json!({ "project": root })),
    ] {
        let key = if path == "/trust" { "digest" } else { "plan" };
        let mut body = plain;
        assert_eq!(
            post(&world, path, &body).status,
            400,
            "{path} without a plan"
        );
        body[key] = json!("another");
        let reply = post(&world, path, &body);
        assert_eq!(reply.status, 409, "{path}: {}", reply.body);
        body[key] = json!(PLAN);
        let reply = post(&world, path, &body);
        assert_eq!(reply.status, 200, "{path}: {}", reply.body);
        body["more"] = json!(true);
        assert_eq!(post(&world, path, &body).status, 400, "{path} with more");
    }
    for path in ["/rules/plan", "/rules/apply"] {
        let body = json!({ "decision": "e01", "plan": PLAN });
        assert!(
            matches!(post(&world, path, &body).status, 400 | 404),
            "no decision"
        );
    }
    let plan = post(&world, "/rules/plan", &json!({ "decision": "e04" })).json();
    assert_eq!(
        (&plan["rule"], &plan["plan"]),
        (&json!("e04"), &json!(PLAN))
    );
}

#[test]
fn only_the_users_projects_are_accessible() {
    let dir = tempfile::tempdir().expect("a directory");
    let root = dir.path().canonicalize().expect("it is there");
    let [gone, seen] = ["gone", "seen"].map(|name| root.join(name).display().to_string());
    std::fs::create_dir(&seen).expect("made");
    let in_project = |id: &str, project: &str| {
        let mut start = record(id, 1, "SessionStart", json!({ "source": "startup" }));
        start["project"] = json!(project);
        start["session"] = json!(id);
        start["payload"]["session_id"] = json!(id);
        start
    };
    let world = World::with(&[in_project("e1", &gone), in_project("e2", &seen)]);
    let ask = |path: &str| world.get(&format!("/api/v1/trust?project={path}"));
    let shown = root.display().to_string();
    for path in ["", "app", "/", "/etc", "%00", &shown] {
        let reply = ask(path);
        assert_eq!(reply.status, 400, "{path}: {}", reply.body);
        assert!(reply.error().contains("`project`"), "{}", reply.error());
    }
    assert_eq!(ask(&gone).status, 400, "on record, and not there any more");
    assert_eq!(ask(&seen).status, 200, "on record");
    std::fs::write(root.join("becket.toml"), "").expect("written");
    let review = ask(&shown).json();
    assert_eq!(
        (&review["project"], &review["digest"]),
        (&json!(shown), &json!(PLAN))
    );
    // A symbolic link is not a project.
    let link = root.join("link");
    std::os::unix::fs::symlink(&root, &link).expect("linked");
    assert_eq!(ask(&link.display().to_string()).status, 400);
    for (path, body) in [
        ("/trust/revoke", json!({ "project": "/etc" })),
        (
            "/hooks/switch",
            json!({ "name": "guard", "on": true, "project": "/etc" }),
        ),
        ("/hooks/test", json!({ "name": "guard", "project": "/etc" })),
        ("/replay", json!({ "project": "/etc" })),
    ] {
        assert_eq!(post(&world, path, &body).status, 400, "{path}");
    }
    assert_eq!(world.get("/api/v1/hooks?project=/etc").status, 400);
    assert_eq!(world.get("/api/v1/doctor?project=/etc").status, 400);
}

#[test]
fn hooks_are_listed_with_statistics_and_without_secrets() {
    let world = World::with(&a_day());
    let told = world.get("/api/v1/hooks");
    assert!(!told.body.contains("ghp_"), "{}", told.body);
    let hook = &told.json()["hooks"][0];
    assert_eq!((&hook["trust"], &hook["runs"]), (&json!("own"), &json!(1)));
    assert_eq!((&hook["p50_ms"], &hook["p95_ms"]), (&json!(5), &json!(5)));
    let tried = post(
        &world,
        "/hooks/test",
        &json!({ "name": "guard", "input": { "a": 1 } }),
    );
    assert!(!tried.body.contains("ghp_"), "{}", tried.body);
    assert_eq!(tried.json()["event"], json!({ "tool_input": { "a": 1 } }));
    let switched = post(
        &world,
        "/hooks/switch",
        &json!({ "name": "guard", "on": false }),
    );
    assert_eq!(switched.json()["status"], "disabled");
    let unknown = post(
        &world,
        "/hooks/switch",
        &json!({ "name": "x", "on": false }),
    );
    assert_eq!(
        (unknown.status, unknown.error().as_str()),
        (400, "no hook is called `x`")
    );
}

#[test]
fn invalid_replay_request_is_explained() {
    let world = World::with(&[]);
    for (path, body, expected) in [
        (
            "/replay",
            json!({ "preset": "lax" }),
            "unknown variant `lax`",
        ),
        (
            "/replay",
            json!({ "since": "soon" }),
            "cannot read `soon` as a time",
        ),
        (
            "/replay",
            json!({ "preset": "strict", "hook": "x" }),
            "cannot be given together",
        ),
        (
            "/settings/plan",
            json!({ "redcat": [] }),
            "unknown field `redcat`",
        ),
        ("/settings/plan", json!({ "port": 70000 }), "70000"),
        (
            "/connections/plan",
            json!({ "agent": "x" }),
            "`agent` is unknown",
        ),
        (
            "/hooks/switch",
            json!({ "name": "guard" }),
            "missing field `on`",
        ),
        (
            "/hooks/test",
            json!({ "name": "guard", "level": "x" }),
            "unknown variant `x`",
        ),
        (
            "/permissions/decide",
            json!({ "id": "1", "decision": "maybe" }),
            "unknown variant",
        ),
    ] {
        let reply = post(&world, path, &body);
        assert_eq!(reply.status, 400, "{path} {body}: {}", reply.body);
        let error = reply.error();
        assert!(error.contains(expected), "{path} {body}: {error}");
    }
}

#[test]
fn pending_permissions_are_listed_and_decided() {
    let world = World::with(&[]);
    let none = json!({ "items": [] });
    assert_eq!(world.get("/api/v1/permissions").json(), none);
    let asked = json!({ "do": "permission", "wait_ms": 60_000, "asked": {
        "id": "p1", "agent": "claude", "session": "s1", "project": null, "tool": "Bash", "path": null,
        "command": "make deploy", "args": {},
    } });
    let decided = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| world.ask_socket(&asked));
        wait_for("a pending permission", || {
            world.get("/api/v1/permissions").json() != none
        });
        let answer = json!({ "id": "p1", "decision": "deny", "reason": "not today" });
        assert_eq!(post(&world, "/permissions/decide", &answer).status, 200);
        assert_eq!(post(&world, "/permissions/decide", &answer).status, 404);
        waiting.join().expect("an answer")
    });
    assert_eq!(
        decided["decided"],
        json!({ "word": "deny", "reason": "not today" })
    );
}

#[test]
fn old_records_are_pruned_automatically() {
    let mut old = record("old1", 1, "SessionStart", json!({ "source": "startup" }));
    let mut end = record("old2", 2, "SessionEnd", json!({ "reason": "exit" }));
    for one in [&mut old, &mut end] {
        one["ts"] = json!("1971-01-01T08:00:00.000Z");
        one["session"] = json!("old");
        one["payload"]["session_id"] = json!("old");
    }
    let world = World::with(&[old, end]);
    assert_eq!(world.get("/api/v1/sessions/old").status, 200);
    let world = world.watched();
    wait_for("the end of the session", || {
        world.get("/api/v1/sessions/old").status == 404
    });
}
