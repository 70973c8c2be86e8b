//! The user's settings for the dashboard, and the edited text of the configuration file.

use std::path::Path;
use std::time::Duration;

use becket::model::{Action, HookSpec, Level, Severity};
use becket::{Home, guard, load};
use becket_agents::config::change::{self, SwitchResult};
use becket_agents::config::{self, ConfigFile};
use becket_agents::edit::{EditError, toml_string};
use becket_daemon::rpc::ServiceError;
use becket_daemon::setup::{
    FileWritten, GuardSettings, GuardUpdate, Preset, RetentionSettings, SettingsPlan,
    SettingsUpdate, UserSettings,
};
use becket_guard::rule;

use super::{diff, digest, invalid, own_file, stale_plan, text};
use crate::hooks::file::EditableConfig;
use crate::rpc::service_error;

const DAY: u64 = 24 * 60 * 60;

pub(super) fn show(home: &Home) -> UserSettings {
    let configuration = load(home, None, None);
    let file = home.config_file();
    let problems = configuration.loaded.problems.iter();
    let problems = problems.filter(|problem| problem.file == file);
    let settings = &configuration.settings;
    let guard = own_guard(&configuration.loaded.hooks, &file);
    UserSettings {
        port: settings.port.filter(|port| *port != 0),
        daemon: settings.daemon != Some(false),
        record: settings.record != Some(false),
        redact: settings.redact.clone(),
        retention: RetentionSettings {
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

pub(super) fn plan(home: &Home, wanted: &SettingsUpdate) -> Result<SettingsPlan, ServiceError> {
    let (file, after) = draft(home, wanted)?;
    Ok(SettingsPlan {
        file: text(&file.path),
        diff: diff(file.text(), &after),
        plan: digest([file.text(), &after]),
    })
}

pub(super) fn apply(
    home: &Home,
    wanted: &SettingsUpdate,
    plan: &str,
) -> Result<FileWritten, ServiceError> {
    let (file, after) = draft(home, wanted)?;
    if digest([file.text(), &after]) != plan {
        return Err(stale_plan("your configuration"));
    }
    if file.differs(&after) {
        file.write(&after).map_err(service_error)?;
    }
    Ok(FileWritten {
        file: text(&file.path),
    })
}

fn draft(home: &Home, wanted: &SettingsUpdate) -> Result<(EditableConfig, String), ServiceError> {
    let file = own_file(home).map_err(service_error)?;
    let edited = edit(&file, wanted);
    let after = edited.map_err(|error| invalid(format!("`{}`: {error}", file.path.display())))?;
    check(&file, &after)?;
    Ok((file, after))
}

fn edit(file: &EditableConfig, wanted: &SettingsUpdate) -> Result<String, EditError> {
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

fn edit_guard(path: &Path, text: String, wanted: &GuardUpdate) -> Result<String, EditError> {
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
        && let SwitchResult::Text(after) = change::switch(guard, &text, on)?
    {
        text = after;
    }
    Ok(text)
}

/// Rejects errors that the file did not have before; the message names the key.
fn check(file: &EditableConfig, after: &str) -> Result<(), ServiceError> {
    let errors = |text: &str| -> Vec<String> {
        let layer = config::becket(&read(&file.path, text));
        let problems = layer.problems.iter();
        let problems = problems.filter(|problem| problem.severity == Severity::Error);
        let messages = problems.map(|problem| {
            let hint = problem.hint.as_deref();
            let hint = hint.map_or_else(String::new, |hint| format!(" ({hint})"));
            format!("`{}` {}{hint}", problem.key, problem.message)
        });
        messages.collect()
    };
    let known = errors(file.text());
    let mut new = errors(after).into_iter();
    match new.find(|error| !known.contains(error)) {
        Some(error) => Err(invalid(error)),
        None => Ok(()),
    }
}

fn read<'f>(path: &'f Path, text: &'f str) -> ConfigFile<'f> {
    ConfigFile {
        path,
        level: Level::User,
        text,
        root: None,
    }
}

fn hooks_in(path: &Path, text: &str) -> Vec<HookSpec> {
    config::becket(&read(path, text)).hooks
}

/// The guard in the user's own file, enabled or not.
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
