//! One secret of every kind that the redactor knows, and what nobody may find of it.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use becket_guard::redact::{Kind, find};

use super::samples::{self, Alphabet, random, recognisable, token};

/// A text with a secret in it.
pub(crate) struct Canary {
    /// As people and programs write it.
    pub(crate) text: String,
    /// Any of these in a file is a leak.
    pub(crate) needles: Vec<String>,
}

/// The end of a secret says enough, and is there though its beginning was cut off.
const END: usize = 16;

impl Canary {
    fn new(text: String, secret: &str) -> Self {
        let needle = secret[secret.len() - END..].to_owned();
        Self {
            text,
            needles: vec![needle],
        }
    }
}

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
    let kinds = all.iter().flat_map(|canary| find(&canary.text));
    let known: BTreeSet<Kind> = kinds.map(|found| found.kind).collect();
    assert_eq!(known, Kind::ALL.iter().copied().collect());
    all
}

/// What stands before and after a secret that is known by that.
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
];

fn private_key() -> Canary {
    let lines = samples::key_lines();
    let (begin, end) = (
        samples::marker("BEGIN", "RSA "),
        samples::marker("END", "RSA "),
    );
    Canary {
        text: format!("{begin}\n{}\n{end}\n", lines.join("\n")),
        needles: lines,
    }
}
