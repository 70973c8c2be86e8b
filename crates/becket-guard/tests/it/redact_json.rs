//! Redaction of JSON documents: the name of a field counts.

use becket_guard::redact::redact_json;
use serde_json::{Value, json};

use crate::redact_text::assert_gone;
use crate::samples::{Alphabet, key_lines, marker, random, recognisable, token};

fn redacted(mut value: Value) -> Value {
    redact_json(&mut value);
    value
}

#[track_caller]
fn assert_placeholder(value: &Value, kind: &str) {
    let text = value.as_str().expect("a placeholder is a string");
    assert!(
        text.starts_with(&format!("[redacted:{kind}:")) && text.ends_with(']'),
        "{text}"
    );
}

#[test]
fn values_under_telling_names_are_redacted() {
    for name in [
        "password",
        "Password",
        "db_password",
        "userPassword",
        "passwd",
        "PGPASSWORD",
    ] {
        for password in [
            "hunter2",
            "correcthorse",
            "P@ss w0rd!".replace(' ', "_").as_str(),
            "12345678",
            "sésame!1",
        ] {
            assert_placeholder(&redacted(json!({name: password}))[name], "password");
        }
    }
    for name in [
        "api_key",
        "apiKey",
        "client_secret",
        "token",
        "access_token",
        "private_key",
        "X-Api-Key",
        "secret",
    ] {
        let secret = random(Alphabet::Base62, 32, 5);
        assert_placeholder(&redacted(json!({name: secret}))[name], "secret");
    }
}

#[test]
fn non_values_under_telling_names_stay() {
    for value in [
        "",
        "string",
        "str",
        "boolean",
        "null",
        "required",
        "$PASSWORD",
        "${API_KEY}",
        "{{ token }}",
        "<your-token>",
        "process.env.API_KEY",
        "changeme",
        "********",
        "xxxx-xxxx",
        "Enter your password",
        "Invalid password",
        "/run/secrets/db",
        "https://example.com/token",
        "hidden",
        "Bash",
        "your-api-key",
    ] {
        for name in [
            "password",
            "token",
            "api_key",
            "secret",
            "authorization",
            "cookie",
        ] {
            let document = json!({name: value});
            assert_eq!(redacted(document.clone()), document, "{name}");
        }
    }
    let schema = json!({"password": {"type": "string", "description": "The password of the user", "minLength": 8}, "token_count": 5, "max_tokens": 4096});
    assert_eq!(redacted(schema.clone()), schema);
}

#[test]
fn telling_names_apply_to_lists_and_value_fields() {
    let secret = random(Alphabet::Base62, 32, 6);
    let document = redacted(json!({
        "tokens": [secret, "Bash"],
        "api_key": {"value": secret, "description": "for tests"},
        "env": [{"name": "DB_PASSWORD", "value": "hunter2"}, {"name": "MODE", "value": "hunter2"}],
    }));
    assert_placeholder(&document["tokens"][0], "secret");
    assert_eq!(document["tokens"][1], "Bash");
    assert_placeholder(&document["api_key"]["value"], "secret");
    assert_eq!(document["api_key"]["description"], "for tests");
    assert_placeholder(&document["env"][0]["value"], "password");
    assert_eq!(document["env"][1]["value"], "hunter2");
}

#[test]
fn json_headers_keep_their_scheme() {
    let secret = random(Alphabet::Base62, 40, 7);
    let document = redacted(json!({"headers": {
        "Authorization": format!("Bearer {secret}"),
        "Cookie": format!("theme=dark; sid={secret}"),
        "Accept": "*/*",
    }}));
    let authorization = document["headers"]["Authorization"]
        .as_str()
        .expect("still a string");
    assert!(
        authorization.starts_with("Bearer [redacted:authorization:"),
        "{authorization}"
    );
    assert_placeholder(&document["headers"]["Cookie"], "cookie");
    assert_eq!(document["headers"]["Accept"], "*/*");
}

#[test]
fn recognisable_tokens_are_redacted_in_strings_and_keys() {
    for (kind, secret) in recognisable() {
        let document = redacted(json!({
            "tool_input": {"command": format!("deploy {secret} now"), "args": ["x", secret]},
            secret.clone(): 1,
        }));
        let text = document.to_string();
        assert_gone(&text, &secret);
        assert_eq!(
            text.matches(&format!("[redacted:{kind}:")).count(),
            3,
            "{text}"
        );
    }
}

#[test]
fn redacted_keys_keep_their_position_and_value() {
    let secret = token(concat!("gh", "p_"), Alphabet::Base62, 36);
    let document = redacted(json!({"first": 1, secret: {"deep": true}, "last": 3}));
    let fields: Vec<_> = document
        .as_object()
        .expect("still an object")
        .iter()
        .collect();
    assert_eq!(
        (fields[0].0.as_str(), fields[2].0.as_str()),
        ("first", "last")
    );
    assert!(fields[1].0.starts_with("[redacted:github-token:"));
    assert_eq!(fields[1].1, &json!({"deep": true}));
}

#[test]
fn private_key_in_json_is_redacted() {
    let lines = key_lines();
    let block = format!(
        "{}\n{}\n{}\n",
        marker("BEGIN", ""),
        lines.join("\n"),
        marker("END", "")
    );
    let document = redacted(
        json!({"type": "service_account", "private_key": block, "client_id": "1234567890"}),
    );
    for line in &lines {
        assert_gone(&document.to_string(), line.trim_end_matches('='));
    }
    assert_eq!(document["client_id"], "1234567890");
}

#[test]
fn numbers_stay_numbers_unless_they_are_a_password() {
    let document =
        redacted(json!({"token": 123_456_789, "password": 12_345_678, "pass_count": 12_345_678}));
    assert_eq!(document["token"], 123_456_789);
    assert_placeholder(&document["password"], "password");
    assert_eq!(document["pass_count"], 12_345_678);
}

#[test]
fn second_redaction_of_json_changes_nothing() {
    let secret = random(Alphabet::Base62, 40, 8);
    let once = redacted(json!({
        "password": "hunter2", "Authorization": format!("Bearer {secret}"), "cookie": format!("sid={secret}"),
        "nested": format!("{{\"api_key\": \"{secret}\"}}"), "env": [{"name": "API_KEY", "value": secret}],
    }));
    assert_eq!(redacted(once.clone()), once);
}

#[test]
fn deep_json_does_not_overflow_the_stack() {
    let secret = token(concat!("gh", "p_"), Alphabet::Base62, 36);
    let mut document = json!(secret);
    for _ in 0..100_000 {
        document = Value::Array(vec![document]);
    }
    redact_json(&mut document);
    // Taken apart level by level, because dropping it at once would recurse.
    while let Value::Array(mut items) = document {
        document = items.remove(0);
    }
    assert_placeholder(&document, "github-token");
}

/// The content has no shape of its own; the file identifies it.
#[test]
fn content_read_from_a_credential_file_is_redacted_and_metadata_stays() {
    let canary = "k7Qx plain words 42";
    let read = |path: &str| {
        json!({
            "tool_name": "Read", "tool_input": { "file_path": path },
            "tool_response": { "type": "text", "file": { "filePath": path, "content": canary, "numLines": 1 } },
        })
    };
    for path in [
        "/home/ana/.pgpass",
        "~/.vault-token",
        "/root/.netrc",
        "/home/ana/.ssh/id_work",
        "/Users/ana/keys/host.ppk",
    ] {
        let once = redacted(read(path));
        let file = &once["tool_response"]["file"];
        assert_placeholder(&file["content"], "credential-file");
        assert_eq!(
            (&file["filePath"], &file["numLines"]),
            (&json!(path), &json!(1))
        );
        assert_eq!(
            redacted(once.clone()),
            once,
            "a second time changes nothing"
        );
    }
    for path in [
        "/home/ana/shop/src/main.rs",
        "/home/ana/.ssh/config",
        "/p/tests/fixtures/credentials.json",
    ] {
        let value = read(path);
        assert_eq!(redacted(value.clone()), value, "{path}");
    }
}

#[test]
fn output_of_commands_that_print_a_credential_file_is_redacted() {
    let ran = |command: Value| {
        redacted(json!({
            "payload": { "tool_input": { "command": command }, "tool_response": { "stdout": "k7Qx 42", "stderr": "" } },
        }))["payload"]["tool_response"]["stdout"]
            .clone()
    };
    for command in [
        "cat ~/.netrc",
        "cd /tmp && sudo cat \"$HOME/.pgpass\" | tail -1",
        "head -c 100 /home/ana/.vault-token",
        "grep -v x ~/.ssh/id_ed25519",
    ] {
        assert_placeholder(&ran(json!(command)), "credential-file");
    }
    assert_placeholder(
        &ran(json!(["bash", "-lc", "cat ~/.netrc"])),
        "credential-file",
    );
    for command in [
        "ls -la ~/.ssh",
        "cat README.md",
        "chmod 600 ~/.netrc",
        "cat ~/.ssh/config",
        "cat src/secrets/mod.rs",
    ] {
        assert_eq!(ran(json!(command)), "k7Qx 42", "{command}");
    }
}

#[test]
fn content_written_to_a_credential_file_is_redacted() {
    let value = redacted(
        json!({ "tool_input": { "file_path": "/home/ana/.vault-token", "content": "k7Qx 42" } }),
    );
    assert_placeholder(&value["tool_input"]["content"], "credential-file");
    // Cursor reports a file before it is read.
    let value = redacted(json!({ "file_path": "/home/ana/.netrc", "content": "k7Qx 42" }));
    assert_placeholder(&value["content"], "credential-file");
    let value = redacted(json!({ "file_path": "/home/ana/notes.txt", "content": "k7Qx 42" }));
    assert_eq!(value["content"], "k7Qx 42");
}
