//! Whose shell a command runs in: agents mark the shells that they start.
//!
//! The marks are kept by honest agents and can be taken off by a command that means to. They tell an agent that notes
//! something for itself from a person; they do not hold one that hides.

/// What agents set for the commands that they run, and for the programs that run those.
const MARKS: &[(&str, &str)] = &[
    ("CLAUDECODE", "claude"),
    ("QWEN_CODE", "qwen"),
    ("QWEN_CODE_SESSION_ID", "qwen"),
    ("GEMINI_CLI", "gemini"),
    ("GEMINI_SESSION_ID", "gemini"),
    ("COPILOT_CLI", "copilot"),
    ("CURSOR_AGENT", "cursor"),
    ("CODEX_THREAD_ID", "codex"),
    ("CODEX_SANDBOX", "codex"),
    ("CODEX_SANDBOX_NETWORK_DISABLED", "codex"),
    ("CODEX_MANAGED_BY_NPM", "codex"),
    ("OPENCODE", "opencode"),
    ("CRUSH", "crush"),
    ("AUGMENT_AGENT", "augment"),
    ("AUGMENT_HOOK_EVENT", "augment"),
    ("CLINE_ACTIVE", "cline"),
    ("GOOSE_TERMINAL", "goose"),
    ("DEVIN_PROJECT_DIR", "devin"),
    ("FACTORY_PROJECT_DIR", "droid"),
];

/// Variables that several agents put their name into. `AGENT` is also used for other things, so that only names count.
const NAMED: &[&str] = &["AI_AGENT", "AGENT"];

/// The id of the agent whose shell this is, as far as its variables tell; `value` gives one that is set and not empty.
/// Of agents inside agents, any one will do.
pub fn agent_around(value: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    let marked = MARKS.iter().find(|(name, _)| value(name).is_some());
    marked.map(|(_, agent)| *agent).or_else(|| {
        let names = NAMED.iter().filter_map(|name| value(name));
        names.into_iter().find_map(|name| named(&name))
    })
}

/// `amp`, `claude-code/2.1`, `Crush`.
fn named(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let first = name.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    crate::adapter(first).map(crate::Adapter::id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_names_an_agent_and_other_variables_none() {
        for (mark, agent) in MARKS {
            assert!(crate::adapter(agent).is_some(), "{agent}");
            let set = |name: &str| (name == *mark).then(|| "1".to_owned());
            assert_eq!(agent_around(set), Some(*agent), "{mark}");
        }
        for (name, value, agent) in [
            ("AGENT", "amp", Some("amp")),
            ("AI_AGENT", "claude-code/2.1.0/agent", Some("claude")),
            ("AI_AGENT", "Crush", Some("crush")),
            ("AGENT", "/tmp/ssh-agent.sock", None),
            ("AGENT", "1", None),
            ("CODEX_HOME", "/home/ana/.codex", None),
            ("TERM_PROGRAM", "cursor", None),
        ] {
            let set = |asked: &str| (asked == name).then(|| value.to_owned());
            assert_eq!(agent_around(set), agent, "{name}={value}");
        }
    }
}
