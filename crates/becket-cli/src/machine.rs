//! Finds the agents on this machine and their settings files.

use std::path::{Path, PathBuf};

use becket::Home;
use becket_agents::install::{BaseDirs, InstallScope, Installer, SettingsFile};

use crate::args::ProjectArgs;

/// Becket's directories and one project: the context in which agents and their settings are looked up.
pub(crate) struct Machine {
    pub(crate) home: Home,
    pub(crate) root: PathBuf,
}

/// An agent's settings file that contains Becket's entries.
pub(crate) struct Connection {
    pub(crate) file: SettingsFile,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl Machine {
    pub(crate) fn find(here: &ProjectArgs) -> anyhow::Result<Self> {
        let (home, root) = here.find()?;
        Ok(Self { home, root })
    }

    pub(crate) fn locate(&self, file: &SettingsFile) -> PathBuf {
        let env = |name: &str| std::env::var_os(name).map(PathBuf::from);
        file.locate(&self.base_dirs(&env))
    }

    /// The directories that settings paths are relative to, with an environment lookup.
    pub(crate) fn base_dirs<'p>(
        &'p self,
        env: &'p dyn Fn(&str) -> Option<PathBuf>,
    ) -> BaseDirs<'p> {
        BaseDirs {
            home: &self.home.user,
            project: &self.root,
            env,
        }
    }

    /// Whether the agent is installed: a directory, a project file or a program of it exists.
    pub(crate) fn has_agent(&self, installer: &dyn Installer) -> bool {
        let traces = installer.detection_hints();
        traces
            .home
            .iter()
            .any(|name| self.home.user.join(name).exists())
            || traces
                .project
                .iter()
                .any(|name| self.root.join(name).exists())
            || traces.programs.iter().any(|name| is_in_path(name))
    }

    /// The agent's settings files that call Becket.
    pub(crate) fn connections(
        &self,
        installer: &dyn Installer,
        scope: InstallScope,
    ) -> Vec<Connection> {
        let candidates = |scope| {
            let files = installer.files(scope).iter();
            files.flat_map(SettingsFile::candidates)
        };
        // In the home directory the project's file is the same as the user's.
        let own: Vec<PathBuf> = match scope {
            InstallScope::Project => candidates(InstallScope::User)
                .map(|file| self.locate(&file))
                .collect(),
            InstallScope::User => Vec::new(),
        };
        candidates(scope)
            .filter_map(|file| {
                let path = self.locate(&file);
                if own.contains(&path) {
                    return None;
                }
                let text = read_file(&path)?;
                (!installer.installed(&file, &text).is_empty()).then_some(Connection {
                    file,
                    path,
                    text,
                })
            })
            .collect()
    }

    pub(crate) fn is_connected(&self, installer: &dyn Installer, scope: InstallScope) -> bool {
        !self.connections(installer, scope).is_empty()
    }
}

/// Reads a regular file. Anything else, such as a FIFO, would block.
pub(crate) fn read_file(path: &Path) -> Option<String> {
    let is_file = path.is_file();
    is_file.then(|| std::fs::read_to_string(path).ok())?
}

fn is_in_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| is_program(&dir.join(program))))
}

/// Whether the agent's shell would find the program.
pub(crate) fn is_reachable(program: &str) -> bool {
    if program.contains('/') {
        is_program(Path::new(program))
    } else {
        is_in_path(program)
    }
}

fn is_program(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok() && path.is_file()
}
