//! Name tables for path classification. Data only; the reasons are documented where the tables are used.

use super::secret::SecretKind::{self, Credentials, Key, Store};

/// Names that only tools create, in any directory.
#[rustfmt::skip]
pub(super) const ALWAYS_BUILD: &[&str] = &[
    ".DS_Store", ".angular", ".eggs", ".eslintcache", ".gradle", ".mypy_cache", ".next", ".nox",
    ".nuxt", ".nyc_output", ".parcel-cache", ".pytest_cache", ".ruff_cache", ".svelte-kit",
    ".terragrunt-cache", ".tox", ".turbo", ".vite", ".webpack", "DerivedData", "__pycache__",
    "bower_components", "node_modules",
];

/// Names that mean build output inside a project.
#[rustfmt::skip]
pub(super) const BUILD: &[&str] = &[
    ".astro", ".aws-sam", ".bloop", ".build", ".cache", ".cargo-ok", ".coverage", ".dart_tool",
    ".docusaurus", ".expo", ".hypothesis", ".ipynb_checkpoints", ".jekyll-cache", ".metals",
    ".netlify", ".output", ".pdm-build", ".pnpm-store", ".sass-cache", ".scratch", ".serverless",
    ".stack-work", ".temp", ".terraform", ".tmp", ".venv", ".vercel", ".virtualenv", ".wrangler", ".yarn",
    ".zig-cache", "Debug", "Pods", "Release", "_build", "_deps", "_site", "build",
    "cmake-build-debug", "cmake-build-release", "coverage", "CMakeFiles", "CMakeCache.txt", "dist", "dist-newstyle", "elm-stuff",
    "htmlcov", "log", "logs", "obj", "out", "output", "playwright-report", "scratch", "sdist",
    "storybook-static", "target", "temp", "test-results", "test_output", "tmp", "venv", "wheels",
    "zig-cache", "zig-out",
];

/// Directories in a home directory whose whole content is secret, with exceptions.
#[rustfmt::skip]
pub(super) const SECRET_DIRECTORIES: &[(&str, SecretKind, &[&str])] = &[
    ("/.ssh", Key, &[
        "config", "known_hosts", "known_hosts.old", "authorized_keys", "authorized_keys2", "rc",
        "environment", "config.d", "allowed_signers",
    ]),
    ("/.aws", Credentials, &["config"]),
    ("/.azure", Credentials, &["config", "clouds.config"]),
    ("/.gnupg", Key, &["gpg.conf", "gpg-agent.conf", "dirmngr.conf", "pubring.kbx"]),
    ("/.kube", Credentials, &["cache", "http-cache"]),
    ("/.config/gcloud", Credentials, &["configurations", "active_config", "logs"]),
    ("/.config/op", Store, &[]),
    ("/.config/sops", Key, &[]),
    ("/.config/solana", Store, &["cli"]),
    ("/.config/google-chrome", Store, &[]),
    ("/.config/chromium", Store, &[]),
    ("/.config/bravesoftware", Store, &[]),
    ("/.config/microsoft-edge", Store, &[]),
    ("/.config/bitwarden", Store, &[]),
    ("/.config/github-copilot", Credentials, &[]),
    ("/.mozilla", Store, &[]),
    ("/.password-store", Store, &[]),
    ("/.local/share/keyrings", Store, &[]),
    ("/.local/share/kwalletd", Store, &[]),
    ("/library/keychains", Store, &[]),
    ("/library/application support/google/chrome", Store, &[]),
    ("/library/application support/firefox", Store, &[]),
    ("/library/application support/bravesoftware", Store, &[]),
    ("/library/application support/1password", Store, &[]),
    ("/library/cookies", Store, &[]),
    ("/.1password", Store, &["agent.sock"]),
    ("/.bitcoin", Store, &[]),
    ("/.ethereum", Store, &[]),
    ("/.electrum", Store, &[]),
    ("/.monero", Store, &[]),
    ("/.oci", Credentials, &[]),
    ("/.cloudflared", Credentials, &["config.yml"]),
    ("/.supabase", Credentials, &["config.toml"]),
];

/// Credential files of known tools, as path suffixes.
#[rustfmt::skip]
pub(super) const SECRET_FILES: &[&str] = &[
    "/.cache/huggingface/token", "/.cargo/credentials", "/.cargo/credentials.toml",
    "/.claude/.credentials.json", "/.codex/auth.json", "/.config/composer/auth.json",
    "/.config/configstore/firebase-tools.json", "/.config/containers/auth.json",
    "/.config/doctl/config.yaml", "/.config/gh/hosts.yml", "/.config/git/credentials",
    "/.config/glab-cli/config.yml", "/.config/hcloud/cli.toml", "/.config/hub",
    "/.config/netlify/config.json", "/.config/ngrok/ngrok.yml", "/.config/pypoetry/auth.toml",
    "/.config/rclone/rclone.conf", "/.config/stripe/config.toml",
    "/.config/wrangler/config/default.toml", "/.docker/config.json", "/.fly/config.yml",
    "/.gem/credentials", "/.gemini/oauth_creds.json", "/.heroku/credentials.json",
    "/.huggingface/token", "/.m2/settings-security.xml", "/.m2/settings.xml", "/.composer/auth.json",
    "/.gradle/gradle.properties", "/.nuget/nuget.config", "/.config/nuget/nuget.config",
    "/.nuget/nuget/nuget.config", "/.kaggle/kaggle.json", "/.local/share/amp/secrets.json",
    "/.local/share/gem/credentials", "/.local/share/opencode/auth.json", "/.ngrok2/ngrok.yml",
    "/.pulumi/credentials.json", "/.qwen/oauth_creds.json",
    "/.terraform.d/credentials.tfrc.json", "/rclone.conf",
];

/// Credential files in any directory.
#[rustfmt::skip]
pub(super) const CREDENTIAL_NAMES: &[&str] = &[
    ".boto", ".databrickscfg", ".dockercfg", ".dockerconfigjson", ".git-credentials", ".my.cnf",
    ".mylogin.cnf", ".netrc", ".npmtoken", ".pgpass", ".pypirc", ".s3cfg", ".sentryclirc",
    ".terraformrc", ".vault-token", "_netrc", "accesstokens.json",
    "application_default_credentials.json", "credentials.json", "secret.json", "secrets.json",
];

/// Histories of shells and prompts.
#[rustfmt::skip]
pub(super) const HISTORIES: &[&str] = &[
    ".bash_history", ".histfile", ".history", ".irb_history", ".mysql_history",
    ".node_repl_history", ".pry_history", ".psql_history", ".python_history",
    ".rediscli_history", ".sh_history", ".sqlite_history", ".zhistory", ".zsh_history",
    "consolehost_history.txt", "fish_history",
];

/// Extensions of code, prose and public keys.
#[rustfmt::skip]
pub(super) const PUBLIC_ENDINGS: &[&str] = &[
    "css", "go", "html", "java", "js", "jsx", "kt", "md", "pub", "py", "rb", "rs", "rst", "ts",
    "tsx",
];

/// Directories of tests and test data.
#[rustfmt::skip]
pub(super) const TEST_DIRECTORIES: &[&str] = &[
    "__fixtures__", "__mocks__", "__tests__", "example", "examples", "fixtures", "mocks",
    "samples", "spec", "specs", "test", "test-data", "test_data", "testdata", "tests",
];

/// Last components of `.env.…` names that hold no secrets.
#[rustfmt::skip]
pub(super) const EXAMPLE_ENDINGS: &[&str] = &[
    "ci", "d", "default", "defaults", "dist", "example", "examples", "md", "sample", "schema",
    "template", "test", "testing", "tmpl", "tpl", "ts", "vault",
];

/// Words in the names of certificates and public keys.
#[rustfmt::skip]
pub(super) const CERTIFICATE_WORDS: &[&str] = &[
    "bundle", "ca", "cacert", "cacerts", "cert", "certificate", "certs", "chain", "crt", "csr",
    "dhparam", "dhparams", "fullchain", "isrgrootx1", "pub", "pubkey", "public", "root",
];

/// Settings, hooks and plugins of agents: the directory, then the protected entries. A trailing slash covers
/// everything below; an empty list covers the whole directory.
#[rustfmt::skip]
pub(super) const AGENTS: &[(&str, &[&str])] = &[
    ("/.claude/", &[
        "settings.json", "settings.local.json", "managed-settings.json", "hooks/", "plugins/",
        "hooks.json",
    ]),
    ("/.codex/", &["config.toml", "hooks.json", "hooks/", "rules/", "requirements.toml"]),
    ("/.gemini/", &["settings.json", "hooks/", "extensions/", "trustedfolders.json", "policies/"]),
    ("/.qwen/", &["settings.json", "hooks/", "extensions/"]),
    ("/.cursor/", &[
        "hooks.json", "hooks/", "mcp.json", "cli.json", "cli-config.json", "permissions.json",
        "sandbox.json",
    ]),
    ("/.copilot/", &["config.json", "hooks/", "mcp-config.json", "settings.json"]),
    ("/.github/hooks/", &[""]),
    ("/.github/copilot/", &[""]),
    ("/.config/opencode/", &[
        "opencode.json", "opencode.jsonc", "plugin/", "plugins/", "config.json",
    ]),
    ("/.opencode/", &["opencode.json", "opencode.jsonc", "plugin/", "plugins/"]),
    ("/.factory/", &["settings.json", "settings.local.json", "hooks.json", "hooks/", "mcp.json"]),
    ("/.augment/", &["settings.json", "hooks/"]),
    ("/.codeium/", &["hooks.json", "windsurf/hooks.json", "windsurf/mcp_config.json"]),
    ("/.windsurf/", &["hooks.json"]),
    ("/.kiro/", &["hooks/", "settings/", "agents/"]),
    ("/.config/crush/", &[""]),
    ("/.clinerules/hooks/", &[""]),
    ("/cline/hooks/", &[""]),
    ("/.amp/", &["plugins/", "settings.json"]),
    ("/.config/amp/", &[""]),
    ("/.autohand/", &["config.json", "config.toml", "config.yaml", "config.yml", "hooks/"]),
    ("/.agents/plugins/", &[""]),
    ("/.config/goose/", &[""]),
    ("/.code-agent/", &["hooks/", "settings.json"]),
    ("/.devin/", &["config.json", "hooks/"]),
    ("/.continue/", &["config.json", "config.yaml", "config.ts"]),
    ("/.roo/", &["mcp.json"]),
    ("/.vscode/", &["mcp.json"]),
    ("/etc/claude-code/", &[""]),
    ("/etc/codex/", &[""]),
];

/// Files in a home directory that shells, sessions and programs run at start.
#[rustfmt::skip]
pub(super) const START_FILES: &[&str] = &[
    ".bash_aliases", ".bash_login", ".bash_logout", ".bash_profile", ".bashrc",
    ".config/fish/config.fish", ".config/nushell/config.nu", ".config/nushell/env.nu", ".cshrc",
    ".kshrc", ".login", ".pam_environment", ".profile", ".pythonrc", ".pythonrc.py",
    ".ssh/config", ".tcshrc", ".xinitrc", ".xprofile", ".xsession", ".xsessionrc", ".zlogin",
    ".zlogout", ".zprofile", ".zshenv", ".zshrc",
];
