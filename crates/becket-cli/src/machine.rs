//! Which agents are on this machine, and where their settings are.

use std::path::{Path, PathBuf};

use becket::Home;
use becket_agents::install::{Installer, Places, Scope, SettingsFile};

use crate::args::Here;

/// This machine, with one project on it.
pub(crate) struct Machine {
    pub(crate) home: Home,
    pub(crate) root: PathBuf,
}

/// A settings file of an agent that has entries of ours.
pub(crate) struct Connection {
    pub(crate) file: SettingsFile,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl Machine {
    pub(crate) fn find(here: &Here) -> anyhow::Result<Self> {
        let (home, root) = here.find()?;
        Ok(Self { home, root })
    }

    pub(crate) fn locate(&self, file: &SettingsFile) -> PathBuf {
        let env = |name: &str| std::env::var_os(name).map(PathBuf::from);
        file.locate(&self.places(&env))
    }

    /// The directories, with a way to look up variables.
    pub(crate) fn places<'p>(&'p self, env: &'p dyn Fn(&str) -> Option<PathBuf>) -> Places<'p> {
        Places {
            home: &self.home.user,
            project: &self.root,
            env,
        }
    }

    /// Whether there is any trace of an agent.
    pub(crate) fn has(&self, installer: &dyn Installer) -> bool {
        let traces = installer.traces();
        traces
            .home
            .iter()
            .any(|name| self.home.user.join(name).exists())
            || traces
                .project
                .iter()
                .any(|name| self.root.join(name).exists())
            || traces.programs.iter().any(|name| in_path(name))
    }

    /// The settings files of an agent that call Becket.
    pub(crate) fn connections(&self, installer: &dyn Installer, scope: Scope) -> Vec<Connection> {
        let candidates = |scope| {
            let files = installer.files(scope).iter();
            files.flat_map(SettingsFile::candidates)
        };
        // In the home directory, what would be the project's file is the person's own.
        let own: Vec<PathBuf> = match scope {
            Scope::Project => candidates(Scope::User)
                .map(|file| self.locate(&file))
                .collect(),
            Scope::User => Vec::new(),
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

    pub(crate) fn is_connected(&self, installer: &dyn Installer, scope: Scope) -> bool {
        !self.connections(installer, scope).is_empty()
    }
}

/// The text of a file; whatever else has its name would be waited for.
pub(crate) fn read_file(path: &Path) -> Option<String> {
    let is_file = path.is_file();
    is_file.then(|| std::fs::read_to_string(path).ok())?
}

fn in_path(program: &str) -> bool {
    std::env::var_os("PATH")
        .is_some_and(|path| std::env::split_paths(&path).any(|dir| is_program(&dir.join(program))))
}

/// Whether the agent's shell would find the program.
pub(crate) fn is_reachable(program: &str) -> bool {
    if program.contains('/') {
        is_program(Path::new(program))
    } else {
        in_path(program)
    }
}

fn is_program(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok() && path.is_file()
}
