//! What a hook may do at an event: the shape of an agent's capability table.
//!
//! Data only. A row says how the agent takes each part of a decision at one event, as observed or
//! read in its source where that differs from its documentation.

use becket_model::EventKind;

/// One event of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KinEventRow {
    /// The agent's name for it, which a reply has to repeat exactly.
    pub(crate) name: &'static str,
    /// Its canonical name, where that is another one.
    pub(crate) kind: &'static str,
    /// The key of the payload that matchers are tested against.
    pub(crate) subject: Option<&'static str>,
    pub(crate) allow: KinAllow,
    pub(crate) ask: KinAsk,
    pub(crate) deny: KinDeny,
    pub(crate) halt: KinHalt,
    pub(crate) rewrite: KinRewrite,
    pub(crate) context: KinContext,
    pub(crate) message: KinMessage,
}

/// How consent is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KinAllow {
    /// In the same place as a refusal.
    Said,
    /// Silence lets it happen.
    Silent,
    /// It would do nothing or worse; the sentence says why it is not said.
    Lost(&'static str),
}

/// How a question is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KinAsk {
    /// The agent asks when told to.
    Native,
    /// The agent is about to ask; silence lets it. The words say who else may answer.
    Dialog(&'static str),
    /// It cannot be asked, but it can be refused.
    Deny,
    /// Neither ask nor refusal is possible; Becket informs the user.
    Tell,
}

/// How a refusal is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KinDeny {
    /// `hookSpecificOutput.permissionDecision`.
    Permission,
    /// The same, and also `decision: block`.
    PermissionAndBlock,
    /// `hookSpecificOutput.decision.behavior`.
    Behavior,
    /// `decision: block` prevents it.
    Block,
    /// `decision: block` makes the agent go on.
    KeepGoing,
    /// `continue: false` prevents it; the words say what else that does or does not do.
    Stop(&'static str),
    /// Exit code 2, the reason on stderr.
    Exit2,
    /// It has happened; the model gets the reason.
    After(Note),
    /// It is refused already.
    Moot,
    /// Not possible; Becket informs the user, and the model if it can be reached.
    Tell,
}

/// How the model gets a reason after the fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Note {
    /// `decision: block`, instead of the result.
    Block,
    /// `continue: false`, instead of the result; the turn goes on.
    Stop,
    /// Exit code 2 and stderr, in addition to the result.
    Exit2,
}

/// How the turn is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KinHalt {
    /// `continue: false`.
    Stop,
    /// `continue: false` and a refusal.
    StopAndDeny,
    /// The refusal ends the turn as well.
    Deny,
    /// Silence ends the turn; anything else would make it go on.
    Silence,
    /// There is no way beyond the refusal.
    Cannot,
}

/// How another input is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KinRewrite {
    /// There is no way.
    No,
    /// `updatedInput` with `permissionDecision: allow`, which approves nothing by itself. For the
    /// tools that are named, the key next to them is all that the agent takes.
    AllowWord(&'static [(&'static str, &'static str)]),
    /// `updatedInput` in an approval, as the whole input.
    WithAllow,
    /// `updatedInput`, laid over the input key by key.
    Merged,
    /// `updatedInput.prompt`.
    Prompt,
}

/// What becomes of text for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KinContext {
    /// `hookSpecificOutput.additionalContext`.
    Given,
    /// The same, but with a refusal it is dropped, so it goes with the reason.
    GivenUnlessRefused,
    /// The same within limits.
    Capped(Cap),
    /// There is no way.
    Cannot,
}

/// How much context an agent takes as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Cap {
    pub(crate) limit: usize,
    pub(crate) unit: Unit,
    /// What becomes of more, as the end of a sentence.
    pub(crate) fate: &'static str,
}

/// How an agent counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// As Rust does.
    Bytes,
    /// As JavaScript does.
    Utf16,
}

impl Cap {
    pub(crate) fn holds(self, text: &str) -> bool {
        // A character has never fewer bytes than UTF-16 units.
        text.len() <= self.limit
            || self.unit == Unit::Utf16 && text.encode_utf16().count() <= self.limit
    }
}

/// What becomes of text for the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KinMessage {
    /// `systemMessage`.
    Shown,
    /// The same; accepted, but only logged.
    Unseen,
    /// There is no way: the reply is not read.
    Cannot,
}

/// A row, column by column.
#[expect(
    clippy::too_many_arguments,
    reason = "the columns of a table, each of its own type"
)]
pub(crate) const fn row(
    name: &'static str,
    subject: Option<&'static str>,
    allow: KinAllow,
    ask: KinAsk,
    deny: KinDeny,
    halt: KinHalt,
    rewrite: KinRewrite,
    context: KinContext,
    message: KinMessage,
) -> KinEventRow {
    KinEventRow {
        name,
        kind: name,
        subject,
        allow,
        ask,
        deny,
        halt,
        rewrite,
        context,
        message,
    }
}

impl KinEventRow {
    /// An event that can only be observed, whose reply is not read.
    pub(crate) const fn unread(name: &'static str) -> Self {
        Self {
            name,
            kind: name,
            subject: None,
            allow: KinAllow::Silent,
            ask: KinAsk::Tell,
            deny: KinDeny::Tell,
            halt: KinHalt::Cannot,
            rewrite: KinRewrite::No,
            context: KinContext::Cannot,
            message: KinMessage::Cannot,
        }
    }

    /// What a later version may add. Of an event that is not known, only what is common to all is:
    /// exit code 2 blocks it if it can be blocked.
    pub(crate) const UNKNOWN: Self = Self {
        ask: KinAsk::Deny,
        deny: KinDeny::Exit2,
        message: KinMessage::Unseen,
        ..Self::unread("")
    };

    /// Whether what a hook wanted to change is still to come.
    pub(crate) fn precedes(&self) -> bool {
        matches!(
            self.name,
            "PreToolUse" | "PermissionRequest" | "UserPromptSubmit" | "UserPromptExpansion"
        )
    }
}

/// The event of that name, in any spelling: `PreToolUse`, `pre-tool-use`, `pre_tool`.
pub(crate) fn find(rows: &'static [KinEventRow], name: &str) -> Option<&'static KinEventRow> {
    let exact = |name: &str| rows.iter().find(|row| row.name == name);
    let kind = EventKind::parse(name);
    exact(name)
        .or_else(|| exact(kind.name()))
        .or_else(|| rows.iter().find(|row| row.kind == kind.name()))
        .or_else(|| rows.iter().find(|row| same(row.name, name)))
}

/// Whether two names differ in case and separators only.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let letters = |name: &str| -> Vec<u8> {
        name.bytes()
            .filter(|b| !matches!(b, b'-' | b'_' | b':' | b'.' | b' '))
            .map(|b| b.to_ascii_lowercase())
            .collect()
    };
    letters(a) == letters(b)
}
