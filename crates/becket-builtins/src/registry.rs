//! The list of built-in hooks with their options, and the code that builds them.

use std::sync::Arc;

use becket_model::{BuiltinDefaults, HookSpec, builtin};
use becket_runner::Hook;
use serde_json::{Map, Value};

use crate::deps::BuiltinDeps;
use crate::hook::{BlockingHook, BuiltinHook};
use crate::options::{self, Options};
use crate::{desktop, editor, format, git, log, notify, sound};

/// A built-in hook.
#[derive(Debug)]
pub struct BuiltinSpec {
    /// The name for `use`.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub about: &'static str,
    /// Its options.
    pub options: &'static [OptionDoc],
}

/// An option of a hook.
#[derive(Debug)]
pub struct OptionDoc {
    /// Its key.
    pub name: &'static str,
    /// The type of its value, for the documentation.
    pub value_type: &'static str,
    /// The default as JSON; empty if there is none.
    pub default: &'static str,
    /// What it does.
    pub about: &'static str,
}

impl BuiltinSpec {
    /// The events on which it runs by default.
    pub fn defaults(&self) -> &'static BuiltinDefaults {
        builtin::defaults(self.name).expect("a test compares the two lists of hooks")
    }

    /// All options that have a default, with that default.
    pub fn default_options(&self) -> Value {
        let with_default = self.options.iter().filter_map(|doc| {
            let value = serde_json::from_str(doc.default).ok()?;
            Some((doc.name.to_owned(), value))
        });
        Value::Object(with_default.collect::<Map<_, _>>())
    }
}

/// All built-in hooks, in the order of the documentation.
pub const BUILTINS: &[BuiltinSpec] = &[
    BuiltinSpec {
        name: "log",
        about: "Writes every event as one line of JSON, with secrets redacted.",
        options: log::OPTIONS,
    },
    BuiltinSpec {
        name: "sound-alert",
        about: "Plays a sound when the agent has finished or waits for you.",
        options: sound::OPTIONS,
    },
    BuiltinSpec {
        name: "auto-format",
        about: "Formats changed files with the project's own formatter.",
        options: format::OPTIONS,
    },
    BuiltinSpec {
        name: "slack-notify",
        about: "Sends a Slack message when the agent has finished or waits for you.",
        options: notify::SLACK_OPTIONS,
    },
    BuiltinSpec {
        name: "webhook",
        about: "Sends the same message to Discord, Teams or any JSON webhook.",
        options: notify::WEBHOOK_OPTIONS,
    },
    BuiltinSpec {
        name: "desktop-notify",
        about: "Shows a desktop notification when the agent has finished or waits for you.",
        options: desktop::OPTIONS,
    },
    BuiltinSpec {
        name: "git-auto-stage",
        about: "Stages the files that the agent changes.",
        options: git::STAGE_OPTIONS,
    },
    BuiltinSpec {
        name: "smart-commit",
        about: "Lints, tests and commits when the agent has finished.",
        options: git::COMMIT_OPTIONS,
    },
    BuiltinSpec {
        name: "ask-editor",
        about: "Lets you answer permission requests in an editor connected over JSON-RPC.",
        options: &[],
    },
    BuiltinSpec {
        name: "security-guard",
        about: "Blocks dangerous commands and access to secrets.",
        options: GUARD_OPTIONS,
    },
];

const GUARD_OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "preset",
        value_type: "text",
        default: "\"standard\"",
        about: "How strict the guard is: `permissive`, `standard` or `strict`.",
    },
    OptionDoc {
        name: "off",
        value_type: "list of texts",
        default: "[]",
        about: "Packs (`kubernetes`) and rules (`git.push-force`) to switch off.",
    },
    OptionDoc {
        name: "severity",
        value_type: "table",
        default: "{}",
        about: "Overrides the severity of rules: `notice`, `doubtful`, `severe` or `catastrophic`.",
    },
    OptionDoc {
        name: "allow",
        value_type: "list of tables",
        default: "[]",
        about: "Exceptions to the rules: `command`, `rule` or `path`, with a `reason`.",
    },
    OptionDoc {
        name: "deny",
        value_type: "list of tables",
        default: "[]",
        about: "Extra commands to block: `command` (prefix), `message` (what to do instead), `unless` (wrapper that is allowed).",
    },
    OptionDoc {
        name: "wrappers",
        value_type: "list of texts",
        default: "[]",
        about: "Commands that run the command after them, as `sudo` does: `mytool run`.",
    },
    OptionDoc {
        name: "auto_approve",
        value_type: "true or false",
        default: "false",
        about: "Whether provably read-only commands skip the agent's permission prompt.",
    },
];

/// The built-in hook of this name.
pub fn find(name: &str) -> Option<&'static BuiltinSpec> {
    BUILTINS.iter().find(|one| one.name == name)
}

/// Checks the options of a hook; the error names the option. For `security-guard` it checks only the keys, because the
/// guard checks the values.
pub fn check(name: &str, options: &Value) -> Result<(), String> {
    build_action(find_or_error(name)?, options).map(|_| ())
}

/// Builds the hook that a `use` entry names.
///
/// The error names the invalid option.
pub fn make(spec: HookSpec, deps: &Arc<BuiltinDeps>) -> Result<Arc<dyn Hook>, String> {
    let Some((name, given)) = options::builtin_options(&spec) else {
        let kind = spec.action.kind();
        return Err(format!("a hook of type `{kind}` is not a built-in hook"));
    };
    let builtin = find_or_error(name)?;
    match (build_action(builtin, given)?, &deps.guard) {
        (Some(work), _) => Ok(Arc::new(BuiltinHook::new(spec, Arc::clone(deps), work))),
        (None, Some(guard)) => guard(spec),
        (None, None) => Err(format!("`{name}` is not available in this program")),
    }
}

fn find_or_error(name: &str) -> Result<&'static BuiltinSpec, String> {
    find(name).ok_or_else(|| {
        let known: Vec<&str> = BUILTINS.iter().map(|one| one.name).collect();
        let known = known.join(", ");
        format!("unknown built-in hook `{name}`; the built-in hooks are {known}")
    })
}

/// The implementation of a hook; `None` for the guard, which the host program builds.
fn build_action(
    builtin: &BuiltinSpec,
    given: &Value,
) -> Result<Option<Arc<dyn BlockingHook>>, String> {
    let read = Options::new(builtin.name, given, builtin.options)?;
    let work: Arc<dyn BlockingHook> = match builtin.name {
        "log" => Arc::new(log::EventLog::read(&read)?),
        "sound-alert" => Arc::new(sound::SoundAlert::read(&read)?),
        "auto-format" => Arc::new(format::AutoFormat::read(&read)?),
        "slack-notify" => Arc::new(notify::WebhookNotify::slack(&read)?),
        "webhook" => Arc::new(notify::WebhookNotify::webhook(&read)?),
        "desktop-notify" => Arc::new(desktop::DesktopNotify::read(&read)?),
        "git-auto-stage" => Arc::new(git::AutoStage::read(&read)?),
        "smart-commit" => Arc::new(git::SmartCommit::read(&read)?),
        "ask-editor" => Arc::new(editor::AskEditor),
        _ => return Ok(None),
    };
    Ok(Some(work))
}

#[cfg(test)]
mod tests {
    use super::*;
    use becket_guard::policy::Policy;

    #[test]
    fn registry_and_model_defaults_list_the_same_hooks() {
        let here: Vec<&str> = BUILTINS.iter().map(|one| one.name).collect();
        let there: Vec<&str> = builtin::DEFAULTS.iter().map(|one| one.name).collect();
        assert_eq!(here, there);
    }

    #[test]
    fn every_option_has_a_json_default_and_a_description() {
        for one in BUILTINS {
            for doc in one.options {
                let fine =
                    doc.default.is_empty() || serde_json::from_str::<Value>(doc.default).is_ok();
                assert!(fine, "{} {}", one.name, doc.name);
                assert!(doc.about.ends_with('.'), "{} {}", one.name, doc.name);
            }
        }
    }

    #[test]
    fn guard_options_match_its_policy() {
        let guard = find("security-guard").expect("it is listed");
        let defaults = Policy::parse(&guard.default_options());
        assert_eq!(defaults, Ok(Policy::default()));
        let wrong = Policy::parse(&serde_json::json!({ "nonesuch": 1 }));
        let said = wrong.expect_err("no such option")[0].to_string();
        let names: Vec<&str> = guard.options.iter().map(|doc| doc.name).collect();
        assert!(said.ends_with(&names.join(", ")), "{said}");
    }
}
