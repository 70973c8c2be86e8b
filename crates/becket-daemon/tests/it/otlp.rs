//! Log records that real agents sent, in both encodings.

use std::path::Path;
use std::time::Duration;

use becket_daemon::otlp::decode::{DecodeError, decode_grpc, decode_http};
use becket_daemon::otlp::table::{TelemetryAction, TelemetryCall, TelemetryEvent, interpret};
use becket_daemon::otlp::{LogRecord, record_id};
use serde_json::json;

/// The events of all recorded bodies of a folder, in order.
fn told(folder: &str) -> Vec<TelemetryEvent> {
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
            decode_http(kind, None, &body).expect("a body of the protocol")
        })
        .filter_map(|log| interpret(&log))
        .collect()
}

fn words(told: &[TelemetryEvent]) -> Vec<String> {
    told.iter()
        .map(|told| match &told.action {
            TelemetryAction::SessionStart => "start".to_owned(),
            TelemetryAction::Prompt { text, chars, .. } => format!("prompt {text:?} {chars:?}"),
            TelemetryAction::Decision { call, allowed, .. } => format!("{} {allowed}", call.tool),
            TelemetryAction::Result { call, error, .. } => {
                format!(
                    "{} {}",
                    call.tool,
                    if error.is_some() { "failed" } else { "ran" }
                )
            }
            TelemetryAction::Usage { .. } => "tokens".to_owned(),
        })
        .collect()
}

#[test]
fn codex_json_and_protobuf_are_equivalent() {
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
        let result = told.iter().find_map(|told| match &told.action {
            TelemetryAction::Result { call, duration, .. } if call.tool == "exec_command" => {
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
fn claude_json_and_protobuf_are_equivalent() {
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
fn invalid_bodies_are_rejected_with_a_reason() {
    let refused = |kind: &str, encoding, body: &[u8]| {
        decode_http(kind, encoding, body)
            .expect_err("not the protocol")
            .to_string()
    };
    assert!(refused("text/plain", None, b"{}").contains("text/plain"));
    assert!(refused("application/json", None, b"{\"resourceLogs\":").contains("invalid OTLP JSON"));
    assert!(refused("application/json", None, b"[]").contains("not an object"));
    assert!(refused("application/x-protobuf", None, b"\xff\xff\xff").contains("protobuf"));
    assert!(refused("application/json", Some("br"), b"{}").contains("`br`"));
    assert!(refused("application/json", Some("gzip"), b"plain").contains("gzip"));
}

#[test]
fn zip_bomb_is_rejected() {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..40 {
        packed.write_all(&vec![b' '; 1024 * 1024]).expect("memory");
    }
    let packed = packed.finish().expect("memory");
    let error = decode_http("application/json", Some("gzip"), &packed).expect_err("too large");
    assert!(matches!(error, DecodeError::TooLarge));
}

#[test]
fn grpc_frame_is_equivalent() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/otlp/codex-protobuf");
    let body = std::fs::read(dir.join("0002-logs.pb")).expect("a recording");
    let mut frame = vec![0];
    frame.extend(u32::try_from(body.len()).expect("small").to_be_bytes());
    frame.extend(&body);
    let plain = decode_http("application/x-protobuf", None, &body).expect("a body");
    assert_eq!(decode_grpc(None, &frame).expect("a frame"), plain);
    assert!(decode_grpc(None, &frame[..frame.len() - 1]).is_err());
    assert!(decode_grpc(None, b"\0\0").is_err());
}

/// One log record with these attributes, as JSON.
fn log(attributes: &[(&str, &str)]) -> LogRecord {
    let attributes: Vec<_> = attributes
        .iter()
        .map(|(key, value)| json!({ "key": key, "value": { "stringValue": value } }))
        .collect();
    let record = json!({ "timeUnixNano": "1790000000000000000", "attributes": attributes });
    let body = json!({ "resourceLogs": [{ "scopeLogs": [{ "logRecords": [record] }] }] });
    let logs = decode_http("application/json", None, body.to_string().as_bytes());
    logs.expect("a body").remove(0)
}

#[test]
fn gemini_prompts_calls_and_tokens_are_recorded() {
    let of = |name: &str, more: &[(&str, &str)]| {
        let mut attributes = vec![("event.name", name), ("session.id", "g1")];
        attributes.extend(more);
        interpret(&log(&attributes)).map(|told| (told.agent, told.session, told.action))
    };
    let told = |what| Some(("gemini".to_owned(), "g1".to_owned(), what));
    assert_eq!(
        of("gemini_cli.config", &[]),
        told(TelemetryAction::SessionStart)
    );
    let asked = [
        ("prompt", "go"),
        ("prompt_length", "2"),
        ("prompt_id", "p1"),
    ];
    let prompt = TelemetryAction::Prompt {
        text: Some("go".into()),
        chars: Some(2),
        generation: Some("p1".into()),
    };
    assert_eq!(of("gemini_cli.user_prompt", &asked), told(prompt));
    let call = TelemetryCall {
        tool: "run_shell_command".into(),
        input: json!({ "command": "ls" }),
        id: None,
    };
    let mut ran = vec![
        ("function_name", "run_shell_command"),
        ("function_args", "{\n  \"command\": \"ls\"\n}"),
        ("duration_ms", "12.7"),
        ("success", "true"),
        ("decision", "auto_accept"),
    ];
    let result = |error: Option<&str>| TelemetryAction::Result {
        call: call.clone(),
        output: None,
        error: error.map(str::to_owned),
        duration: Some(Duration::from_millis(12)),
    };
    assert_eq!(of("gemini_cli.tool_call", &ran), told(result(None)));
    ran[3] = ("success", "false");
    ran.push(("error", "no such file"));
    assert_eq!(
        of("gemini_cli.tool_call", &ran),
        told(result(Some("no such file")))
    );
    ran[4] = ("decision", "reject");
    let refused = TelemetryAction::Decision {
        call: call.clone(),
        allowed: false,
        word: "reject".into(),
    };
    assert_eq!(of("gemini_cli.tool_call", &ran), told(refused));
    let spent = [
        ("model", "gemini-3-pro"),
        ("input_token_count", "70"),
        ("output_token_count", "7"),
        ("cached_content_token_count", "60"),
    ];
    let usage = TelemetryAction::Usage {
        model: Some("gemini-3-pro".into()),
        input: 70,
        output: 7,
        cached: 60,
    };
    assert_eq!(of("gemini_cli.api_response", &spent), told(usage));
    assert_eq!(of("gemini_cli.next_speaker_check", &[]), None);
}

#[test]
fn records_of_one_millisecond_are_ordered_by_id() {
    let at = |nanos| LogRecord {
        nanos,
        ..log(&[("event.name", "x")])
    };
    let (one, other) = (1_790_000_000_000_000_001, 1_790_000_000_000_900_000);
    assert!(record_id(&at(one)) < record_id(&at(other)));
    assert_eq!(
        record_id(&at(one)),
        record_id(&at(one)),
        "sent again, it is the same"
    );
    assert!(record_id(&at(one)).starts_with(becket_store::TELEMETRY_ID_PREFIX));
}

#[test]
fn implausible_timestamps_are_ignored() {
    const NOW: u64 = 1_790_000_000_000_000_000;
    const HOUR: u64 = 3_600_000_000_000;
    for (time, observed, expected) in [
        (NOW - HOUR, 0, NOW - HOUR),
        (NOW + HOUR, 0, NOW + HOUR),
        (0, NOW - HOUR, NOW - HOUR),
        (0, 0, NOW),
        (u64::MAX, 0, NOW),
        (NOW + 25 * HOUR, NOW - HOUR, NOW - HOUR),
        // Seconds instead of nanoseconds.
        (1_790_000_000, u64::MAX, NOW),
    ] {
        let log = LogRecord {
            nanos: time,
            observed,
            ..log(&[("event.name", "x")])
        };
        assert_eq!(log.timestamp(NOW), expected, "{time} {observed}");
    }
}

#[test]
fn gzip_bodies_and_any_case_of_media_types_are_accepted() {
    use std::io::Write;
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/otlp/codex-protobuf");
    let body = std::fs::read(dir.join("0002-logs.pb")).expect("a recording");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&body).expect("memory");
    let packed = packed.finish().expect("memory");
    let plain = decode_http("application/x-protobuf", None, &body).expect("a body");
    assert!(!plain.is_empty());
    let unpacked = decode_http("Application/X-Protobuf; a=b", Some("GZIP"), &packed);
    assert_eq!(unpacked.expect("a body"), plain);
    let mut frame = vec![1];
    frame.extend(u32::try_from(packed.len()).expect("small").to_be_bytes());
    frame.extend(&packed);
    assert_eq!(decode_grpc(Some("gzip"), &frame).expect("a frame"), plain);
}
