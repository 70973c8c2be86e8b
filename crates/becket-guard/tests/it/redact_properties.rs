//! Properties of redaction that hold for every input.

use std::time::{Duration, Instant};

use becket_guard::redact::{find, redact_json, redact_text};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use crate::samples::{Alphabet, PREFIXED, recognisable};

/// Fragments with a meaning to the scanner, for random combination.
const PIECES: &[&str] = &[
    "password",
    "API_KEY",
    "token",
    "secret",
    "Authorization",
    "Cookie",
    "name",
    "value",
    "key",
    "--token",
    "-u",
    "-p",
    "curl",
    "mysql",
    "sshpass",
    "Bearer ",
    "Basic ",
    "=",
    ":",
    "://",
    "@",
    "\"",
    "'",
    "`",
    "\\",
    "\\n",
    "\\\"",
    "\n",
    " ",
    "\t",
    ",",
    ";",
    "&",
    "|",
    "<",
    ">",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "**",
    "#",
    "$",
    "${",
    "%",
    "~",
    ".",
    "..",
    "-",
    "--",
    "-----",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "eyJ",
    "sk-",
    "xoxb-",
    "SG.",
    "hooks.slack.com/",
    "hunter2",
    "a1b2c3d4e5f6a7b8c9d0",
    "MIIEowIBAAKCAQEA7x9f2k4m",
    "12345678:AA",
    "[redacted:",
    "name: \"token value",
    "[redacted:secret:abc123]",
    "[redacted:jwt:000000]",
    "é",
    "日本",
    "…",
    "x",
    "Q~",
    "0x",
    "sha512-",
    "true",
];

fn random_pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => proptest::sample::select(recognisable()).prop_map(|(_, secret)| secret),
        1 => "[a-zA-Z0-9+/_-]{1,40}",
        1 => "\\PC{0,8}",
    ];
    vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![3 => random_pieces(), 1 => any::<String>(), 1 => "(?s).{0,300}"]
}

fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        random_pieces().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(Value::Null)
    ];
    let name = prop_oneof![
        proptest::sample::select(PIECES).prop_map(str::to_owned),
        random_pieces()
    ];
    leaf.prop_recursive(3, 24, 5, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::from),
            vec((name.clone(), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

/// A random token of one of the recognizable shapes.
fn fresh_token() -> impl Strategy<Value = (String, String)> {
    proptest::sample::select(PREFIXED).prop_flat_map(|(prefix, alphabet, len, _)| {
        vec(proptest::sample::select(alphabet.characters()), len)
            .prop_map(move |body| (prefix, body.into_iter().collect::<String>()))
            .prop_filter("a stand-in is allowed to survive", |(_, body)| {
                !looks_like_a_stand_in(body)
            })
            .prop_map(|(prefix, body)| (format!("{prefix}{body}"), body))
    })
}

fn looks_like_a_stand_in(body: &str) -> bool {
    let filler = ["xxxx", "XXXX", "----", "____"]
        .iter()
        .any(|filler| body.contains(filler));
    filler || body.ends_with("EXAMPLE")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn matches_are_ordered_disjoint_and_on_character_boundaries(text in any_text()) {
        let mut end = 0;
        for found in find(&text) {
            prop_assert!(found.range.start >= end && found.range.start < found.range.end);
            prop_assert!(text.is_char_boundary(found.range.start) && text.is_char_boundary(found.range.end));
            end = found.range.end;
        }
        prop_assert!(end <= text.len());
    }

    #[test]
    fn redaction_of_text_is_idempotent(text in any_text()) {
        let once = redact_text(&text).into_owned();
        let twice = redact_text(&once).into_owned();
        prop_assert_eq!(&twice, &once, "from {:?}", text);
    }

    #[test]
    fn output_length_is_linear_in_input_length(text in any_text()) {
        prop_assert!(redact_text(&text).len() <= 16 * text.len());
    }

    #[test]
    fn text_without_secrets_is_not_copied(text in any_text()) {
        let borrowed = matches!(redact_text(&text), std::borrow::Cow::Borrowed(_));
        prop_assert_eq!(borrowed, find(&text).is_empty());
    }

    #[test]
    fn no_part_of_a_fresh_token_survives((token, body) in fresh_token(), before in "(|.*[ =:\"'(\n])", after in "([ \"')\n].*|)") {
        let redacted = redact_text(&format!("{before}{token}{after}")).into_owned();
        let around = format!("{before}\0{after}");
        let characters: Vec<char> = body.chars().collect();
        for window in characters.windows(8) {
            let piece: String = window.iter().collect();
            prop_assert!(!redacted.contains(&piece) || around.contains(&piece), "{} of {} in {}", piece, token, redacted);
        }
    }

    #[test]
    fn no_part_of_a_random_value_under_a_telling_name_survives(
        name in proptest::sample::select(&["API_KEY", "client_secret", "authToken", "DB_PASSWORD", "aws_secret_access_key"][..]),
        separator in proptest::sample::select(&["=", ": ", " = ", "=\"", "\": \"", "\\\": \\\"", " := \"", "='"][..]),
        value in vec(proptest::sample::select(Alphabet::Base62.characters()), 40..80),
    ) {
        let value: String = value.into_iter().collect();
        // One in a hundred thousand random strings without digits reads like words.
        prop_assume!(!looks_like_a_stand_in(&value) && value.bytes().any(|b| b.is_ascii_digit()));
        let closing = separator.trim_start_matches([':', '=', ' ']);
        let closing = if closing.starts_with("\\\"") || closing.ends_with("\\\"") { "\\\"" } else if closing.ends_with('"') { "\"" } else if closing.ends_with('\'') { "'" } else { "" };
        let redacted = redact_text(&format!("{name}{separator}{value}{closing}\n")).into_owned();
        for at in 0..value.len() - 8 {
            prop_assert!(!redacted.contains(&value[at..at + 8]), "{}", redacted);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn redaction_of_json_is_idempotent(document in document()) {
        let mut once = document.clone();
        redact_json(&mut once);
        let mut twice = once.clone();
        redact_json(&mut twice);
        prop_assert_eq!(twice, once, "from {}", document);
    }

    #[test]
    fn redact_json_reports_changes(document in document()) {
        let mut redacted = document.clone();
        let is_redacted = redact_json(&mut redacted);
        prop_assert_eq!(is_redacted, redacted != document, "from {}", document);
    }

    #[test]
    fn a_document_keeps_its_shape(document in document()) {
        let mut redacted = document.clone();
        redact_json(&mut redacted);
        prop_assert_eq!(std::mem::discriminant(&document) , std::mem::discriminant(&redacted));
        if let (Value::Array(before), Value::Array(after)) = (&document, &redacted) {
            prop_assert_eq!(before.len(), after.len());
        }
    }
}

/// A quadratic scanner would need hours for these; the time limit only distinguishes the two.
#[test]
fn repeated_fragments_take_linear_time() {
    let started = Instant::now();
    for piece in PIECES.iter().copied().chain([
        "a_key=",
        "a_key=\"",
        "a_key='b_key=\"",
        "token:'",
        "authorization:",
        "cookie:",
        "-eyJaaaaaaaaaa",
        "a://b:",
        "password=x1;",
        "curl -u ",
        "password ",
        "token=\\\"",
        "\"token\",\"",
        "<token>",
        "token: |\n ",
        "name: api_key value: ",
        "LS0tLS1CRUdJTi",
        "secret=a.",
        "sk-sk_",
        "aaaaaa.",
        "token=\\\\\\\"",
    ]) {
        let text = piece.repeat(100_000 / piece.len());
        std::hint::black_box(find(&text));
    }
    assert!(started.elapsed() < Duration::from_secs(300));
}

#[test]
fn value_field_inside_its_own_name_is_harmless() {
    let text = "name: \"token value=x\" value: \"plain\"";
    assert_eq!(redact_text(text), text);
}
