//! Recognizes files that hold secrets by their location and name.

use super::area::below_a_home;
use super::normalize::{below, name};
use super::tables::{
    CERTIFICATE_WORDS, CREDENTIAL_NAMES, EXAMPLE_ENDINGS, HISTORIES, PUBLIC_ENDINGS,
    SECRET_DIRECTORIES, SECRET_FILES, TEST_DIRECTORIES,
};
use crate::facts::RunLocation;

/// The kind of secret in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretKind {
    /// `.env` files.
    Env,
    /// A private key or a key store.
    Key,
    /// Credentials of a service: cloud, registry, database, agent.
    Credentials,
    /// A keychain, a password store, a browser's profile, a wallet.
    Store,
    /// System passwords, process memory and process environments.
    System,
    /// A shell history.
    History,
    /// A certificate or public key: readable by all users, but not writable.
    Certificate,
    /// A state file that often holds plain-text passwords.
    State,
}

/// A file that holds a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecretFile {
    /// The kind of secret.
    pub kind: SecretKind,
    /// Whether the file almost certainly holds a secret; otherwise files with this name often hold none.
    pub sure: bool,
}

impl SecretFile {
    /// Whether reading it is harmful.
    pub fn is_confidential(self) -> bool {
        self.kind != SecretKind::Certificate
    }
}

const fn sure(kind: SecretKind) -> SecretFile {
    SecretFile { kind, sure: true }
}

const fn likely(kind: SecretKind) -> SecretFile {
    SecretFile { kind, sure: false }
}

/// The secret at `path`, which is absolute. Ignores case.
pub(super) fn secret(path: &str, home: &str) -> Option<SecretFile> {
    let path = path.to_ascii_lowercase();
    let name = name(&path);
    if is_public(name) {
        return None;
    }
    let found = by_system(&path)
        .or_else(|| by_directory(&path))
        .or_else(|| by_name(name, &path, home))
        .or_else(|| by_ending(name, &path))?;
    if is_in_tests(&path) {
        return match found.kind {
            // A key in a test directory is test data.
            SecretKind::Key | SecretKind::Certificate => Some(likely(SecretKind::Certificate)),
            kind => Some(likely(kind)),
        };
    }
    Some(found)
}

/// The daemon's credentials: an agent that has them acts with the person's rights.
pub(super) fn daemon_credential(path: &str, location: &RunLocation) -> Option<SecretFile> {
    const DAEMON_FILES: [&str; 4] = ["daemon", "daemon/token", "daemon/socket", "daemon/logins"];
    let usual = below(path, &location.home).and_then(|rest| below(rest, ".local/state/becket"));
    let own = location
        .becket_paths
        .iter()
        .filter_map(|own| below(path, own));
    let is_daemon_file = own.chain(usual).any(|rest| DAEMON_FILES.contains(&rest));
    is_daemon_file.then_some(sure(SecretKind::Credentials))
}

fn is_public(name: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, ending)| PUBLIC_ENDINGS.contains(&ending))
}

fn is_in_tests(path: &str) -> bool {
    path.split('/').any(|part| TEST_DIRECTORIES.contains(&part))
}

fn by_system(path: &str) -> Option<SecretFile> {
    use SecretKind::{Credentials, Key, System};
    if let Some(rest) = below(path, "/proc") {
        let (_, what) = rest.split_once('/')?;
        let what = what.rsplit('/').next()?;
        return if matches!(what, "environ" | "mem" | "auxv") {
            Some(sure(System))
        } else {
            None
        };
    }
    if let Some(rest) = below(path, "/etc") {
        return match rest {
            "shadow" | "shadow-" | "gshadow" | "gshadow-" | "master.passwd"
            | "security/opasswd" | "spwd.db" => Some(sure(System)),
            "krb5.keytab" | "ipsec.secrets" => Some(sure(Key)),
            "sudoers" => Some(likely(System)),
            _ if rest.starts_with("ssh/ssh_host_") && rest.ends_with("_key") => Some(sure(Key)),
            _ if rest.starts_with("ssl/private/") || rest.starts_with("wireguard/") => {
                Some(sure(Key))
            }
            _ if rest.starts_with("letsencrypt/") && name(rest).starts_with("privkey") => {
                Some(sure(Key))
            }
            _ => None,
        };
    }
    let mounted = ["/run/secrets", "/var/run/secrets"]
        .iter()
        .any(|dir| below(path, dir).is_some());
    if mounted {
        return Some(sure(Credentials));
    }
    let is_database = matches!(path, "/proc/kcore" | "/dev/mem" | "/dev/kmem")
        || below(path, "/var/db/dslocal").is_some()
        || path.ends_with("/windows/system32/config/sam");
    is_database.then_some(SecretFile {
        kind: System,
        sure: true,
    })
}

fn by_directory(path: &str) -> Option<SecretFile> {
    if !path.contains("/.") && !path.contains("/library/") && !path.ends_with("/rclone.conf") {
        return None;
    }
    for (directory, kind, public) in SECRET_DIRECTORIES {
        let Some(at) = path.find(directory) else {
            continue;
        };
        let rest = &path[at + directory.len()..];
        if !rest.is_empty() && !rest.starts_with('/') {
            continue;
        }
        let first = rest.trim_start_matches('/').split('/').next().unwrap_or("");
        if first.is_empty() || !public.contains(&first) {
            return Some(sure(*kind));
        }
        return None;
    }
    let is_known = SECRET_FILES.iter().any(|file| path.ends_with(file));
    is_known.then_some(sure(SecretKind::Credentials))
}

fn by_name(name: &str, path: &str, home: &str) -> Option<SecretFile> {
    use SecretKind::{Credentials, Env, History, Key, Store};
    match name {
        ".env" | ".env.keys" => Some(sure(Env)),
        ".envrc" | ".flaskenv" => Some(likely(Env)),
        "id_rsa" | "id_dsa" | "id_ecdsa" | "id_ed25519" | "id_ecdsa_sk" | "id_ed25519_sk"
        | "identity.age" => Some(sure(Key)),
        name if CREDENTIAL_NAMES.contains(&name) => Some(sure(Credentials)),
        // In a project it mostly names a registry; in a home directory it holds a token.
        ".npmrc" => {
            if below_a_home(path, home) == Some(".npmrc") {
                Some(sure(Credentials))
            } else {
                Some(likely(Credentials))
            }
        }
        ".htpasswd" | "token.json" | "client_secrets.json" | "gcp-key.json" => {
            Some(likely(Credentials))
        }
        "wallet.dat" | "logins.json" | "key4.db" | "login data" | "cookies.sqlite" => {
            Some(sure(Store))
        }
        name if HISTORIES.contains(&name) => Some(likely(History)),
        _ => None,
    }
}

fn by_ending(name: &str, path: &str) -> Option<SecretFile> {
    use SecretKind::{Certificate, Credentials, Env, Key, State, Store};
    if let Some(rest) = name
        .strip_prefix(".env.")
        .or_else(|| name.strip_prefix(".env-"))
        .or_else(|| name.strip_prefix(".env_"))
    {
        return match rest {
            // Often committed as shared defaults.
            "development" | "dev" => Some(likely(Env)),
            rest => (!is_example(rest)).then_some(sure(Env)),
        };
    }
    let (stem, ending) = name.rsplit_once('.')?;
    match ending {
        "env" if !stem.is_empty() && !is_example(stem) => Some(likely(Env)),
        "pem" | "key" if is_dependency(path) => None,
        "pem" | "key" if is_certificate(stem) => Some(sure(Certificate)),
        "pem" | "key" | "p12" | "pfx" | "ppk" | "p8" | "jks" | "keystore" | "keytab" | "agekey" => {
            Some(sure(Key))
        }
        "asc" | "gpg" if stem.contains("secret") || stem.contains("private") => Some(likely(Key)),
        "ovpn" => Some(likely(Key)),
        "kdbx" | "kdb" | "keychain" | "keychain-db" | "wallet" => Some(sure(Store)),
        "tfstate" => Some(likely(State)),
        "backup" if stem.ends_with(".tfstate") => Some(likely(State)),
        "json" if is_service_account(stem) => Some(sure(Credentials)),
        "yml" | "yaml" | "toml" | "ini" | "xml" | "csv" | "properties" | "txt" | "cfg" | "conf"
        | "tfvars" | "enc"
            if matches!(
                stem,
                "credentials" | "credential" | "secrets" | "secret" | ".secrets" | "passwords"
            ) =>
        {
            Some(likely(Credentials))
        }
        _ => None,
    }
}

/// `.env.example`, `.env.sample`, `.env.local.template`; `.env.test` is checked in by convention.
pub(crate) fn is_example(rest: &str) -> bool {
    let last = rest.rsplit(['.', '-', '_']).next().unwrap_or(rest);
    EXAMPLE_ENDINGS.contains(&last)
}

/// Certificates, and files whose name says that they are public.
fn is_certificate(stem: &str) -> bool {
    stem.split(|c: char| !c.is_ascii_alphanumeric())
        .any(|word| CERTIFICATE_WORDS.contains(&word))
}

fn is_dependency(path: &str) -> bool {
    [
        "/node_modules/",
        "/site-packages/",
        "/vendor/",
        "/usr/share/",
        "/etc/ssl/certs/",
    ]
    .iter()
    .any(|dir| path.contains(dir))
}

fn is_service_account(stem: &str) -> bool {
    [
        "service-account",
        "service_account",
        "serviceaccount",
        "firebase-adminsdk",
        "client_secret_",
    ]
    .iter()
    .any(|part| stem.contains(part))
        && !is_example(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Option<SecretFile> {
        secret(path, "/h")
    }

    #[test]
    fn secret_files_are_recognised() {
        for path in [
            "/p/.env",
            "/p/.ENV",
            "/p/.env.local",
            "/p/.env.production",
            "/p/.env.development.local",
            "/p/.env.test.local",
            "/p/.env-prod",
            "/p/.env.bak",
            "/h/.ssh",
            "/h/.ssh/id_rsa",
            "/h/.ssh/id_work",
            "/h/.SSH/id_work",
            "\u{FFFC}/.ssh/x",
            "/p/id_ed25519",
            "/p/server.pem",
            "/p/certs/tls.key",
            "/p/config/master.key",
            "/p/AuthKey_1.p8",
            "/p/release.keystore",
            "/h/.aws",
            "/h/.aws/credentials",
            "/h/.aws/sso/cache/x.json",
            "/h/.config/gcloud/credentials.db",
            "/h/.config/gcloud",
            "/h/.azure/msal_token_cache.json",
            "/h/.kube/config",
            "/h/.docker/config.json",
            "/home/me/.npmrc",
            "/root/.npmrc",
            "/h/.pypirc",
            "/h/.netrc",
            "/h/.git-credentials",
            "/h/.config/gh/hosts.yml",
            "/h/.gnupg/private-keys-v1.d/x.key",
            "/h/Library/Keychains/login.keychain-db",
            "/h/.mozilla/firefox/x/logins.json",
            "/h/.config/google-chrome/Default/Login Data",
            "/h/.password-store/x.gpg",
            "/etc/shadow",
            "/etc/ssh/ssh_host_rsa_key",
            "/proc/self/environ",
            "/proc/1/environ",
            "/run/secrets/db",
            "/p/credentials.json",
            "/p/secrets.json",
            "/p/service-account-prod.json",
            "/h/.vault-token",
            "/h/.bitcoin/wallet.dat",
            "/h/.codex/auth.json",
            "/h/.claude/.credentials.json",
            "/h/x.kdbx",
        ] {
            assert!(
                of(path).is_some_and(|secret| secret.sure),
                "{path}: {:?}",
                of(path)
            );
        }
    }

    #[test]
    fn ambiguous_secret_files_are_only_likely() {
        for path in [
            "/p/.npmrc",
            "/p/.env.development",
            "/p/.envrc",
            "/p/prod.env",
            "/h/.bash_history",
            "/p/terraform.tfstate",
            "/p/terraform.tfstate.backup",
            "/p/config/secrets.yml",
            "/p/tests/.env",
            "/p/tests/fixtures/credentials.json",
        ] {
            assert!(
                of(path).is_some_and(|secret| !secret.sure),
                "{path}: {:?}",
                of(path)
            );
        }
    }

    #[test]
    fn holds_secret_accepts_every_spelling_of_a_path() {
        let holds = |text: &str| super::super::holds_secret(text, Some("/p"), "/h");
        assert!(holds("./a/../.env") && holds("~/.ssh/id_rsa"));
        assert!(!holds("src/a.rs") && !holds("certs/ca.pem"));
    }

    #[test]
    fn certificates_and_test_keys_are_not_confidential() {
        for (path, sure) in [
            ("/p/certs/ca.pem", true),
            ("/p/fullchain.pem", true),
            ("/p/public.key", true),
            ("/p/tests/fixtures/server.key", false),
            ("/p/testdata/rsa.pem", false),
        ] {
            let kind = SecretKind::Certificate;
            assert_eq!(of(path), Some(SecretFile { kind, sure }), "{path}");
        }
    }

    #[test]
    fn names_that_only_sound_secret_are_not_secret_files() {
        for path in [
            "/p/.env.example",
            "/p/.env.sample",
            "/p/.env.template",
            "/p/.env.dist",
            "/p/.env.local.example",
            "/p/.env.test",
            "/p/env.example",
            "/p/example.env",
            "/p/.environment",
            "/p/src/env.ts",
            "/p/.env.d.ts",
            "/h/.ssh/id_rsa.pub",
            "/h/.ssh/config",
            "/h/.ssh/known_hosts",
            "/h/.aws/config",
            "/p/secret_santa.py",
            "/p/docs/secrets.md",
            "/p/src/keys.rs",
            "/p/src/secrets/mod.rs",
            "/p/credentials.rs",
            "/p/password_reset.html",
            "/p/token.rs",
            "/usr/share/ca/x.pem",
            "/p/node_modules/x/y.pem",
            "/etc/passwd",
            "/proc/self/status",
            "/p/keyboard.json",
            "/p/.sshignore",
            "/p/main.tf",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
    }
}
