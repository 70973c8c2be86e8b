//! Facts about this machine for the guard.

use std::fs;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};

use becket_guard::{Facts, PathKind};

/// The size limit of a script that is read.
const MAX_SCRIPT: u64 = 256 * 1024;
/// A directory with more entries than this counts as unreadable.
const MAX_NAMES: usize = 10_000;

/// Facts from the file system.
#[derive(Debug, Clone, Copy)]
pub struct FileFacts<'a> {
    /// The user's home, for git's configuration.
    pub home: &'a Path,
}

impl Facts for FileFacts<'_> {
    fn path_kind(&self, path: &str) -> Option<PathKind> {
        match fs::metadata(path) {
            Ok(meta) if meta.is_file() => Some(PathKind::File),
            Ok(meta) if meta.is_dir() => Some(PathKind::Directory),
            Ok(_) => Some(PathKind::Other),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Some(PathKind::Missing),
            Err(_) => None,
        }
    }

    fn real_path(&self, path: &str) -> Option<String> {
        let mut missing: Vec<&std::ffi::OsStr> = Vec::new();
        let mut at = Path::new(path);
        loop {
            if let Ok(real) = fs::canonicalize(at) {
                let whole = missing
                    .iter()
                    .rev()
                    .fold(real, |path, name| path.join(name));
                return whole.into_os_string().into_string().ok();
            }
            // A dangling link still shows where a file would be written.
            if let Ok(target) = fs::read_link(at) {
                let base = at.parent()?.join(target);
                let whole = missing
                    .iter()
                    .rev()
                    .fold(base, |path, name| path.join(name));
                return lexical(&whole).into_os_string().into_string().ok();
            }
            missing.push(at.file_name()?);
            at = at.parent()?;
        }
    }

    fn script_text(&self, path: &str) -> Option<String> {
        read_small(Path::new(path), MAX_SCRIPT)
    }

    fn git_alias(&self, name: &str, cwd: &str) -> Option<String> {
        let repository = Path::new(cwd)
            .ancestors()
            .find_map(|dir| git_dir(&dir.join(".git")));
        let own = repository.map(|dir| dir.join("config"));
        let global = [".gitconfig", ".config/git/config"].map(|file| self.home.join(file));
        own.into_iter()
            .chain(global)
            .filter_map(|file| read_small(&file, MAX_SCRIPT))
            .find_map(|text| alias_in(&text, name))
    }

    fn list_names(&self, directory: &str) -> Vec<String> {
        let mut entries = fs::read_dir(directory).into_iter().flatten().flatten();
        let listed = entries.by_ref().take(MAX_NAMES);
        let names = listed.filter_map(|entry| entry.file_name().into_string().ok());
        let names: Vec<String> = names.collect();
        if entries.next().is_some() {
            return Vec::new();
        }
        names
    }
}

/// `.git` is a directory, or a file that names one.
fn git_dir(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(dot_git.to_owned());
    }
    let text = read_small(dot_git, 4096)?;
    let target = text.strip_prefix("gitdir:")?.trim();
    let dir = dot_git.parent()?.join(target);
    // A linked worktree uses the configuration of its repository.
    let common = read_small(&dir.join("commondir"), 4096);
    Some(match common {
        Some(common) => dir.join(common.trim()),
        None => dir,
    })
}

/// The value of `alias.NAME` in a git configuration file.
fn alias_in(text: &str, name: &str) -> Option<String> {
    let mut in_aliases = false;
    let mut found = None;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            in_aliases = section
                .split(']')
                .next()
                .is_some_and(|section| section.trim().eq_ignore_ascii_case("alias"));
        } else if in_aliases
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case(name)
        {
            found = Some(unquoted(value.trim()));
        }
    }
    found
}

fn unquoted(value: &str) -> String {
    let inner = value
        .strip_prefix('"')
        .and_then(|value| value.strip_suffix('"'));
    inner
        .unwrap_or(value)
        .replace("\\\"", "\"")
        .replace("\\\\", "\\")
}

fn lexical(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            other => out.push(other),
        }
    }
    out
}

/// Reads a small regular file; a FIFO in its place would block for ever.
fn read_small(path: &Path, most: u64) -> Option<String> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = fs::OpenOptions::new()
        .read(true)
        .custom_flags(nonblocking)
        .open(path)
        .ok()?;
    let meta = file.metadata().ok()?;
    if !meta.is_file() || meta.len() > most {
        return None;
    }
    let mut text = String::new();
    file.take(most).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_followed_also_for_files_that_do_not_exist_yet() {
        let dir = tempfile::tempdir().expect("a directory");
        let base = dir.path().canonicalize().expect("real");
        fs::create_dir(base.join("secret")).expect("created");
        std::os::unix::fs::symlink(base.join("secret"), base.join("link")).expect("linked");
        std::os::unix::fs::symlink("secret/later", base.join("dangling")).expect("linked");
        let facts = FileFacts { home: &base };
        let real = |name: &str| facts.real_path(base.join(name).to_str().expect("text"));
        let expected = |name: &str| base.join(name).to_str().map(str::to_owned);
        assert_eq!(real("link/new/file"), expected("secret/new/file"));
        assert_eq!(real("dangling"), expected("secret/later"));
        assert_eq!(real("plain"), expected("plain"));
    }

    #[test]
    fn an_alias_is_found_in_the_repository_before_the_home_directory() {
        let dir = tempfile::tempdir().expect("a directory");
        let repo = dir.path().join("repo");
        fs::create_dir_all(repo.join(".git")).expect("created");
        fs::create_dir_all(repo.join("src")).expect("created");
        fs::write(
            dir.path().join(".gitconfig"),
            "[user]\n  name = alias\n[alias]\n  st = status\n  wipe = reset --hard\n",
        )
        .expect("written");
        fs::write(
            repo.join(".git/config"),
            "[alias]\n\tST = \"!rm -rf \\\"$HOME\\\"\"\n",
        )
        .expect("written");
        let facts = FileFacts { home: dir.path() };
        let cwd = repo.join("src");
        let alias = |name: &str| facts.git_alias(name, cwd.to_str().expect("text"));
        assert_eq!(alias("st").as_deref(), Some("!rm -rf \"$HOME\""));
        assert_eq!(alias("wipe").as_deref(), Some("reset --hard"));
        assert_eq!(alias("name"), None);
    }

    #[test]
    fn a_pipe_is_no_script() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .expect("a pipe");
        let facts = FileFacts { home: dir.path() };
        assert_eq!(facts.script_text(path.to_str().expect("text")), None);
        assert_eq!(
            facts.path_kind(path.to_str().expect("text")),
            Some(PathKind::Other)
        );
    }
}
