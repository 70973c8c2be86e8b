//! The installer of an agent whose hooks stand in JSON files.

use crate::edit::{Edit, EditError};

use super::dialect::Dialect;
use super::{InstalledEntry, Installer, Scope, SettingsFile, Traces, entries, plan};

/// Which files, and in which dialect.
pub(crate) struct JsonInstaller {
    pub(crate) traces: Traces,
    pub(crate) user: &'static [SettingsFile],
    pub(crate) project: &'static [SettingsFile],
    pub(crate) target: Target,
    pub(crate) afterwards: Option<&'static str>,
}

/// How a file is written.
pub(crate) enum Target {
    /// All in one dialect.
    One(&'static Dialect),
    /// A file of this name or path in the first dialect, all others in the second.
    Named(&'static str, &'static Dialect, &'static Dialect),
}

impl JsonInstaller {
    fn dialect(&self, file: &SettingsFile) -> &'static Dialect {
        match self.target {
            Target::Named(name, dialect, _) if file.name() == name || file.path == name => dialect,
            Target::One(dialect) | Target::Named(_, _, dialect) => dialect,
        }
    }

    fn common(&self) -> &'static Dialect {
        match self.target {
            Target::One(dialect) | Target::Named(_, _, dialect) => dialect,
        }
    }
}

impl Installer for JsonInstaller {
    fn agent(&self) -> &'static str {
        self.common().agent
    }

    fn traces(&self) -> Traces {
        self.traces
    }

    fn files(&self, scope: Scope) -> &'static [SettingsFile] {
        match scope {
            Scope::User => self.user,
            Scope::Project => self.project,
        }
    }

    fn events(&self) -> &'static [&'static str] {
        self.common().events
    }

    fn plan_install(
        &self,
        file: &SettingsFile,
        existing: Option<&str>,
        binary: &str,
    ) -> Result<Edit, EditError> {
        let dialect = self.dialect(file);
        dialect.plan_install(existing, binary, dialect.events)
    }

    fn plan_uninstall(&self, file: &SettingsFile, existing: &str) -> Result<Edit, EditError> {
        self.dialect(file).plan_uninstall(existing)
    }

    fn installed(&self, file: &SettingsFile, existing: &str) -> Vec<InstalledEntry> {
        self.dialect(file).installed(existing)
    }

    fn unread(&self, file: &SettingsFile, existing: &str) -> Option<String> {
        (self.dialect(file).unread)(existing)
    }

    fn afterwards(&self) -> Option<&'static str> {
        self.afterwards
    }
}

impl Dialect {
    pub(crate) fn plan_install(
        &self,
        existing: Option<&str>,
        binary: &str,
        events: &[&str],
    ) -> Result<Edit, EditError> {
        plan::install(self, existing, binary, events)
    }

    pub(crate) fn plan_uninstall(&self, existing: &str) -> Result<Edit, EditError> {
        plan::uninstall(self, existing)
    }

    pub(crate) fn installed(&self, existing: &str) -> Vec<InstalledEntry> {
        entries::installed(self, existing)
    }
}
