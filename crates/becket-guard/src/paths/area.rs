//! Which part of the machine a path is in.

use super::normal::{below, is_rooted};
use super::tables::{ALWAYS_BUILD, BUILD};
use crate::command::UNKNOWN;
use crate::facts::Place;

/// Where a path is, from the point of view of someone who works in a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Area {
    /// `/`, or a drive.
    Root,
    /// A directory that the system is made of, whole: `/etc`, `/usr/bin`, `C:\Windows`.
    System,
    /// Something inside one.
    InSystem,
    /// A disk or a part of one.
    Device,
    /// `/dev/null`, `/dev/stdout` and their kin: nothing is kept there.
    Stream,
    /// The person's home, another's, or the directory of homes.
    Home,
    /// A directory or file right in the home directory: `~/Documents`, `~/.config`.
    HomeTop,
    /// Deeper in a home directory, outside the project.
    InHome,
    /// A directory that holds the project.
    ProjectParent,
    /// The project's root.
    ProjectRoot,
    /// The project's repository.
    Git,
    /// Another repository's `.git`.
    OtherGit,
    /// Inside a `.git`.
    InGit,
    /// In the project, made by a tool that can make it again.
    Build,
    /// In the project.
    InProject,
    /// The directory of temporary files, whole.
    TempRoot,
    /// A temporary file.
    Temp,
    /// None of these.
    Outside,
    /// Only running the command would tell.
    Unknown,
}

impl Area {
    /// Whether losing it, whole, is a catastrophe.
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

/// Where `path`, which [`absolute`](super::absolute) made, is. `project` is left out for other machines.
pub(super) fn area(path: &str, place: &Place, project: Option<&str>) -> Area {
    if !is_rooted(path) {
        return unknown(path);
    }
    if path == "/" || path.len() == 2 && path.ends_with(':') {
        return Area::Root;
    }
    if let Some(area) = device(path) {
        return area;
    }
    let project = project.filter(|project| is_ordinary_project(project, place));
    if below_a_home(path, &place.home) == Some("") {
        return Area::Home;
    }
    in_project(path, project)
        .or_else(|| in_git(path))
        .or_else(|| in_temp(path))
        .or_else(|| in_home(path, place))
        .or_else(|| in_system(path))
        .unwrap_or(Area::Outside)
}

/// A path that starts with something unknown may still end in a name that tells.
fn unknown(path: &str) -> Area {
    let known = path.split_once('/').map_or("", |(_, rest)| rest);
    if known.split('/').any(is_always_build) {
        return Area::Build;
    }
    Area::Unknown
}

/// Someone who works in the home directory, or in one of the system, has no project around them.
fn is_ordinary_project(project: &str, place: &Place) -> bool {
    project.len() > 1
        && below(&place.home, project).is_none()
        && in_system(project) != Some(Area::System)
        && in_temp(project) != Some(Area::TempRoot)
}

fn in_project(path: &str, project: Option<&str>) -> Option<Area> {
    let project = project?;
    if let Some(rest) = below(path, project) {
        return Some(match rest {
            "" => Area::ProjectRoot,
            rest if rest.eq_ignore_ascii_case(".git") => Area::Git,
            // What is unknown may be empty, or may be `.git`; whoever asks sees the gap in the path.
            rest if has_git_above(rest) => Area::InGit,
            rest if ends_in_git(rest) => Area::OtherGit,
            rest if rest.split('/').any(is_build) => Area::Build,
            _ => Area::InProject,
        });
    }
    // A temporary directory that holds the project is its parent as well.
    (below(project, path).is_some() && path.len() > 1 && !is_top(path))
        .then_some(Area::ProjectParent)
}

/// `/home` and `/tmp` have classes of their own.
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

fn in_git(path: &str) -> Option<Area> {
    if ends_in_git(path) {
        return Some(Area::OtherGit);
    }
    has_git_above(path).then_some(Area::InGit)
}

fn in_temp(path: &str) -> Option<Area> {
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
                Area::TempRoot
            } else {
                Area::Temp
            });
        }
    }
    // macOS: `/var/folders/xx/hash/T`.
    let rest = below(path, "/var/folders")?;
    (rest.matches('/').count() >= 2).then_some(Area::Temp)
}

fn in_home(path: &str, place: &Place) -> Option<Area> {
    let rest = below_a_home(path, &place.home)?;
    Some(match rest {
        "" => Area::Home,
        rest if is_home_cache(rest) => Area::Build,
        rest if !rest.contains('/') => Area::HomeTop,
        rest if rest.split('/').any(is_always_build) => Area::Build,
        rest if below(rest, "appdata/local/temp").is_some_and(|r| !r.is_empty()) => Area::Temp,
        _ => Area::InHome,
    })
}

/// What follows a home directory, this person's or another's; empty for one itself.
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

/// Caches that tools fill again; the cache directory itself holds more than one knows.
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

fn device(path: &str) -> Option<Area> {
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
    // Boards hang on serial lines.
    let is_serial = ["ttyUSB", "ttyACM", "ttyS", "cu.", "tty.usb"]
        .iter()
        .any(|line| first.starts_with(line));
    if is_serial || STREAMS.contains(&first) || matches!(first, "fd" | "pts") {
        return Some(Area::Stream);
    }
    let is_disk =
        DISKS.iter().any(|disk| first.starts_with(disk)) || first.contains(['*', UNKNOWN]);
    (is_disk && first != "shm").then_some(Area::Device)
}

fn in_system(path: &str) -> Option<Area> {
    let (first, rest) = match path.strip_prefix('/') {
        Some(path) => path.split_once('/').unwrap_or((path, "")),
        // `c:/windows/…`
        None => return in_windows(path),
    };
    if first.contains(['*', '?', '[']) {
        return Some(Area::System);
    }
    match first.to_ascii_lowercase().as_str() {
        "mnt" if rest.len() > 2 && rest.as_bytes()[1] == b'/' => {
            in_windows(&rest.replacen('/', ":/", 1))
        }
        "etc" | "usr" | "bin" | "sbin" | "lib" | "lib32" | "lib64" | "libx32" | "boot" | "var"
        | "dev" | "sys" | "proc" | "run" | "system" | "library" | "applications" | "private"
        | "cores" | "nix" | "snap" | "esp" | "efi" => Some(inside_system(first, rest)),
        // What is mounted or added belongs to people; the whole of it does not.
        "opt" | "srv" | "mnt" | "media" | "volumes" | "gnu" if rest.is_empty() => {
            Some(Area::System)
        }
        _ => None,
    }
}

fn inside_system(first: &str, rest: &str) -> Area {
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
        return Area::System;
    }
    match (first, second) {
        ("usr", "local") | ("var", "www") | ("run", "user" | "media") => Area::Outside,
        _ => Area::InSystem,
    }
}

fn in_windows(path: &str) -> Option<Area> {
    let rest = path.split_once(":/")?.1;
    let (first, inner) = rest.split_once('/').unwrap_or((rest, ""));
    match first.to_ascii_lowercase().as_str() {
        "windows" | "program files" | "program files (x86)" | "programdata" | "users" | "boot" => {
            Some(if inner.is_empty() || inner == "System32" {
                Area::System
            } else {
                Area::InSystem
            })
        }
        _ => None,
    }
}

/// Names that only tools give, wherever they are.
fn is_always_build(part: &str) -> bool {
    ALWAYS_BUILD.contains(&part)
        || part
            .rsplit_once('.')
            .is_some_and(|(_, ending)| matches!(ending, "egg-info" | "pyc"))
}

/// Names that in a project mean output.
fn is_build(part: &str) -> bool {
    const STARTS: [&str; 4] = ["build-", "dist-", "bazel-", "cmake-build-"];
    is_always_build(part)
        || BUILD.contains(&part)
        || STARTS.iter().any(|start| part.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            cwd: "/home/me/work/app".into(),
            home: "/home/me".into(),
            project: Some("/home/me/work/app".into()),
            own: Vec::new(),
        }
    }

    #[test]
    fn every_path_has_its_area() {
        for (path, expected) in [
            ("/", Area::Root),
            ("c:", Area::Root),
            ("/etc", Area::System),
            ("/ETC", Area::System),
            ("/usr/bin", Area::System),
            ("/var/lib", Area::System),
            ("/opt", Area::System),
            ("/e*", Area::System),
            ("/System/Library", Area::System),
            ("c:/Windows", Area::System),
            ("/mnt/c/Windows/System32", Area::System),
            ("/etc/hosts", Area::InSystem),
            ("/usr/share/doc/x", Area::InSystem),
            ("c:/Program Files/x", Area::InSystem),
            ("/usr/local/bin/x", Area::Outside),
            ("/opt/thing", Area::Outside),
            ("/data/x", Area::Outside),
            ("/dev/sda", Area::Device),
            ("/dev/nvme0n1p2", Area::Device),
            ("/dev/disk/by-id/x", Area::Device),
            ("/dev/null", Area::Stream),
            ("/dev/fd/3", Area::Stream),
            ("/dev/shm/x", Area::Temp),
            ("/home/me", Area::Home),
            ("/home", Area::Home),
            ("/home/you", Area::Home),
            ("/root", Area::Home),
            ("/Users/you", Area::Home),
            ("/home/me/Documents", Area::HomeTop),
            ("/home/me/.config", Area::HomeTop),
            ("/home/you/x/y", Area::InHome),
            ("/home/me/other/src", Area::InHome),
            ("/home/me/other/node_modules/x", Area::Build),
            ("/home/me/.cache", Area::HomeTop),
            ("/home/me/.cache/pip", Area::Build),
            ("/home/me/work", Area::ProjectParent),
            ("/home/me/work/app", Area::ProjectRoot),
            ("/home/me/work/app/.git", Area::Git),
            ("/home/me/work/app/vendor/x/.git", Area::OtherGit),
            ("/home/me/work/app/.git/index.lock", Area::InGit),
            ("/home/me/work/app/src", Area::InProject),
            ("/home/me/work/app/target/debug", Area::Build),
            ("/home/me/work/app/packages/a/dist", Area::Build),
            ("/tmp", Area::TempRoot),
            ("/tmp/x", Area::Temp),
            ("/var/folders/a/b/T/x", Area::Temp),
            ("\u{FFFC}/x", Area::Unknown),
            ("\u{FFFC}/node_modules", Area::Build),
        ] {
            let place = place();
            let project = place.project.as_deref();
            assert_eq!(area(path, &place, project), expected, "{path}");
        }
    }

    #[test]
    fn a_project_in_a_temporary_directory_is_a_project_first() {
        let place = Place {
            project: Some("/tmp/x/app".into()),
            ..place()
        };
        let project = place.project.as_deref();
        assert_eq!(area("/tmp/x", &place, project), Area::ProjectParent);
        assert_eq!(area("/tmp/x/app/src", &place, project), Area::InProject);
        assert_eq!(area("/tmp", &place, project), Area::TempRoot);
    }

    #[test]
    fn someone_in_the_home_directory_has_no_project_around_them() {
        let place = Place {
            project: Some("/home/me".into()),
            ..place()
        };
        let project = place.project.as_deref();
        assert_eq!(area("/home/me", &place, project), Area::Home);
        assert_eq!(area("/home/me/x/y", &place, project), Area::InHome);
    }
}
