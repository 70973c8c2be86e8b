//! Valid and invalid requests generated from the document get documented responses.

use becket_testkit::Dice;
use serde_json::Value;

use super::world::{Reply, World, a_day};

/// Requests for each operation.
const ROUNDS: u64 = 40;

/// Values that are invalid for any parameter that is not free text.
const WRONG: [&str; 8] = [
    "",
    "-1",
    "1e3",
    "yes",
    "null",
    "%00",
    "0x10",
    "99999999999999999999",
];

/// Values for free text.
const TEXT: [&str; 8] = [
    "s1",
    "Bash",
    "%2Fhome%2Fana%2Fshop",
    "parser%20%22two%20words%22%20pre%2A",
    "%27%3B--%20%2A%29%20NEAR%28",
    "%00%01%7F",
    "%F0%9F%AA%9D%C3%A9",
    "x%26y%3D%25",
];

fn right(dice: &mut Dice, name: &str, schema: &Value) -> String {
    if let Some(words) = schema["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        return (*dice.pick(&words)).to_owned();
    }
    let words: &[&str] = match (schema["type"].as_str(), name) {
        (Some("boolean"), _) => &["true", "false"],
        (Some("integer"), _) => {
            let least = schema["minimum"].as_u64().unwrap_or(0);
            let most = schema["maximum"].as_u64().unwrap_or(u64::from(u32::MAX));
            return dice.pick(&[least, most, least + 1]).to_string();
        }
        (_, "since" | "until") => &["7d", "2026-11-16", "2026-11-16T08:00:00Z", "1794817200000"],
        (_, "after") => &["1794817200000_%231", "5_e01"],
        (_, "verdict") => &["deny", "deny,ask,halt", "rewrite"],
        (_, "event") => &["PreToolUse", "pre-tool", "stop"],
        _ => &TEXT,
    };
    (*dice.pick(words)).to_owned()
}

/// A value that is never valid for this parameter; free text has none.
fn wrong(dice: &mut Dice, name: &str, schema: &Value) -> Option<String> {
    let is_text = schema["type"] == "string" && schema.get("enum").is_none();
    if is_text && schema.get("pattern").is_none() {
        return None;
    }
    // A negative position and a time before 1970 are valid.
    let is_signed = schema["format"] == "int64" || is_text && name != "after";
    let value = *dice.pick(&WRONG);
    Some(
        if value == "-1" && is_signed {
            "1.5"
        } else {
            value
        }
        .to_owned(),
    )
}

/// Paths that read a project's directory.
const LOOKING_IN: [&str; 3] = ["/api/v1/hooks", "/api/v1/trust", "/api/v1/doctor"];

struct Made {
    target: String,
    wrong: Vec<String>,
}

fn made(dice: &mut Dice, path: &str, operation: &Value) -> Made {
    let mut query = Vec::new();
    let mut bad = Vec::new();
    for parameter in operation["parameters"].as_array().expect("a list") {
        let name = parameter["name"].as_str().expect("a name");
        let schema = &parameter["schema"];
        if parameter["in"] == "path" || (parameter["required"] != true && dice.roll(2) == 0) {
            continue;
        }
        let value = match dice.roll(5) {
            0 => wrong(dice, name, schema).inspect(|_| bad.push(name.to_owned())),
            _ => None,
        };
        let value = value.unwrap_or_else(|| right(dice, name, schema));
        query.push(format!("{name}={value}"));
    }
    if dice.roll(8) == 0 {
        query.push("nonesuch=1".to_owned());
        bad.push("nonesuch".to_owned());
    }
    let id = dice.pick(&["s1", "c1", "missing", "%2E%2E%2F", "%00"]);
    Made {
        target: format!("{}?{}", path.replace("{id}", id), query.join("&")),
        wrong: bad,
    }
}

fn check(reply: &Reply, made: &Made, operation: &Value, path: &str) {
    let (status, target) = (reply.status, &made.target);
    let documented = operation["responses"].get(status.to_string());
    assert!(documented.is_some(), "{target}: {status} is not documented");
    // No bodies are generated here.
    let lacks_body = operation.get("requestBody").is_some();
    // Not every text is an accessible project.
    let into_project = LOOKING_IN.contains(&path) && target.contains("project=");
    let expected: &[u16] = match made.wrong.is_empty() {
        true if lacks_body => &[400],
        true if path.contains("{id}") => &[200, 404],
        true if into_project => &[200, 400],
        true => &[200],
        false => &[400],
    };
    assert!(
        expected.contains(&status),
        "{target}: {status} {}",
        reply.body
    );
    if status != 200 {
        let error = reply.error();
        assert_eq!(reply.json().as_object().map(serde_json::Map::len), Some(1));
        let says = |name: &String| error.contains(&format!("`{name}`"));
        let named = status != 400
            || made.wrong.iter().any(says)
            || (into_project && error.starts_with("`project`"))
            || (lacks_body && error.starts_with("invalid body"));
        assert!(named, "{target}: `{error}` does not name {:?}", made.wrong);
    }
}

#[test]
fn generated_requests_get_documented_responses() {
    let world = World::with(&a_day());
    let document = world.get("/api/v1/openapi.json").json();
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            for round in 1..=ROUNDS {
                let mut dice = Dice::new(round);
                let made = made(&mut dice, path, operation);
                let method = method.to_uppercase();
                let endless = path.ends_with("/stream") && made.wrong.is_empty();
                if endless {
                    assert_eq!(
                        world.status_of(&method, &made.target),
                        200,
                        "{}",
                        made.target
                    );
                } else {
                    check(&world.send(&method, &made.target), &made, operation, path);
                }
            }
        }
    }
}

#[test]
fn unsupported_methods_are_rejected() {
    let world = World::with(&a_day());
    let document = world.get("/api/v1/openapi.json").json();
    for (path, operations) in document["paths"].as_object().expect("paths") {
        let target = path.replace("{id}", "s1");
        for method in [
            "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW",
        ] {
            if operations.get(method.to_lowercase()).is_none() {
                let reply = world.send(method, &target);
                assert_eq!(reply.status, 405, "{method} {target}");
                assert!(reply.error().contains("method"), "{method} {target}");
            }
        }
    }
    assert_eq!(world.get("/api/v1/status").json()["cursor"], 11);
}

#[test]
fn generated_bodies_never_cause_a_server_error() {
    let world = World::with(&[]);
    let deep = "[".repeat(100_000);
    let bodies = [
        "",
        "{",
        "null",
        "[]",
        "{}",
        "\u{0}",
        "\"\u{d7ff}\"",
        &deep,
        r#"{"resourceLogs":7}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":[]}"#,
    ];
    for target in [
        "/mcp",
        "/v1/logs",
        "/rpc",
        "/metrics",
        "/api/v1/status",
        "/api/v1/alarms/x/acknowledge",
        "/nowhere",
        "/api/v1/nowhere",
    ] {
        for body in bodies {
            let status = world.post(target, "", body).status;
            assert!(
                (200..500).contains(&status),
                "{target} {body:.40}: {status}"
            );
        }
    }
}
