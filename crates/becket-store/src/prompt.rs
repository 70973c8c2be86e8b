//! What kind of prompt a text is.

use serde::{Deserialize, Serialize};

/// Where a prompt came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A person.
    User,
    /// A person's "carry out this plan", which agents send by themselves.
    Plan,
    /// The report of a task in the background.
    AgentNotification,
    /// The agent's own machinery, or work that began without any prompt.
    System,
}

impl Source {
    /// The word that is stored.
    pub fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Plan => "plan",
            Self::AgentNotification => "agent_notification",
            Self::System => "system",
        }
    }

    /// The three words that the codebase-intelligence API documents: what is neither a person's nor a plan
    /// is `internal`.
    pub fn documented(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Plan => "plan",
            Self::AgentNotification | Self::System => "internal",
        }
    }

    /// Reads the word that is stored; what nobody knows is the machinery's.
    pub fn from_word(word: &str) -> Self {
        match word {
            "user" => Self::User,
            "plan" => Self::Plan,
            "agent_notification" => Self::AgentNotification,
            _ => Self::System,
        }
    }
}

/// What agents begin the prompt with when a person has accepted a plan.
const PLAN_PREFIXES: [&str; 2] = [
    "Implement the following plan:",
    "Implement the plan as specified",
];

/// Tells where a prompt came from, by how it begins. A prompt that merely mentions a tag is a person's.
pub(crate) fn classify(prompt: &str) -> Source {
    let start = prompt.trim_start();
    if start.starts_with("<task-notification>") {
        Source::AgentNotification
    } else if start.starts_with("<system-") {
        Source::System
    } else if PLAN_PREFIXES.iter().any(|prefix| start.starts_with(prefix)) {
        Source::Plan
    } else {
        Source::User
    }
}

/// The plan that a prompt of [`Source::Plan`] carries; `None` where it only points at one.
pub(crate) fn plan_in(prompt: &str) -> Option<&str> {
    let start = prompt.trim_start();
    let rest = PLAN_PREFIXES
        .iter()
        .find_map(|prefix| start.strip_prefix(prefix))?;
    Some(rest.trim()).filter(|plan| plan.contains('\n'))
}

/// Directories in which agents keep plans, in a project or in a home.
const PLAN_DIRS: [(&str, &str); 3] = [
    (".claude", "plans"),
    (".cursor", "plans"),
    (".windsurf", "plans"),
];

/// Whether a path is a plan: a file somewhere below such a directory, and not one that is called alike.
pub(crate) fn is_plan_path(path: &str) -> bool {
    let parts: Vec<&str> = path.split(['/', '\\']).collect();
    let dirs = parts.len().saturating_sub(1);
    parts[..dirs]
        .windows(2)
        .any(|pair| PLAN_DIRS.contains(&(pair[0], pair[1])))
        && parts.last().is_some_and(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_what_it_begins_with() {
        for (prompt, expected) in [
            ("fix the build", Source::User),
            ("", Source::User),
            ("what does <system-reminder> mean?", Source::User),
            ("<system-reminder>be brief", Source::System),
            ("  \n<task-notification>done", Source::AgentNotification),
            ("\tImplement the following plan:\n\n# A", Source::Plan),
            ("Implement the plan as specified in x.md", Source::Plan),
            ("Please implement the following plan: x", Source::User),
        ] {
            assert_eq!(classify(prompt), expected, "{prompt}");
            assert_eq!(Source::from_word(expected.word()), expected);
        }
    }

    #[test]
    fn a_plan_in_a_prompt_is_more_than_a_pointer() {
        let plan = "Implement the following plan:\n\n# A\n1. b\n";
        assert_eq!(plan_in(plan), Some("# A\n1. b"));
        assert_eq!(plan_in("Implement the plan as specified in x.md"), None);
        assert_eq!(plan_in("fix it"), None);
    }

    #[test]
    fn plans_are_files_below_the_directories_of_plans() {
        for (path, expected) in [
            ("/home/ana/.claude/plans/calm-otter.md", true),
            (".cursor/plans/sub/a.md", true),
            (r"C:\shop\.windsurf\plans\a.md", true),
            ("/home/ana/.claude/plans/", false),
            ("/home/ana/.claude/plans", false),
            ("/home/ana/my.claude/plans/a.md", false),
            ("/home/ana/.claude/plans-old/a.md", false),
            ("docs/plans/a.md", false),
            ("", false),
        ] {
            assert_eq!(is_plan_path(path), expected, "{path}");
        }
    }
}
