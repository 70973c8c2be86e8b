//! The installer for agents whose hooks are in JSON files.

use crate::edit::{EditError, FileEdit};

use super::format::SettingsFormat;
use super::{DetectionHints, InstallScope, InstalledEntry, Installer, SettingsFile, entries, plan};

/// The files and their formats.
pub(crate) struct JsonInstaller {
    pub(crate) detection_hints: DetectionHints,
    pub(crate) user: &'static [SettingsFile],
    pub(crate) project: &'static [SettingsFile],
    pub(crate) target: FormatChoice,
    pub(crate) next_steps: Option<&'static str>,
}

/// The format of each file.
pub(crate) enum FormatChoice {
    /// All files have one format.
    One(&'static SettingsFormat),
    /// The file with this name or path has the first format, all others the second.
    Named(
        &'static str,
        &'static SettingsFormat,
        &'static SettingsFormat,
    ),
}

impl JsonInstaller {
    fn format(&self, file: &SettingsFile) -> &'static SettingsFormat {
        match self.target {
            FormatChoice::Named(name, format, _) if file.name() == name || file.path == name => {
                format
            }
            FormatChoice::One(format) | FormatChoice::Named(_, _, format) => format,
        }
    }

    fn common(&self) -> &'static SettingsFormat {
        match self.target {
            FormatChoice::One(format) | FormatChoice::Named(_, _, format) => format,
        }
    }
}

impl Installer for JsonInstaller {
    fn agent(&self) -> &'static str {
        self.common().agent
    }

    fn detection_hints(&self) -> DetectionHints {
        self.detection_hints
    }

    fn files(&self, scope: InstallScope) -> &'static [SettingsFile] {
        match scope {
            InstallScope::User => self.user,
            InstallScope::Project => self.project,
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
    ) -> Result<FileEdit, EditError> {
        let format = self.format(file);
        format.plan_install(existing, binary, format.events)
    }

    fn plan_uninstall(&self, file: &SettingsFile, existing: &str) -> Result<FileEdit, EditError> {
        self.format(file).plan_uninstall(existing)
    }

    fn installed(&self, file: &SettingsFile, existing: &str) -> Vec<InstalledEntry> {
        self.format(file).installed(existing)
    }

    fn rejection_reason(&self, file: &SettingsFile, existing: &str) -> Option<String> {
        (self.format(file).rejection_reason)(existing)
    }

    fn next_steps(&self) -> Option<&'static str> {
        self.next_steps
    }
}

impl SettingsFormat {
    pub(crate) fn plan_install(
        &self,
        existing: Option<&str>,
        binary: &str,
        events: &[&str],
    ) -> Result<FileEdit, EditError> {
        plan::install(self, existing, binary, events)
    }

    pub(crate) fn plan_uninstall(&self, existing: &str) -> Result<FileEdit, EditError> {
        plan::uninstall(self, existing)
    }

    pub(crate) fn installed(&self, existing: &str) -> Vec<InstalledEntry> {
        entries::installed(self, existing)
    }
}
