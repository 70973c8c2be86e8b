//! One secret of every kind that the redactor detects, and the parts that must not leak.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use becket_guard::redact::{RedactionKind, find};

use super::samples::{self, Alphabet, random, recognisable, token};

/// A text with a secret in it.
pub(crate) struct Canary {
    /// As people and programs write it.
    pub(crate) text: String,
    /// Any of these in a file is a leak.
    pub(crate) needles: Vec<String>,
}

/// The end of a secret is significant, and remains if its beginning was cut off.
const END: usize = 16;

impl Canary {
    pub(crate) fn new(text: String, secret: &str) -> Self {
        Self::of(text, &[&secret[secret.len() - END..]])
    }

    fn of(text: String, parts: &[&str]) -> Self {
        let needles = parts.iter().flat_map(|part| disguises(part)).collect();
        Self { text, needles }
    }
}

/// A part of a secret as it is, percent-encoded, and in base64 at any offset.
fn disguises(part: &str) -> Vec<String> {
    let percent = part.bytes().map(|byte| format!("%{byte:02x}"));
    let mut all = vec![part.to_owned(), percent.collect()];
    for before in 0..3 {
        let encoded = STANDARD.encode([&b"..."[..before], part.as_bytes()].concat());
        // The first group may contain preceding bytes, the last one following bytes.
        let from = if before == 0 { 0 } else { 4 };
        all.push(encoded[from..encoded.len() - 4].to_owned());
    }
    all
}

/// A custom redaction pattern.
pub(crate) const OWN: &str = "ZZCANARY-[0-9]{13}";

/// At least one of every kind.
pub(crate) fn canaries() -> Vec<Canary> {
    let mut all: Vec<_> = recognisable()
        .into_iter()
        .map(|(_, secret)| Canary::new(secret.clone(), &secret))
        .collect();
    for (prefix, alphabet, length) in [
        (concat!("sq0", "atp-"), Alphabet::Url64, 22),
        (concat!("ops", "_eyJ"), Alphabet::Base62, 160),
    ] {
        let secret = token(prefix, alphabet, length);
        all.push(Canary::new(secret.clone(), &secret));
    }
    for (number, (before, after)) in (100..).zip(NAMED) {
        let secret = random(Alphabet::Base62, 40, number);
        all.push(Canary::new(format!("{before}{secret}{after}"), &secret));
    }
    let basic = STANDARD.encode(format!("ana:{}", random(Alphabet::Base62, 24, 99)));
    let command = format!("curl -H 'Authorization: Basic {basic}' https://example.com");
    all.push(Canary::new(command, &basic));
    all.push(private_key());
    let own = "ZZCANARY-4829137750164";
    all.push(Canary::new(own.to_owned(), own));
    let kinds = all.iter().flat_map(|canary| find(&canary.text));
    let known: BTreeSet<RedactionKind> = kinds.map(|found| found.kind).collect();
    assert_eq!(known, RedactionKind::ALL.iter().copied().collect());
    all
}

/// Prefixes and suffixes by which a secret is detected.
const NAMED: &[(&str, &str)] = &[
    ("postgres://ana:", "@db.example.com/shop"),
    ("Authorization: Bearer ", ""),
    ("Cookie: theme=dark; sid=", "; x=1"),
    ("export DB_PASSWORD=", ""),
    ("CLIENT_SECRET='", "'"),
    ("{\"password\": \"", "\"}"),
    ("--password ", " --verbose"),
    (
        "https://a.blob.core.windows.net/c/b?sv=2024&sig=",
        "%3D&se=1",
    ),
    ("machine db.example.com login ana password ", ""),
    ("db.example.com:5432:shop:ana:", ""),
];

fn private_key() -> Canary {
    let lines = samples::key_lines();
    let (begin, end) = (
        samples::marker("BEGIN", "RSA "),
        samples::marker("END", "RSA "),
    );
    let parts: Vec<&str> = lines.iter().map(String::as_str).collect();
    Canary::of(format!("{begin}\n{}\n{end}\n", lines.join("\n")), &parts)
}
