//! Detects the agent whose shell runs a command, from environment variables that agents set.
//!
//! This relies on honest agents: a command can unset the variables. It distinguishes an agent that stores a
//! memory for itself from a user; it is not a security boundary.

/// Variables that agents set for the commands they run.
const AGENT_VARS: &[(&str, &str)] = &[
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

/// Variables that contain the name of the agent. `AGENT` has other uses too, so only known names count.
const NAME_VARS: &[&str] = &["AI_AGENT", "AGENT"];

/// The id of the agent whose shell this is; `value` returns a variable that is set and not empty. For nested
/// agents, any of them may be returned.
pub fn agent_from_env(value: impl Fn(&str) -> Option<String>) -> Option<&'static str> {
    let marked = AGENT_VARS.iter().find(|(name, _)| value(name).is_some());
    marked.map(|(_, agent)| *agent).or_else(|| {
        let names = NAME_VARS.iter().filter_map(|name| value(name));
        names.into_iter().find_map(|name| agent_from_name(&name))
    })
}

/// Parses `amp`, `claude-code/2.1`, `Crush`.
fn agent_from_name(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    let first = name.split(|c: char| !c.is_ascii_alphanumeric()).next()?;
    crate::adapter(first).map(crate::Adapter::id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_variables_are_recognised_and_others_are_not() {
        for (mark, agent) in AGENT_VARS {
            assert!(crate::adapter(agent).is_some(), "{agent}");
            let set = |name: &str| (name == *mark).then(|| "1".to_owned());
            assert_eq!(agent_from_env(set), Some(*agent), "{mark}");
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
            assert_eq!(agent_from_env(set), agent, "{name}={value}");
        }
    }
}
