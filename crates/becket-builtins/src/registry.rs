//! The list of hooks that come with Becket, their options, and how one is made.

use std::sync::Arc;

use becket_model::{BuiltinDefaults, HookSpec, builtin};
use becket_runner::Hook;
use serde_json::{Map, Value};

use crate::deps::Deps;
use crate::hook::{BuiltinHook, Work};
use crate::options::{self, Options};
use crate::{desktop, editor, format, git, log, notify, sound};

/// A hook that comes with Becket.
#[derive(Debug)]
pub struct Builtin {
    /// The name after `use`.
    pub name: &'static str,
    /// What it is good for, in one sentence.
    pub about: &'static str,
    /// What its `options` may say.
    pub options: &'static [OptionDoc],
}

/// An option of a hook.
#[derive(Debug)]
pub struct OptionDoc {
    /// Its key.
    pub name: &'static str,
    /// What it holds, for people.
    pub holds: &'static str,
    /// What it is where it is left out, as JSON; empty where there is no such value.
    pub default: &'static str,
    /// What it does.
    pub about: &'static str,
}

impl Builtin {
    /// When it runs where its entry does not say.
    pub fn defaults(&self) -> &'static BuiltinDefaults {
        builtin::defaults(self.name).expect("a test compares the two lists")
    }

    /// The options that have a default, with it.
    pub fn default_options(&self) -> Value {
        let with_default = self.options.iter().filter_map(|doc| {
            let value = serde_json::from_str(doc.default).ok()?;
            Some((doc.name.to_owned(), value))
        });
        Value::Object(with_default.collect::<Map<_, _>>())
    }
}

/// Every hook that comes with Becket, in the order of its documentation.
pub const BUILTINS: &[Builtin] = &[
    Builtin {
        name: "log",
        about: "Writes every event as one line of JSON, without secrets.",
        options: log::OPTIONS,
    },
    Builtin {
        name: "sound-alert",
        about: "Plays a sound when the agent has finished or waits for you.",
        options: sound::OPTIONS,
    },
    Builtin {
        name: "auto-format",
        about: "Formats changed files with the project's own formatter.",
        options: format::OPTIONS,
    },
    Builtin {
        name: "slack-notify",
        about: "Tells a Slack channel when the agent has finished or waits for you.",
        options: notify::SLACK_OPTIONS,
    },
    Builtin {
        name: "webhook",
        about: "Tells Discord, Teams or any other receiver of JSON the same.",
        options: notify::WEBHOOK_OPTIONS,
    },
    Builtin {
        name: "desktop-notify",
        about: "Shows a desktop notification when the agent has finished or waits for you.",
        options: desktop::OPTIONS,
    },
    Builtin {
        name: "git-auto-stage",
        about: "Stages the files that the agent changes.",
        options: git::STAGE_OPTIONS,
    },
    Builtin {
        name: "smart-commit",
        about: "Lints, tests and commits when the agent has finished.",
        options: git::COMMIT_OPTIONS,
    },
    Builtin {
        name: "ask-editor",
        about: "Lets you answer permission requests in an editor that is connected over JSON-RPC.",
        options: &[],
    },
    Builtin {
        name: "security-guard",
        about: "Stops dangerous commands and keeps secrets from being read or written.",
        options: GUARD_OPTIONS,
    },
];

const GUARD_OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "preset",
        holds: "text",
        default: "\"standard\"",
        about: "How strict the guard is: `permissive`, `standard` or `strict`.",
    },
    OptionDoc {
        name: "off",
        holds: "list of texts",
        default: "[]",
        about: "Packs (`kubernetes`) and rules (`git.push-force`) that are switched off.",
    },
    OptionDoc {
        name: "severity",
        holds: "table",
        default: "{}",
        about: "Rules that are taken for `notice`, `doubtful`, `severe` or `catastrophic`, whatever they are by themselves.",
    },
    OptionDoc {
        name: "allow",
        holds: "list of tables",
        default: "[]",
        about: "What may pass although a rule minds: `command`, `rule` or `path`, and the `reason`.",
    },
    OptionDoc {
        name: "deny",
        holds: "list of tables",
        default: "[]",
        about: "What may not pass although no rule minds: how the `command` begins, the `message` that says what to do instead, and `unless`: what may start it all the same.",
    },
    OptionDoc {
        name: "wrappers",
        holds: "list of texts",
        default: "[]",
        about: "Commands that run what follows them, as `sudo` does: `mytool run`.",
    },
    OptionDoc {
        name: "auto_approve",
        holds: "true or false",
        default: "false",
        about: "Whether commands that provably only read skip the agent's own prompt.",
    },
];

/// The hook of this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|one| one.name == name)
}

/// Says what is wrong with the options of a hook, and names the option; of `security-guard` only the
/// keys are looked at, since its options are the guard's own affair.
pub fn check(name: &str, options: &Value) -> Result<(), String> {
    work(known(name)?, options).map(|_| ())
}

/// Makes the hook that a definition with `use` asks for.
///
/// The error says what is wrong with the definition and names the option.
pub fn make(spec: HookSpec, deps: &Arc<Deps>) -> Result<Arc<dyn Hook>, String> {
    let Some((name, given)) = options::of(&spec) else {
        let kind = spec.action.kind();
        return Err(format!("a hook of type `{kind}` does not come with Becket"));
    };
    let builtin = known(name)?;
    match (work(builtin, given)?, &deps.guard) {
        (Some(work), _) => Ok(Arc::new(BuiltinHook::new(spec, Arc::clone(deps), work))),
        (None, Some(guard)) => guard(spec),
        (None, None) => Err(format!("`{name}` is not part of this program")),
    }
}

fn known(name: &str) -> Result<&'static Builtin, String> {
    find(name).ok_or_else(|| {
        let known: Vec<&str> = BUILTINS.iter().map(|one| one.name).collect();
        let known = known.join(", ");
        format!("no hook called `{name}` comes with Becket; there are {known}")
    })
}

/// What a hook does; `None` for the guard, which is made elsewhere.
fn work(builtin: &Builtin, given: &Value) -> Result<Option<Arc<dyn Work>>, String> {
    let read = Options::new(builtin.name, given, builtin.options)?;
    let work: Arc<dyn Work> = match builtin.name {
        "log" => Arc::new(log::Log::read(&read)?),
        "sound-alert" => Arc::new(sound::Sound::read(&read)?),
        "auto-format" => Arc::new(format::Format::read(&read)?),
        "slack-notify" => Arc::new(notify::Notify::slack(&read)?),
        "webhook" => Arc::new(notify::Notify::webhook(&read)?),
        "desktop-notify" => Arc::new(desktop::Desktop::read(&read)?),
        "git-auto-stage" => Arc::new(git::Stage::read(&read)?),
        "smart-commit" => Arc::new(git::Commit::read(&read)?),
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
    fn the_list_here_and_the_defaults_of_the_model_are_of_the_same_hooks() {
        let here: Vec<&str> = BUILTINS.iter().map(|one| one.name).collect();
        let there: Vec<&str> = builtin::DEFAULTS.iter().map(|one| one.name).collect();
        assert_eq!(here, there);
    }

    #[test]
    fn every_default_is_json_and_every_option_is_explained() {
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
    fn the_options_of_the_guard_are_those_that_it_reads() {
        let guard = find("security-guard").expect("it is listed");
        let defaults = Policy::parse(&guard.default_options());
        assert_eq!(defaults, Ok(Policy::default()));
        let wrong = Policy::parse(&serde_json::json!({ "nonesuch": 1 }));
        let said = wrong.expect_err("no such option")[0].to_string();
        let names: Vec<&str> = guard.options.iter().map(|doc| doc.name).collect();
        assert!(said.ends_with(&names.join(", ")), "{said}");
    }
}
