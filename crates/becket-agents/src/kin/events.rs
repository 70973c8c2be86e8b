//! What a hook may do at an event: the shape of an agent's capability table.
//!
//! Data only. A row says how the agent takes each part of a decision at one event, as observed or
//! read in its source where that differs from its documentation.

use becket_model::EventKind;

/// One event of an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Row {
    /// The agent's name for it, which a reply has to repeat exactly.
    pub(crate) name: &'static str,
    /// Its canonical name, where that is another one.
    pub(crate) kind: &'static str,
    /// The key of the payload that matchers are tested against.
    pub(crate) subject: Option<&'static str>,
    pub(crate) allow: Allow,
    pub(crate) ask: Ask,
    pub(crate) deny: Deny,
    pub(crate) halt: Halt,
    pub(crate) rewrite: Rewrite,
    pub(crate) context: Context,
    pub(crate) message: Message,
}

/// How consent is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Allow {
    /// In the same place as a refusal.
    Said,
    /// Silence lets it happen.
    Silent,
    /// It would do nothing or worse; the sentence says why it is not said.
    Lost(&'static str),
}

/// How a question is put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// The agent asks when told to.
    Native,
    /// The agent is about to ask; silence lets it. The words say who may answer beside the person.
    Dialog(&'static str),
    /// It cannot be asked, but it can be refused.
    Deny,
    /// It can be neither asked nor refused; the person is told.
    Tell,
}

/// How a refusal is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deny {
    /// `hookSpecificOutput.permissionDecision`.
    Permission,
    /// The same, and `decision: block` beside it.
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
    /// There is no way; the person, and the model where it can be reached, are told.
    Tell,
}

/// How the model gets a reason after the fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Note {
    /// `decision: block`, instead of the result.
    Block,
    /// `continue: false`, instead of the result; the turn goes on.
    Stop,
    /// Exit code 2 and stderr, beside the result.
    Exit2,
}

/// How the turn is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
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
pub(crate) enum Rewrite {
    /// There is no way.
    No,
    /// `updatedInput` beside `permissionDecision: allow`, which approves nothing by itself. For the
    /// tools that are named, the key beside them is all that the agent takes.
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
pub(crate) enum Context {
    /// `hookSpecificOutput.additionalContext`.
    Given,
    /// The same, but beside a refusal it is dropped, so it goes with the reason.
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
pub(crate) enum Message {
    /// `systemMessage`.
    Shown,
    /// The same; accepted, but shown to nobody outside a log.
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
    allow: Allow,
    ask: Ask,
    deny: Deny,
    halt: Halt,
    rewrite: Rewrite,
    context: Context,
    message: Message,
) -> Row {
    Row {
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

impl Row {
    /// An event that can only be observed, whose reply is not read.
    pub(crate) const fn unread(name: &'static str) -> Self {
        Self {
            name,
            kind: name,
            subject: None,
            allow: Allow::Silent,
            ask: Ask::Tell,
            deny: Deny::Tell,
            halt: Halt::Cannot,
            rewrite: Rewrite::No,
            context: Context::Cannot,
            message: Message::Cannot,
        }
    }

    /// What a later version may add. Of an event that is not known, only what is common to all is:
    /// exit code 2 blocks it if it can be blocked.
    pub(crate) const UNKNOWN: Self = Self {
        ask: Ask::Deny,
        deny: Deny::Exit2,
        message: Message::Unseen,
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
pub(crate) fn find(rows: &'static [Row], name: &str) -> Option<&'static Row> {
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
