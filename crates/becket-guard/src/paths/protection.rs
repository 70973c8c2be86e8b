//! Protected files that hold no secret: files that run automatically, that configure agents or Becket, or that CI
//! runs.

use super::area::below_a_home;
use super::normalize::{below, name, parent};
use super::tables::{AGENTS, START_FILES};
use crate::facts::RunLocation;

/// Why a file without secrets is protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protection {
    /// It runs automatically later.
    Persistence(PersistenceKind),
    /// Settings or hooks of an agent; `user` if they apply to all projects.
    Agent {
        /// Whether the file is in the home directory.
        user: bool,
    },
    /// It belongs to Becket.
    Becket,
    /// CI executes it.
    Ci,
}

/// What runs the file automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PersistenceKind {
    /// Every shell, login session or program start.
    Start,
    /// A scheduler or the system.
    Schedule,
    /// Access control: `authorized_keys`, `sudoers`, PAM.
    Access,
    /// Git, in this clone only.
    Git,
    /// Git, through a tracked file that is reviewed like other files.
    Tracked,
}

/// The protection of the file at `path`, if any.
pub(super) fn protection(
    path: &str,
    location: &RunLocation,
    project: Option<&str>,
) -> Option<Protection> {
    if is_becket_path(path, location, project) {
        return Some(Protection::Becket);
    }
    if is_agent_setting(path) {
        let in_project = project.is_some_and(|project| below(path, project).is_some());
        return Some(Protection::Agent { user: !in_project });
    }
    if let Some(kind) = persistence(path, location) {
        return Some(Protection::Persistence(kind));
    }
    is_ci(path).then_some(Protection::Ci)
}

fn is_becket_path(path: &str, location: &RunLocation, project: Option<&str>) -> bool {
    if location
        .becket_paths
        .iter()
        .any(|own| below(path, own).is_some())
    {
        return true;
    }
    match name(path) {
        "becket.toml" | "becket.local.toml" => {
            project.is_none_or(|project| below(path, project).is_some())
        }
        "becket" | "becket.exe" | "becketd" => name(parent(path)) == "bin",
        _ => ["/.config/becket", "/.local/state/becket"]
            .iter()
            .any(|dir| below(path, &format!("{}{dir}", location.home)).is_some()),
    }
}

fn is_agent_setting(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    match name(&path) {
        ".claude.json"
        | ".mcp.json"
        | "opencode.json"
        | "opencode.jsonc"
        | "crush.json"
        | ".crush.json"
        | ".aider.conf.yml"
        | "managed-settings.json"
        | "managed-mcp.json" => return true,
        _ => {}
    }
    if !path.contains("/.") && !path.contains("/cline/") && !path.starts_with("/etc/") {
        return false;
    }
    AGENTS.iter().any(|(directory, inside)| {
        let Some(at) = path.find(directory) else {
            // The directory itself, for deleting or moving it as a whole.
            return path.ends_with(directory.trim_end_matches('/')) && *directory != "/.vscode/";
        };
        let rest = &path[at + directory.len()..];
        inside.iter().any(|entry| match entry.strip_suffix('/') {
            Some(dir) => below(rest, dir).is_some(),
            None => entry.is_empty() || rest == *entry,
        })
    })
}

fn persistence(path: &str, location: &RunLocation) -> Option<PersistenceKind> {
    if let Some(kind) = repository_persistence(path) {
        return Some(kind);
    }
    if let Some(rest) = below(path, "/etc") {
        return etc_persistence(rest);
    }
    let system = [
        "/lib/systemd",
        "/usr/lib/systemd",
        "/var/spool/cron",
        "/usr/lib/cron",
    ]
    .iter()
    .any(|dir| below(path, dir).is_some());
    let daemons = [
        "/Library/LaunchAgents",
        "/Library/LaunchDaemons",
        "/Library/StartupItems",
    ]
    .iter()
    .any(|dir| below(path, dir).is_some());
    if system || daemons {
        return Some(PersistenceKind::Schedule);
    }
    // In an unknown directory, a start-up file may be the real one.
    let in_home = below_a_home(path, &location.home).or_else(|| {
        path.strip_prefix(crate::command::UNKNOWN)
            .map(|rest| rest.trim_start_matches('/'))
    });
    in_home.and_then(home_persistence)
}

fn home_persistence(rest: &str) -> Option<PersistenceKind> {
    use PersistenceKind::{Access, Git, Schedule, Start};
    match rest {
        rest if START_FILES.contains(&rest) => Some(Start),
        ".ssh/authorized_keys" | ".ssh/authorized_keys2" | ".ssh/rc" | ".ssh/environment" => {
            Some(Access)
        }
        ".gitconfig" | ".config/git/config" => Some(Git),
        _ if rest.ends_with("powershell_profile.ps1")
            || rest.ends_with("PowerShell_profile.ps1") =>
        {
            Some(Start)
        }
        _ if inside(
            rest,
            &[
                ".config/fish/conf.d",
                ".config/fish/functions",
                ".config/autostart",
                ".config/environment.d",
                ".zshrc.d",
                ".bashrc.d",
            ],
        ) =>
        {
            Some(Start)
        }
        _ if inside(
            rest,
            &[
                ".config/systemd/user",
                ".local/share/systemd/user",
                "Library/LaunchAgents",
            ],
        ) =>
        {
            Some(Schedule)
        }
        _ if inside(
            rest,
            &[".config/git/hooks", ".git-templates", ".git_template"],
        ) =>
        {
            Some(Git)
        }
        _ => None,
    }
}

fn inside(rest: &str, directories: &[&str]) -> bool {
    directories.iter().any(|dir| below(rest, dir).is_some())
}

fn etc_persistence(rest: &str) -> Option<PersistenceKind> {
    use PersistenceKind::{Access, Schedule, Start};
    match rest {
        "passwd" | "group" | "shadow" | "gshadow" | "sudoers" | "doas.conf" | "ld.so.preload"
        | "hosts.allow" | "hosts.deny" | "ssh/sshd_config" => Some(Access),
        "rc.local" | "crontab" | "anacrontab" | "inittab" => Some(Schedule),
        "profile" | "bash.bashrc" | "bashrc" | "environment" | "zshenv" | "zprofile" | "zshrc"
        | "zsh/zshenv" | "zsh/zshrc" | "csh.cshrc" | "ld.so.conf" => Some(Start),
        _ if inside(
            rest,
            &[
                "sudoers.d",
                "pam.d",
                "ssh/sshd_config.d",
                "security",
                "polkit-1",
            ],
        ) =>
        {
            Some(Access)
        }
        _ if inside(
            rest,
            &[
                "cron.d",
                "cron.daily",
                "cron.hourly",
                "cron.weekly",
                "cron.monthly",
                "systemd",
                "init.d",
                "init",
                "rc.d",
                "udev",
                "launchd.conf",
            ],
        ) =>
        {
            Some(Schedule)
        }
        _ if inside(
            rest,
            &[
                "profile.d",
                "ld.so.conf.d",
                "xdg/autostart",
                "apt/apt.conf.d",
                "bash_completion.d",
            ],
        ) =>
        {
            Some(Start)
        }
        _ => None,
    }
}

fn repository_persistence(path: &str) -> Option<PersistenceKind> {
    let file = name(path);
    if let Some(at) = path.find("/.git/") {
        let rest = &path[at + "/.git/".len()..];
        let is_hook = below(rest, "hooks").is_some() || rest.contains("/hooks/");
        let is_config = matches!(file, "config" | "config.worktree") && !rest.starts_with("refs/");
        return (is_hook && !file.ends_with(".sample") || is_config)
            .then_some(PersistenceKind::Git);
    }
    let above = name(parent(path));
    let is_tracked = matches!(above, ".husky" | ".githooks")
        || matches!(
            file,
            ".pre-commit-config.yaml"
                | "lefthook.yml"
                | ".lefthook.yml"
                | "lefthook.yaml"
                | ".huskyrc"
        );
    is_tracked.then_some(PersistenceKind::Tracked)
}

fn is_ci(path: &str) -> bool {
    const DIRECTORIES: &[&str] = &[
        "/.github/workflows/",
        "/.github/actions/",
        "/.circleci/",
        "/.buildkite/",
        "/.woodpecker/",
        "/.gitea/workflows/",
        "/.forgejo/workflows/",
        "/.gitlab/ci/",
    ];
    matches!(
        name(path),
        ".gitlab-ci.yml"
            | "Jenkinsfile"
            | "azure-pipelines.yml"
            | ".travis.yml"
            | "bitbucket-pipelines.yml"
            | ".drone.yml"
            | "appveyor.yml"
            | "cloudbuild.yaml"
            | "buildspec.yml"
    ) || DIRECTORIES.iter().any(|dir| path.contains(dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location() -> RunLocation {
        RunLocation {
            cwd: "/home/me/app".into(),
            home: "/home/me".into(),
            project: Some("/home/me/app".into()),
            becket_paths: vec!["/home/me/.config/becket".into(), "/srv/becket-state".into()],
        }
    }

    fn of(path: &str) -> Option<Protection> {
        let location = location();
        protection(path, &location, location.project.as_deref())
    }

    #[test]
    fn becket_files_are_protected() {
        for path in [
            "/home/me/app/becket.toml",
            "/home/me/app/sub/becket.toml",
            "/home/me/app/becket.local.toml",
            "/home/me/.config/becket",
            "/home/me/.config/becket/config.toml",
            "/home/me/.local/state/becket/trust.json",
            "/srv/becket-state/trust.json",
            "/usr/local/bin/becket",
            "/home/me/.cargo/bin/becket",
        ] {
            assert_eq!(of(path), Some(Protection::Becket), "{path}");
        }
        for path in [
            "/home/me/app/src/becket.rs",
            "/home/me/app/becket",
            "/home/me/other/becket.toml",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
    }

    #[test]
    fn agent_settings_are_protected_in_homes_and_projects() {
        for (path, user) in [
            ("/home/me/.claude/settings.json", true),
            ("/home/me/app/.claude/settings.json", false),
            ("/home/me/app/.claude/settings.local.json", false),
            ("/home/me/app/.claude/hooks/x.sh", false),
            ("/home/me/.claude.json", true),
            ("/home/me/app/.mcp.json", false),
            ("/home/me/.codex/config.toml", true),
            ("/home/me/.codex/hooks.json", true),
            ("/home/me/app/.gemini/settings.json", false),
            ("/home/me/app/.cursor/hooks.json", false),
            ("/home/me/app/.github/hooks/becket.json", false),
            ("/home/me/.copilot/hooks/becket.json", true),
            ("/home/me/app/opencode.json", false),
            ("/home/me/app/.opencode/plugins/becket.js", false),
            ("/home/me/.config/amp/plugins/becket.ts", true),
            ("/home/me/.autohand/config.json", true),
            ("/home/me/app/.kiro/hooks/becket.json", false),
            ("/home/me/.codeium/windsurf/hooks.json", true),
            ("/home/me/app/.factory/hooks.json", false),
            ("/home/me/app/.clinerules/hooks/PreToolUse", false),
            (
                "/home/me/app/.agents/plugins/becket/hooks/hooks.json",
                false,
            ),
            ("/home/me/app/crush.json", false),
            ("/home/me/app/.claude", false),
            ("/home/me/.cursor", true),
        ] {
            assert_eq!(of(path), Some(Protection::Agent { user }), "{path}");
        }
        for path in [
            "/home/me/app/CLAUDE.md",
            "/home/me/app/.claude/commands/fix.md",
            "/home/me/app/.claude/skills/x/SKILL.md",
            "/home/me/app/.cursor/rules/x.mdc",
            "/home/me/app/src/settings.json",
            "/home/me/app/.vscode/settings.json",
            "/home/me/app/.vscode",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
    }

    #[test]
    fn automatically_started_files_are_protected() {
        use PersistenceKind::{Access, Git, Schedule, Start, Tracked};
        for (path, kind) in [
            ("/home/me/.bashrc", Start),
            ("/home/you/.zshrc", Start),
            ("/root/.profile", Start),
            ("\u{FFFC}/.zshrc", Start),
            ("/home/me/.config/fish/conf.d/x.fish", Start),
            ("/home/me/.config/autostart/x.desktop", Start),
            ("/etc/profile.d/x.sh", Start),
            ("/home/me/.ssh/config", Start),
            ("/home/me/.ssh/authorized_keys", Access),
            ("/etc/sudoers", Access),
            ("/etc/sudoers.d/me", Access),
            ("/etc/ld.so.preload", Access),
            ("/etc/cron.d/x", Schedule),
            ("/var/spool/cron/me", Schedule),
            ("/etc/systemd/system/x.service", Schedule),
            ("/home/me/.config/systemd/user/x.service", Schedule),
            ("/home/me/Library/LaunchAgents/x.plist", Schedule),
            ("/home/me/app/.git/hooks/pre-commit", Git),
            ("/home/me/app/.git/config", Git),
            ("/home/me/.gitconfig", Git),
            ("/home/me/app/.husky/pre-commit", Tracked),
        ] {
            assert_eq!(of(path), Some(Protection::Persistence(kind)), "{path}");
        }
        for path in [
            "/home/me/dotfiles/.bashrc",
            "/home/me/app/.git/hooks/pre-commit.sample",
            "/home/me/app/.git/index",
            "/home/me/app/profile",
            "/etc/nginx/nginx.conf",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
    }

    #[test]
    fn ci_files_are_protected_and_others_are_not() {
        for path in [
            "/home/me/app/.github/workflows/ci.yml",
            "/home/me/app/.gitlab-ci.yml",
        ] {
            assert_eq!(of(path), Some(Protection::Ci), "{path}");
        }
        assert_eq!(of("/home/me/app/.github/CODEOWNERS"), None);
    }
}
