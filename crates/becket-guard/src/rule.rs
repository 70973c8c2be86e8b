//! What rules are and what they find.

use becket_model::Verdict;

use crate::command::Span;

/// How bad it would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth a look, usually fine: only `strict` asks.
    Notice,
    /// Doubtful: it may be meant, a person should see it. `standard` asks, `strict` denies.
    Doubtful,
    /// It cannot be undone, or a secret gets out. `standard` and `strict` deny, `permissive` asks.
    Severe,
    /// No preset lets it pass: the machine, the home directory, a disk, everything under version control.
    Catastrophic,
}

impl Severity {
    /// Its name in configuration.
    pub fn word(self) -> &'static str {
        match self {
            Self::Notice => "notice",
            Self::Doubtful => "doubtful",
            Self::Severe => "severe",
            Self::Catastrophic => "catastrophic",
        }
    }
}

/// A group of rules that can be switched off together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pack {
    /// Its name in configuration: `core`, `git`, `databases`, `kubernetes` …
    pub name: &'static str,
    /// What it looks after.
    pub about: &'static str,
}

/// One thing that the guard knows to be dangerous.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its id: `git.push-force`. The part before the dot is its pack.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What it would do, one sentence in lower case without a full stop.
    pub explanation: &'static str,
    /// What to do instead.
    pub safer: &'static str,
}

impl Rule {
    /// The pack it belongs to.
    pub fn pack(&self) -> &'static str {
        self.id.split_once('.').map_or("core", |(pack, _)| pack)
    }
}

/// A rule that a command or a path met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Which.
    pub rule: &'static Rule,
    /// What it met, for a person: `rm -rf ~`, `.env`.
    pub subject: String,
    /// Where.
    pub span: Span,
}

/// How strict the guard is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Preset {
    /// Only what no one wants.
    Permissive,
    /// Denies what is irreversible or leaks secrets, asks for the doubtful.
    #[default]
    Standard,
    /// Denies the doubtful too, and asks about what is merely worth a look.
    Strict,
}

impl Preset {
    /// All of them, the mildest first.
    pub const ALL: [Self; 3] = [Self::Permissive, Self::Standard, Self::Strict];

    /// Its name in configuration.
    pub fn word(self) -> &'static str {
        match self {
            Self::Permissive => "permissive",
            Self::Standard => "standard",
            Self::Strict => "strict",
        }
    }

    /// What this preset says to a finding of that severity.
    pub fn verdict(self, severity: Severity) -> Verdict {
        match (self, severity) {
            (_, Severity::Catastrophic)
            | (Self::Standard | Self::Strict, Severity::Severe)
            | (Self::Strict, Severity::Doubtful) => Verdict::Deny,
            (Self::Permissive, Severity::Severe)
            | (Self::Standard, Severity::Doubtful)
            | (Self::Strict, Severity::Notice) => Verdict::Ask,
            (Self::Permissive, Severity::Doubtful)
            | (Self::Permissive | Self::Standard, Severity::Notice) => Verdict::NoOpinion,
        }
    }
}
