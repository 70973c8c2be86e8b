//! Determines which part of the machine a path is in.

use super::normalize::{below, is_rooted};
use super::tables::{ALWAYS_BUILD, BUILD};
use crate::command::UNKNOWN;
use crate::facts::RunLocation;

/// The location of a path relative to the project and the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathArea {
    /// `/`, or a drive root.
    Root,
    /// A whole system directory: `/etc`, `/usr/bin`, `C:\Windows`.
    System,
    /// A path inside a system directory.
    InSystem,
    /// A disk or a partition.
    Device,
    /// `/dev/null`, `/dev/stdout` and similar devices, which store nothing.
    Stream,
    /// The user's home directory, another user's, or the parent of all home directories.
    Home,
    /// An entry directly in the home directory: `~/Documents`, `~/.config`.
    HomeTop,
    /// Deeper in a home directory, outside the project.
    InHome,
    /// A directory that contains the project.
    ProjectParent,
    /// The project's root.
    ProjectRoot,
    /// The project's `.git`.
    Git,
    /// The `.git` of another repository.
    OtherGit,
    /// Inside a `.git`.
    InGit,
    /// Build output in the project that a tool can regenerate.
    Build,
    /// In the project.
    InProject,
    /// The directory for temporary files itself.
    TempRoot,
    /// A temporary file.
    Temp,
    /// Anywhere else.
    Outside,
    /// Known only at run time.
    Unknown,
}

impl PathArea {
    /// Whether losing it completely is catastrophic.
    pub fn is_vital(self) -> bool {
        matches!(
            self,
            Self::Root
                | Self::System
                | Self::Device
                | Self::Home
                | Self::ProjectParent
                | Self::ProjectRoot
                | Self::Git
        )
    }
}

/// The area of `path`, which [`absolute`](super::absolute) has normalized. `project` is `None` on other machines.
pub(super) fn area(path: &str, location: &RunLocation, project: Option<&str>) -> PathArea {
    if !is_rooted(path) {
        return unknown(path);
    }
    if path == "/" || path.len() == 2 && path.ends_with(':') {
        return PathArea::Root;
    }
    if let Some(area) = device(path) {
        return area;
    }
    let project = project.filter(|project| is_ordinary_project(project, location));
    if below_a_home(path, &location.home) == Some("") {
        return PathArea::Home;
    }
    in_project(path, project)
        .or_else(|| in_git(path))
        .or_else(|| in_temp(path))
        .or_else(|| in_home(path, location))
        .or_else(|| in_system(path))
        .unwrap_or(PathArea::Outside)
}

/// A path with an unknown start may still end in a telling name.
fn unknown(path: &str) -> PathArea {
    let known = path.split_once('/').map_or("", |(_, rest)| rest);
    if known.split('/').any(is_always_build) {
        return PathArea::Build;
    }
    PathArea::Unknown
}

/// Whether the project is not the home directory or a system directory; in those there is no project to protect.
fn is_ordinary_project(project: &str, location: &RunLocation) -> bool {
    project.len() > 1
        && below(&location.home, project).is_none()
        && in_system(project) != Some(PathArea::System)
        && in_temp(project) != Some(PathArea::TempRoot)
}

fn in_project(path: &str, project: Option<&str>) -> Option<PathArea> {
    let project = project?;
    if let Some(rest) = below(path, project) {
        return Some(match rest {
            "" => PathArea::ProjectRoot,
            rest if rest.eq_ignore_ascii_case(".git") => PathArea::Git,
            // An unknown component may be empty or `.git`; callers see the gap in the path.
            rest if has_git_above(rest) => PathArea::InGit,
            rest if ends_in_git(rest) => PathArea::OtherGit,
            rest if rest.split('/').any(is_build) => PathArea::Build,
            _ => PathArea::InProject,
        });
    }
    // A temporary directory that contains the project also counts as its parent.
    (below(project, path).is_some() && path.len() > 1 && !is_top(path))
        .then_some(PathArea::ProjectParent)
}

/// `/home` and `/tmp` have their own areas.
fn is_top(path: &str) -> bool {
    path.matches('/').count() == 1
}

fn has_git_above(path: &str) -> bool {
    path.rsplit('/')
        .skip(1)
        .any(|part| part.eq_ignore_ascii_case(".git"))
}

fn ends_in_git(path: &str) -> bool {
    path.rsplit('/')
        .next()
        .is_some_and(|part| part.eq_ignore_ascii_case(".git"))
}

fn in_git(path: &str) -> Option<PathArea> {
    if ends_in_git(path) {
        return Some(PathArea::OtherGit);
    }
    has_git_above(path).then_some(PathArea::InGit)
}

fn in_temp(path: &str) -> Option<PathArea> {
    const TEMP: [&str; 6] = [
        "/tmp",
        "/var/tmp",
        "/dev/shm",
        "c:/windows/temp",
        "/usr/tmp",
        "c:/temp",
    ];
    for directory in TEMP {
        if let Some(rest) = below(path, directory) {
            return Some(if rest.is_empty() {
                PathArea::TempRoot
            } else {
                PathArea::Temp
            });
        }
    }
    // macOS: `/var/folders/xx/hash/T`.
    let rest = below(path, "/var/folders")?;
    (rest.matches('/').count() >= 2).then_some(PathArea::Temp)
}

fn in_home(path: &str, location: &RunLocation) -> Option<PathArea> {
    let rest = below_a_home(path, &location.home)?;
    Some(match rest {
        "" => PathArea::Home,
        rest if is_home_cache(rest) => PathArea::Build,
        rest if !rest.contains('/') => PathArea::HomeTop,
        rest if rest.split('/').any(is_always_build) => PathArea::Build,
        rest if below(rest, "appdata/local/temp").is_some_and(|r| !r.is_empty()) => PathArea::Temp,
        _ => PathArea::InHome,
    })
}

/// The part of a path after a home directory, the user's or another's; empty for the home directory itself.
pub(super) fn below_a_home<'p>(path: &'p str, home: &str) -> Option<&'p str> {
    if home.len() > 1
        && let Some(rest) = below(path, home)
    {
        return Some(rest);
    }
    if let Some(rest) = below(path, "/root").or_else(|| below(path, "/var/root")) {
        return Some(rest);
    }
    for homes in ["/home", "/Users", "c:/users"] {
        if let Some(rest) = below(path, homes) {
            return Some(rest.split_once('/').map_or("", |(_, rest)| rest));
        }
    }
    None
}

/// Caches that tools refill. The cache directory itself may hold other data.
fn is_home_cache(rest: &str) -> bool {
    const CACHES: [&str; 7] = [
        ".cache",
        "Library/Caches",
        ".npm/_cacache",
        ".cargo/registry",
        ".gradle/caches",
        ".m2/repository",
        ".local/share/Trash",
    ];
    CACHES
        .iter()
        .any(|cache| below(rest, cache).is_some_and(|r| !r.is_empty() || cache.contains('_')))
}

fn device(path: &str) -> Option<PathArea> {
    #[rustfmt::skip]
    const STREAMS: &[&str] = &[
        "full", "null", "ptmx", "random", "stderr", "stdin", "stdout", "tcp", "tty", "udp",
        "urandom", "zero",
    ];
    #[rustfmt::skip]
    const DISKS: &[&str] = &[
        "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper", "md", "dm-", "loop",
        "mem", "kmem", "port", "mtd", "nbd", "zd", "sr", "ram", "bcache", "drbd", "by-id",
    ];
    let rest = below(path, "/dev").filter(|rest| !rest.is_empty())?;
    let first = rest.split('/').next().unwrap_or(rest);
    // Serial devices of development boards.
    let is_serial = ["ttyUSB", "ttyACM", "ttyS", "cu.", "tty.usb"]
        .iter()
        .any(|line| first.starts_with(line));
    if is_serial || STREAMS.contains(&first) || matches!(first, "fd" | "pts") {
        return Some(PathArea::Stream);
    }
    let is_disk =
        DISKS.iter().any(|disk| first.starts_with(disk)) || first.contains(['*', UNKNOWN]);
    (is_disk && first != "shm").then_some(PathArea::Device)
}

fn in_system(path: &str) -> Option<PathArea> {
    let (first, rest) = match path.strip_prefix('/') {
        Some(path) => path.split_once('/').unwrap_or((path, "")),
        // `c:/windows/…`
        None => return in_windows(path),
    };
    if first.contains(['*', '?', '[']) {
        return Some(PathArea::System);
    }
    match first.to_ascii_lowercase().as_str() {
        "mnt" if rest.len() > 2 && rest.as_bytes()[1] == b'/' => {
            in_windows(&rest.replacen('/', ":/", 1))
        }
        "etc" | "usr" | "bin" | "sbin" | "lib" | "lib32" | "lib64" | "libx32" | "boot" | "var"
        | "dev" | "sys" | "proc" | "run" | "system" | "library" | "applications" | "private"
        | "cores" | "nix" | "snap" | "esp" | "efi" => Some(inside_system(first, rest)),
        // Mounted and added subdirectories belong to users; the parent directory does not.
        "opt" | "srv" | "mnt" | "media" | "volumes" | "gnu" if rest.is_empty() => {
            Some(PathArea::System)
        }
        _ => None,
    }
}

fn inside_system(first: &str, rest: &str) -> PathArea {
    let second = rest.split('/').next().unwrap_or("");
    let is_whole = rest.is_empty()
        || (second.len() == rest.len()
            && matches!(
                (first, second),
                (
                    "usr",
                    "bin"
                        | "sbin"
                        | "lib"
                        | "lib32"
                        | "lib64"
                        | "libexec"
                        | "local"
                        | "share"
                        | "include"
                        | "src"
                ) | (
                    "var",
                    "lib"
                        | "log"
                        | "spool"
                        | "db"
                        | "cache"
                        | "mail"
                        | "www"
                        | "run"
                        | "folders"
                        | "root"
                ) | ("System", "Library")
                    | ("Library", "Keychains")
            ));
    if is_whole {
        return PathArea::System;
    }
    match (first, second) {
        ("usr", "local") | ("var", "www") | ("run", "user" | "media") => PathArea::Outside,
        _ => PathArea::InSystem,
    }
}

fn in_windows(path: &str) -> Option<PathArea> {
    let rest = path.split_once(":/")?.1;
    let (first, inner) = rest.split_once('/').unwrap_or((rest, ""));
    match first.to_ascii_lowercase().as_str() {
        "windows" | "program files" | "program files (x86)" | "programdata" | "users" | "boot" => {
            Some(if inner.is_empty() || inner == "System32" {
                PathArea::System
            } else {
                PathArea::InSystem
            })
        }
        _ => None,
    }
}

/// Names that only tools create, in any directory.
fn is_always_build(part: &str) -> bool {
    ALWAYS_BUILD.contains(&part)
        || part
            .rsplit_once('.')
            .is_some_and(|(_, ending)| matches!(ending, "egg-info" | "pyc"))
}

/// Names that mean build output inside a project.
fn is_build(part: &str) -> bool {
    const STARTS: [&str; 4] = ["build-", "dist-", "bazel-", "cmake-build-"];
    is_always_build(part)
        || BUILD.contains(&part)
        || STARTS.iter().any(|start| part.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location() -> RunLocation {
        RunLocation {
            cwd: "/home/me/work/app".into(),
            home: "/home/me".into(),
            project: Some("/home/me/work/app".into()),
            becket_paths: Vec::new(),
        }
    }

    #[test]
    fn every_path_has_its_area() {
        for (path, expected) in [
            ("/", PathArea::Root),
            ("c:", PathArea::Root),
            ("/etc", PathArea::System),
            ("/ETC", PathArea::System),
            ("/usr/bin", PathArea::System),
            ("/var/lib", PathArea::System),
            ("/opt", PathArea::System),
            ("/e*", PathArea::System),
            ("/System/Library", PathArea::System),
            ("c:/Windows", PathArea::System),
            ("/mnt/c/Windows/System32", PathArea::System),
            ("/etc/hosts", PathArea::InSystem),
            ("/usr/share/doc/x", PathArea::InSystem),
            ("c:/Program Files/x", PathArea::InSystem),
            ("/usr/local/bin/x", PathArea::Outside),
            ("/opt/thing", PathArea::Outside),
            ("/data/x", PathArea::Outside),
            ("/dev/sda", PathArea::Device),
            ("/dev/nvme0n1p2", PathArea::Device),
            ("/dev/disk/by-id/x", PathArea::Device),
            ("/dev/null", PathArea::Stream),
            ("/dev/fd/3", PathArea::Stream),
            ("/dev/shm/x", PathArea::Temp),
            ("/home/me", PathArea::Home),
            ("/home", PathArea::Home),
            ("/home/you", PathArea::Home),
            ("/root", PathArea::Home),
            ("/Users/you", PathArea::Home),
            ("/home/me/Documents", PathArea::HomeTop),
            ("/home/me/.config", PathArea::HomeTop),
            ("/home/you/x/y", PathArea::InHome),
            ("/home/me/other/src", PathArea::InHome),
            ("/home/me/other/node_modules/x", PathArea::Build),
            ("/home/me/.cache", PathArea::HomeTop),
            ("/home/me/.cache/pip", PathArea::Build),
            ("/home/me/work", PathArea::ProjectParent),
            ("/home/me/work/app", PathArea::ProjectRoot),
            ("/home/me/work/app/.git", PathArea::Git),
            ("/home/me/work/app/vendor/x/.git", PathArea::OtherGit),
            ("/home/me/work/app/.git/index.lock", PathArea::InGit),
            ("/home/me/work/app/src", PathArea::InProject),
            ("/home/me/work/app/target/debug", PathArea::Build),
            ("/home/me/work/app/packages/a/dist", PathArea::Build),
            ("/tmp", PathArea::TempRoot),
            ("/tmp/x", PathArea::Temp),
            ("/var/folders/a/b/T/x", PathArea::Temp),
            ("\u{FFFC}/x", PathArea::Unknown),
            ("\u{FFFC}/node_modules", PathArea::Build),
        ] {
            let location = location();
            let project = location.project.as_deref();
            assert_eq!(area(path, &location, project), expected, "{path}");
        }
    }

    #[test]
    fn a_project_in_a_temporary_directory_is_a_project_first() {
        let location = RunLocation {
            project: Some("/tmp/x/app".into()),
            ..location()
        };
        let project = location.project.as_deref();
        assert_eq!(area("/tmp/x", &location, project), PathArea::ProjectParent);
        assert_eq!(
            area("/tmp/x/app/src", &location, project),
            PathArea::InProject
        );
        assert_eq!(area("/tmp", &location, project), PathArea::TempRoot);
    }

    #[test]
    fn home_directory_is_not_a_project() {
        let location = RunLocation {
            project: Some("/home/me".into()),
            ..location()
        };
        let project = location.project.as_deref();
        assert_eq!(area("/home/me", &location, project), PathArea::Home);
        assert_eq!(area("/home/me/x/y", &location, project), PathArea::InHome);
    }
}
