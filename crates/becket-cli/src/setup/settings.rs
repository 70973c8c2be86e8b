//! The person's own settings: what they are, and the text that other ones would make of the file.

use std::path::Path;
use std::time::Duration;

use becket::model::{Action, HookSpec, Level, Severity};
use becket::{Home, guard, load};
use becket_agents::config::change::{self, Switched};
use becket_agents::config::{self, File};
use becket_agents::edit::{EditError, toml_string};
use becket_daemon::rpc::Failure;
use becket_daemon::setup::{
    FileWritten, GuardSettings, GuardWanted, Keeping, Preset, Settings, SettingsPlan,
    SettingsWanted,
};
use becket_guard::rule;

use super::{changed, diff, digest, invalid, own_file, text};
use crate::hooks::file::ConfigFile;
use crate::rpc::failed;

const DAY: u64 = 24 * 60 * 60;

pub(super) fn show(home: &Home) -> Settings {
    let configuration = load(home, None, None);
    let file = home.config_file();
    let problems = configuration.loaded.problems.iter();
    let problems = problems.filter(|problem| problem.file == file);
    let settings = &configuration.settings;
    let guard = own_guard(&configuration.loaded.hooks, &file);
    Settings {
        port: settings.port.filter(|port| *port != 0),
        daemon: settings.daemon != Some(false),
        record: settings.record != Some(false),
        redact: settings.redact.clone(),
        retention: Keeping {
            keep: settings.keep.map(in_days),
        },
        guard: GuardSettings {
            preset: guard.map_or(Preset::Standard, preset_of),
            enabled: guard.is_some_and(|hook| hook.enabled),
        },
        problems: problems.map(ToString::to_string).collect(),
        file: text(&file),
    }
}

pub(super) fn plan(home: &Home, wanted: &SettingsWanted) -> Result<SettingsPlan, Failure> {
    let (file, after) = draft(home, wanted)?;
    Ok(SettingsPlan {
        file: text(&file.path),
        diff: diff(file.text(), &after),
        plan: digest([file.text(), &after]),
    })
}

pub(super) fn apply(
    home: &Home,
    wanted: &SettingsWanted,
    plan: &str,
) -> Result<FileWritten, Failure> {
    let (file, after) = draft(home, wanted)?;
    if digest([file.text(), &after]) != plan {
        return Err(changed("your configuration"));
    }
    if file.differs(&after) {
        file.write(&after).map_err(failed)?;
    }
    Ok(FileWritten {
        file: text(&file.path),
    })
}

fn draft(home: &Home, wanted: &SettingsWanted) -> Result<(ConfigFile, String), Failure> {
    let file = own_file(home).map_err(failed)?;
    let edited = edit(&file, wanted);
    let after = edited.map_err(|error| invalid(format!("`{}`: {error}", file.path.display())))?;
    check(&file, &after)?;
    Ok((file, after))
}

fn edit(file: &ConfigFile, wanted: &SettingsWanted) -> Result<String, EditError> {
    let mut text = file.text().to_owned();
    if let Some(patterns) = &wanted.redact {
        text = change::list_setting(&text, "redact", patterns)?;
    }
    let flag = |flag: bool| flag.to_string();
    let keep = wanted.retention.as_ref().map(|retention| &retention.keep);
    let keep = keep.map(|keep| keep.as_deref().map(toml_string));
    for (key, value) in [
        ("keep", keep),
        ("port", wanted.port.map(|port| Some(port.to_string()))),
        ("daemon", wanted.daemon.map(|on| Some(flag(on)))),
        ("record", wanted.record.map(|on| Some(flag(on)))),
    ] {
        if let Some(value) = value {
            text = change::setting(&text, key, value.as_deref())?;
        }
    }
    match &wanted.guard {
        Some(guard) => edit_guard(&file.path, text, guard),
        None => Ok(text),
    }
}

fn edit_guard(path: &Path, text: String, wanted: &GuardWanted) -> Result<String, EditError> {
    let hooks = hooks_in(path, &text);
    let found = own_guard(&hooks, path);
    let preset = wanted.preset.map(|preset| toml_string(word(preset)));
    let Some(guard) = found else {
        if wanted.enabled == Some(false) {
            return Ok(text);
        }
        let name = guard::NAME;
        let mut block = format!("[[hook]]\nname = \"{name}\"\nuse = \"{name}\"");
        if let Some(preset) = preset {
            block += &format!("\noptions = {{ preset = {preset} }}");
        }
        return change::add(&text, &block);
    };
    let mut text = text;
    if let Some(preset) = preset {
        text = change::set_option(guard, &text, "preset", &preset)?;
    }
    if let Some(on) = wanted.enabled
        && let Switched::Text(after) = change::switch(guard, &text, on)?
    {
        text = after;
    }
    Ok(text)
}

/// Refuses a text with errors that the file does not have yet, and says which key is at fault.
fn check(file: &ConfigFile, after: &str) -> Result<(), Failure> {
    let errors = |text: &str| -> Vec<String> {
        let layer = config::becket(&read(&file.path, text));
        let problems = layer.problems.iter();
        let problems = problems.filter(|problem| problem.severity == Severity::Error);
        let told = problems.map(|problem| {
            let hint = problem.hint.as_deref();
            let hint = hint.map_or_else(String::new, |hint| format!(" ({hint})"));
            format!("`{}` {}{hint}", problem.key, problem.message)
        });
        told.collect()
    };
    let known = errors(file.text());
    let mut new = errors(after).into_iter();
    match new.find(|error| !known.contains(error)) {
        Some(error) => Err(invalid(error)),
        None => Ok(()),
    }
}

fn read<'f>(path: &'f Path, text: &'f str) -> File<'f> {
    File {
        path,
        level: Level::User,
        text,
        root: None,
    }
}

fn hooks_in(path: &Path, text: &str) -> Vec<HookSpec> {
    config::becket(&read(path, text)).hooks
}

/// The guard of the person's own file, switched on or not.
fn own_guard<'h>(hooks: &'h [HookSpec], file: &Path) -> Option<&'h HookSpec> {
    let mut hooks = hooks.iter();
    hooks.find(|hook| guard::is_guard(hook) && hook.source.file == file)
}

fn preset_of(hook: &HookSpec) -> Preset {
    let Action::Builtin { options, .. } = &hook.action else {
        return Preset::Standard;
    };
    match guard::policy(options).map(|policy| policy.preset) {
        Ok(rule::Preset::Permissive) => Preset::Permissive,
        Ok(rule::Preset::Strict) => Preset::Strict,
        _ => Preset::Standard,
    }
}

fn word(preset: Preset) -> &'static str {
    match preset {
        Preset::Permissive => rule::Preset::Permissive.word(),
        Preset::Standard => rule::Preset::Standard.word(),
        Preset::Strict => rule::Preset::Strict.word(),
    }
}

fn in_days(keep: Duration) -> String {
    format!("{}d", keep.as_secs() / DAY)
}
