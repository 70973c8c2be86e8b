//! Rules, packs, severities and findings.

use becket_model::Verdict;

use crate::command::Span;

/// How severe a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth a look, usually harmless. Only `strict` asks.
    Notice,
    /// Possibly unintended; a person should confirm it. `standard` asks, `strict` denies.
    Doubtful,
    /// Irreversible, or leaks a secret. `standard` and `strict` deny, `permissive` asks.
    Severe,
    /// Destroys the machine, the home directory, a disk or a repository. Every preset denies it.
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
    /// What the pack covers.
    pub about: &'static str,
}

/// A dangerous action that the guard recognizes.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// The id: `git.push-force`. The part before the dot is the pack.
    pub id: &'static str,
    /// The default severity.
    pub severity: Severity,
    /// The effect, as a lower-case clause without a full stop.
    pub explanation: &'static str,
    /// The suggested alternative.
    pub safer: &'static str,
}

impl Rule {
    /// The pack that contains the rule.
    pub fn pack(&self) -> &'static str {
        self.id.split_once('.').map_or("core", |(pack, _)| pack)
    }
}

/// A match of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub rule: &'static Rule,
    /// The matched text, for people: `rm -rf ~`, `.env`.
    pub subject: String,
    /// Position in the judged text.
    pub span: Span,
}

/// How strict the guard is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Preset {
    /// Denies catastrophic actions, asks about severe ones, and ignores the rest.
    Permissive,
    /// Denies irreversible actions and leaks of secrets, asks about doubtful ones.
    #[default]
    Standard,
    /// Also denies doubtful actions, and asks about those that are merely worth a look.
    Strict,
}

impl Preset {
    /// All presets, mildest first.
    pub const ALL: [Self; 3] = [Self::Permissive, Self::Standard, Self::Strict];

    /// Its name in configuration.
    pub fn word(self) -> &'static str {
        match self {
            Self::Permissive => "permissive",
            Self::Standard => "standard",
            Self::Strict => "strict",
        }
    }

    /// The verdict of this preset on a finding of the given severity.
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
