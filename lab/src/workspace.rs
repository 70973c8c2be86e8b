//! The environment of a client: a scratch repository, a private home, a clean environment.
//!
//! A client gets nothing of the caller's environment except what a test passes on. So a run is the same on a developer's
//! machine and in CI, and no real account is in reach. A test prepares a workspace before the client starts: it writes
//! files, sets variables and runs commands, such as a hook installer. Start at [`Workspace::create`].

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::process::{self, FinishedProcess};

/// Time limit for a command that prepares a workspace.
const PREPARING: Duration = Duration::from_secs(60);

/// The directories of system tools, after everything that a test or a client adds.
const SYSTEM_PATH: &[&str] = &["/usr/local/bin", "/usr/bin", "/bin"];

/// A scratch repository with a home and an environment.
#[derive(Debug)]
pub struct Workspace {
    root: PathBuf,
    work: PathBuf,
    home: PathBuf,
    env: BTreeMap<OsString, OsString>,
    path: Vec<PathBuf>,
    commands: usize,
}

impl Workspace {
    /// Creates `work/` (a repository with one commit), `home/` and `tmp/` in `root`. None of them may exist.
    ///
    /// Choose a `root` outside any project: clients look for instructions in parent directories.
    pub fn create(root: &Path) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        // Clients report resolved paths, and tests compare with them.
        let root = root.canonicalize()?;
        let folder = |name| {
            let path = root.join(name);
            fs::create_dir(&path).map(|()| path)
        };
        let (work, home, tmp) = (folder("work")?, folder("home")?, folder("tmp")?);
        let mut workspace = Self {
            root,
            work,
            home,
            env: BTreeMap::new(),
            path: SYSTEM_PATH.iter().map(PathBuf::from).collect(),
            commands: 0,
        };
        let home = workspace.home.clone();
        workspace
            .set_env("HOME", home)
            .set_env("TMPDIR", tmp)
            .set_env("TERM", "dumb")
            .set_env("LANG", "C.UTF-8")
            .set_env("NO_COLOR", "1")
            .set_env("NO_PROXY", "127.0.0.1,localhost")
            .set_env("no_proxy", "127.0.0.1,localhost")
            .set_env("GIT_CONFIG_NOSYSTEM", "1");
        workspace.first_commit()?;
        Ok(workspace)
    }

    fn first_commit(&mut self) -> io::Result<()> {
        self.write_work("README.md", "# scratch\nhello world\n")?;
        for arguments in [
            &["init", "-q", "-b", "main"][..],
            &["config", "user.name", "lab"],
            &["config", "user.email", "lab@localhost"],
            &["add", "-A"],
            &["commit", "-q", "-m", "start"],
        ] {
            let git = self.exec("git", arguments)?;
            if !git.exit.is_success() {
                let why = format!("git {arguments:?} failed: {}", git.stderr);
                return Err(io::Error::other(why));
            }
        }
        Ok(())
    }

    /// The directory with everything.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The scratch repository, the client's working directory.
    pub fn work(&self) -> &Path {
        &self.work
    }

    /// The client's home.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Sets an environment variable for all later commands.
    pub fn set_env(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> &mut Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// Removes an environment variable.
    pub fn unset_env(&mut self, name: impl AsRef<OsStr>) -> &mut Self {
        self.env.remove(name.as_ref());
        self
    }

    /// Puts a directory first on the `PATH`.
    pub fn put_on_path(&mut self, folder: impl Into<PathBuf>) -> &mut Self {
        self.path.insert(0, folder.into());
        self
    }

    /// Writes a file in the scratch repository, with its parent directories, and returns its path.
    pub fn write_work(&self, name: &str, content: impl AsRef<[u8]>) -> io::Result<PathBuf> {
        write(&self.work.join(name), content.as_ref())
    }

    /// Writes a file in the client's home, with its parent directories, and returns its path.
    pub fn write_home(&self, name: &str, content: impl AsRef<[u8]>) -> io::Result<PathBuf> {
        write(&self.home.join(name), content.as_ref())
    }

    /// Sets top-level fields of a JSON file in the client's home and keeps the others, for clients that already have
    /// settings. Returns the file's path.
    pub fn merge_home(&self, name: &str, fields: Value) -> io::Result<PathBuf> {
        let Value::Object(fields) = fields else {
            let why = "the settings to merge must be an object";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        };
        let mut settings: Map<String, Value> = match fs::read(self.home.join(name)) {
            Ok(text) => serde_json::from_slice(&text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Map::new(),
            Err(error) => return Err(error),
        };
        settings.extend(fields);
        self.write_home(name, Value::Object(settings).to_string())
    }

    /// The text of a file in the scratch repository, if there is one.
    pub fn read_work(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.work.join(name)).ok()
    }

    /// The files in the scratch repository, as sorted relative paths, without `.git`.
    pub fn files(&self) -> io::Result<Vec<String>> {
        let mut found = Vec::new();
        let mut folders = vec![self.work.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                let path = entry.path();
                let name = path.strip_prefix(&self.work).unwrap_or(&path);
                if !entry.file_type()?.is_dir() {
                    found.push(name.to_string_lossy().into_owned());
                } else if name != Path::new(".git") {
                    folders.push(path);
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// A command in the scratch repository with only this workspace's environment.
    pub fn command(&self, program: impl AsRef<OsStr>) -> io::Result<Command> {
        let path = std::env::join_paths(&self.path).map_err(io::Error::other)?;
        let mut command = Command::new(program);
        command
            .current_dir(&self.work)
            .env_clear()
            .envs(&self.env)
            .env("PATH", path);
        Ok(command)
    }

    /// Runs a program for at most a minute. Its output also stays in the run directory.
    pub fn exec(
        &mut self,
        program: impl AsRef<OsStr>,
        arguments: &[&str],
    ) -> io::Result<FinishedProcess> {
        self.commands += 1;
        let output = self.root.join(format!("command-{}", self.commands));
        process::run(self.command(program)?.args(arguments), &output, PREPARING)
    }

    /// The command lines of all running processes that were started here, whatever their parent.
    ///
    /// They are found by the home in their environment, so this needs Linux and programs that keep the variable.
    pub fn running(&self) -> io::Result<Vec<String>> {
        process::with_variable("HOME", self.home.as_os_str())
    }
}

fn write(path: &Path, content: &[u8]) -> io::Result<PathBuf> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, content)?;
    Ok(path.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn callers_environment_is_not_inherited() {
        let dir = tempfile::tempdir().unwrap();
        let mut workspace = Workspace::create(dir.path()).unwrap();
        workspace.set_env("GIVEN", "yes");
        let seen = workspace.exec("env", &[]).unwrap().stdout;
        // Cargo sets this variable for the test process, so a leak would show.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
        assert!(!seen.contains("CARGO_MANIFEST_DIR"), "{seen}");
        assert!(seen.lines().any(|line| line == "GIVEN=yes"), "{seen}");
        let home = format!("HOME={}", workspace.home().display());
        assert!(seen.lines().any(|line| line == home), "{seen}");
    }

    #[test]
    fn repository_is_clean_and_ready_for_commits() {
        let dir = tempfile::tempdir().unwrap();
        let mut workspace = Workspace::create(dir.path()).unwrap();
        let status = workspace.exec("git", &["status", "--porcelain"]).unwrap();
        assert_eq!(status.stdout, "");
        workspace.write_work("deep/down/file.txt", "text").unwrap();
        workspace.exec("git", &["add", "-A"]).unwrap();
        let commit = workspace.exec("git", &["commit", "-qm", "more"]).unwrap();
        assert!(commit.exit.is_success(), "{}", commit.stderr);
        assert_eq!(
            workspace.files().unwrap(),
            ["README.md", "deep/down/file.txt"]
        );
    }

    #[test]
    fn put_on_path_takes_precedence() {
        let dir = tempfile::tempdir().unwrap();
        let mut workspace = Workspace::create(dir.path()).unwrap();
        // A link instead of a script: executing a file that was just written may fail with "text file busy".
        let programs = workspace.home().join("programs");
        fs::create_dir(&programs).unwrap();
        std::os::unix::fs::symlink("/bin/echo", programs.join("git")).unwrap();
        workspace.put_on_path(programs);
        let said = workspace.exec("git", &["version"]).unwrap();
        assert_eq!(said.stdout, "version\n");
    }

    #[test]
    fn merge_home_keeps_existing_settings() {
        let dir = tempfile::tempdir().unwrap();
        let workspace = Workspace::create(dir.path()).unwrap();
        let merge = |fields: Value| {
            let path = workspace.merge_home(".tool/settings.json", fields).unwrap();
            serde_json::from_slice::<Value>(&fs::read(path).unwrap()).unwrap()
        };
        merge(json!({"account": "a", "hooks": {"Stop": []}}));
        let merged = merge(json!({"hooks": {"Start": []}}));
        assert_eq!(merged, json!({"account": "a", "hooks": {"Start": []}}));
        workspace.write_home("broken.json", "[]").unwrap();
        assert!(workspace.merge_home("broken.json", json!({})).is_err());
    }

    #[test]
    fn second_workspace_in_the_same_directory_is_rejected() {
        let dir = tempfile::tempdir().unwrap();
        Workspace::create(dir.path()).unwrap();
        let second = Workspace::create(dir.path()).unwrap_err();
        assert_eq!(second.kind(), io::ErrorKind::AlreadyExists);
    }
}
