//! Secrets in a change: by what is added, and by the name of a file.

use std::collections::BTreeSet;
use std::path::Path;

use becket_guard::redact;

use super::change::{Change, How};
use crate::words;

/// The files with secrets and what was found in each, never the secret itself.
pub(super) fn found(changes: &[Change], ignore: &[String]) -> Vec<String> {
    let ignored = |change: &Change| {
        let fits = |glob: &String| fast_glob::glob_match(glob, &change.path);
        change.how == How::Deleted || ignore.iter().any(fits)
    };
    let looked_at = changes.iter().filter(|change| !ignored(change));
    looked_at
        .filter_map(|change| {
            let kinds: Vec<&str> = kinds(change).into_iter().collect();
            let path = words::one_line(&change.path, 120);
            (!kinds.is_empty()).then(|| format!("`{path}` ({})", kinds.join(", ")))
        })
        .collect()
}

fn kinds(change: &Change) -> BTreeSet<&'static str> {
    let mut kinds: BTreeSet<&str> = redact::find(&change.added.join("\n"))
        .iter()
        .map(|finding| finding.kind.label())
        .collect();
    // One that git knows already has been decided about; what it says now is looked at.
    if change.how != How::Modified && is_sensitive(Path::new(&change.path)) {
        kinds.insert("by its name");
    }
    kinds
}

/// Whether a file of this name is likely to hold secrets.
pub(super) fn is_sensitive(path: &Path) -> bool {
    const NAMES: [&str; 15] = [
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "credentials",
        "credentials.json",
        "secrets.json",
        "secrets.yaml",
        "secrets.yml",
        ".npmrc",
        ".pypirc",
        ".netrc",
        ".git-credentials",
        ".htpasswd",
        ".pgpass",
    ];
    const ENDINGS: [&str; 9] = [
        "pem", "key", "p12", "pfx", "jks", "keystore", "kdbx", "ppk", "tfstate",
    ];
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.to_lowercase();
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    is_environment(&name) || NAMES.contains(&&*name) || ENDINGS.contains(&ending)
}

/// A file of variables; one that only shows how to write it has none.
fn is_environment(name: &str) -> bool {
    let shows = ["example", "sample", "template", "dist", "defaults"];
    let rest = name.strip_prefix(".env");
    rest.is_some_and(|rest| {
        let variables = rest.is_empty() || rest.starts_with('.') || rest == "rc";
        variables && !shows.iter().any(|word| rest.ends_with(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_any_directory_and_case() {
        for (name, expected) in [
            (".env", true),
            ("config/.env.production", true),
            (".ENV.local", true),
            (".envrc", true),
            (".env.example", false),
            (".environment.md", false),
            ("a/id_rsa", true),
            ("a/id_rsa.pub", false),
            ("server.PEM", true),
            ("tls/server.key", true),
            ("src/key.rs", false),
            ("src/credentials.rs", false),
            (".aws/credentials", true),
            ("monkey", false),
        ] {
            assert_eq!(is_sensitive(Path::new(name)), expected, "{name}");
        }
    }
}
