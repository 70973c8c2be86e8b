//! Log records that real agents sent, in both encodings.

use std::path::Path;

use becket_daemon::otlp::decode::{DecodeError, grpc, http};
use becket_daemon::otlp::table::{Told, What, meaning};

/// What all recorded bodies of a folder mean, in order.
fn told(folder: &str) -> Vec<Told> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/otlp")
        .join(folder);
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .expect("recordings")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
        .iter()
        .flat_map(|file| {
            let kind = if file.extension().is_some_and(|e| e == "json") {
                "application/json"
            } else {
                "application/x-protobuf"
            };
            let body = std::fs::read(file).expect("readable");
            http(kind, None, &body).expect("a body of the protocol")
        })
        .filter_map(|log| meaning(&log))
        .collect()
}

fn words(told: &[Told]) -> Vec<String> {
    told.iter()
        .map(|told| match &told.what {
            What::SessionStart => "start".to_owned(),
            What::Prompt { text, .. } => format!("prompt {text}"),
            What::Decision { call, allowed, .. } => format!("{} {allowed}", call.tool),
            What::Result { call, error, .. } => {
                format!(
                    "{} {}",
                    call.tool,
                    if error.is_some() { "failed" } else { "ran" }
                )
            }
            What::Usage { .. } => "tokens".to_owned(),
        })
        .collect()
}

#[test]
fn codex_tells_the_same_in_both_encodings() {
    for folder in ["codex-json", "codex-protobuf"] {
        let told = told(folder);
        assert!(
            told.iter()
                .all(|told| told.agent == "codex" && !told.session.is_empty())
        );
        let words = words(&told);
        for expected in ["start", "exec_command true", "exec_command ran", "tokens"] {
            assert!(
                words.iter().any(|word| word == expected),
                "{folder}: {expected}: {words:?}"
            );
        }
        assert!(
            words.iter().any(|word| word.starts_with("prompt ")),
            "{words:?}"
        );
        let result = told.iter().find_map(|told| match &told.what {
            What::Result { call, duration, .. } if call.tool == "exec_command" => {
                Some((call, duration))
            }
            _ => None,
        });
        let (call, duration) = result.expect("a result");
        assert!(call.id.is_some() && duration.is_some());
        assert!(
            call.input.is_object(),
            "arguments are the text of an object: {call:?}"
        );
    }
}

#[test]
fn claude_tells_the_same_in_both_encodings() {
    for folder in ["claude-json", "claude-protobuf"] {
        let told = told(folder);
        assert!(
            told.iter()
                .all(|told| told.agent == "claude" && !told.session.is_empty())
        );
        let words = words(&told);
        assert!(
            words.iter().any(|word| word.starts_with("prompt ")),
            "{folder}: {words:?}"
        );
        assert!(
            words.iter().any(|word| word == "tokens"),
            "{folder}: {words:?}"
        );
        assert!(
            words.iter().any(|word| word.ends_with(" ran")),
            "{folder}: {words:?}"
        );
    }
}

#[test]
fn what_is_not_the_protocol_is_refused_with_a_reason() {
    let refused = |kind: &str, encoding, body: &[u8]| {
        http(kind, encoding, body)
            .expect_err("not the protocol")
            .to_string()
    };
    assert!(refused("text/plain", None, b"{}").contains("text/plain"));
    assert!(refused("application/json", None, b"{\"resourceLogs\":").contains("not OTLP JSON"));
    assert!(refused("application/json", None, b"[]").contains("not an object"));
    assert!(refused("application/x-protobuf", None, b"\xff\xff\xff").contains("protobuf"));
    assert!(refused("application/json", Some("br"), b"{}").contains("`br`"));
    assert!(refused("application/json", Some("gzip"), b"plain").contains("gzip"));
}

#[test]
fn a_body_that_unpacks_without_end_is_refused() {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..40 {
        packed.write_all(&vec![b' '; 1024 * 1024]).expect("memory");
    }
    let packed = packed.finish().expect("memory");
    let error = http("application/json", Some("gzip"), &packed).expect_err("too large");
    assert!(matches!(error, DecodeError::TooLarge));
}

#[test]
fn a_frame_of_grpc_holds_the_same_message() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/otlp/codex-protobuf");
    let body = std::fs::read(dir.join("0002-logs.pb")).expect("a recording");
    let mut frame = vec![0];
    frame.extend(u32::try_from(body.len()).expect("small").to_be_bytes());
    frame.extend(&body);
    let plain = http("application/x-protobuf", None, &body).expect("a body");
    assert_eq!(grpc(None, &frame).expect("a frame"), plain);
    assert!(grpc(None, &frame[..frame.len() - 1]).is_err());
    assert!(grpc(None, b"\0\0").is_err());
}
