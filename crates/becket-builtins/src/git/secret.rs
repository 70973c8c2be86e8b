//! Detects secrets in a change, by added content and by file name.

use std::collections::BTreeSet;
use std::path::Path;

use becket_guard::redact;

use super::change::{ChangeKind, FileChange};
use crate::display_text;

/// Files with secrets and the kind of secret, never the secret itself.
pub(super) fn find_secrets(changes: &[FileChange], ignore: &[String]) -> Vec<String> {
    let ignored = |change: &FileChange| {
        let fits = |glob: &String| fast_glob::glob_match(glob, &change.path);
        change.kind == ChangeKind::Deleted || ignore.iter().any(fits)
    };
    let looked_at = changes.iter().filter(|change| !ignored(change));
    looked_at
        .filter_map(|change| {
            let kinds: Vec<&str> = secret_kinds(change).into_iter().collect();
            let path = display_text::one_line(&change.path, 120);
            (!kinds.is_empty()).then(|| format!("`{path}` ({})", kinds.join(", ")))
        })
        .collect()
}

fn secret_kinds(change: &FileChange) -> BTreeSet<&'static str> {
    let mut kinds: BTreeSet<&str> = redact::find(&change.added.join("\n"))
        .iter()
        .map(|finding| finding.kind.label())
        .collect();
    // A tracked file was already accepted by name; only its content is checked.
    if change.kind != ChangeKind::Modified && is_sensitive(Path::new(&change.path)) {
        kinds.insert("file name");
    }
    kinds
}

/// Whether a file name suggests secrets.
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
    is_env_file(&name) || NAMES.contains(&&*name) || ENDINGS.contains(&ending)
}

/// Whether it is an `.env` file; examples and templates are not.
fn is_env_file(name: &str) -> bool {
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
    fn secret_file_names_are_detected_in_any_directory_and_case() {
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
