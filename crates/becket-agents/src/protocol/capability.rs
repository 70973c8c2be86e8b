//! Capabilities: what an agent lets a hook do at one event.
//!
//! They describe what happens, not how a reply spells it. A caveat in a variant is a full sentence that
//! Becket reports as lost whenever a decision uses the capability.

/// What a hook can do at one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EventCaps {
    pub(crate) deny: DenyCap,
    pub(crate) ask: AskCap,
    pub(crate) allow: AllowCap,
    pub(crate) halt: HaltCap,
    pub(crate) rewrite: RewriteCap,
    pub(crate) output: OutputCap,
    pub(crate) context: ContextCap,
    /// The longest context that the agent passes on whole here, if not the agent's usual one.
    pub(crate) context_limit: Option<TextLimit>,
    pub(crate) message: MessageCap,
    pub(crate) log: LogCap,
}

/// What a denial does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DenyCap {
    /// It prevents what the event announces.
    Prevents,
    /// It prevents it, but not everywhere; the caveat says where not.
    PreventsBut(&'static str),
    /// It prevents it by ending the turn; the caveat is reported unless the turn was to end.
    EndsTurn(&'static str),
    /// Becket does not know the event; a denial prevents it if it can be prevented.
    Perhaps,
    /// The agent is about to stop, and a denial makes it keep going.
    KeepsGoing,
    /// The same, but not surely; the caveat says why.
    KeepsGoingBut(&'static str),
    /// The agent stops whatever a hook says.
    Stops,
    /// It has happened; the model reads the reason instead of the result.
    ReplacesResult,
    /// It has happened; the clause says what a denial does instead.
    Notes(&'static str),
    /// The agent has denied it already.
    Done,
    /// Not possible; Becket informs the person and the model.
    Cannot,
}

/// What becomes of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskCap {
    /// The agent asks the person when a hook wants it.
    Native,
    /// The agent is about to ask, and silence lets it. The words, if any, say who else may answer.
    Dialog(&'static str),
    /// Not possible: a denial where that prevents, else Becket informs the person.
    Cannot,
}

/// What becomes of an approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AllowCap {
    /// The agent skips its own prompt, or repeats what it denied.
    Skips,
    /// The agent accepts an approval that has no effect; the caveat says so.
    Ignored(&'static str),
    /// The agent takes no approval; its own rules decide.
    Cannot,
    /// Nothing waits for an approval; silence lets it happen.
    Silence,
}

/// How the turn is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HaltCap {
    /// The agent ends the turn when a hook wants it.
    EndsTurn,
    /// The agent accepts it, but does less; the caveat says what.
    EndsTurnBut(&'static str),
    /// A denial ends the turn as well.
    WithDeny,
    /// The agent is about to stop, and silence lets it.
    Stops,
    /// The same; the caveat says what goes on.
    StopsBut(&'static str),
    /// Not possible beyond a denial.
    Cannot,
}

/// What becomes of a rewritten input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RewriteCap {
    /// It replaces the input.
    Replaces,
    /// It replaces the input, but only together with an approval.
    WithAllow,
    /// The agent lays it over the input: it can change and add keys, but not remove them.
    Merges,
    /// It is another prompt, under the key `prompt`.
    Prompt,
    /// Not possible: a denial where that prevents, else the rewrite is dropped.
    Cannot,
}

/// What becomes of a replaced tool output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OutputCap {
    /// The model sees it instead of the tool's output, which the payload has under this key. The agent ignores an
    /// output of another shape.
    InShapeOf(&'static str),
    /// Not possible.
    Cannot,
}

/// What becomes of text for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContextCap {
    /// It has a place of its own in every reply.
    Given,
    /// The same; the caveat applies unless the reply denies, ends the turn or keeps it going.
    GivenBut(&'static str),
    /// It has a place of its own; with a denial, a note or an instruction it is a part of that text.
    GivenOrInReason,
    /// It has a place of its own, but a denial or an ended turn takes none.
    GivenUnlessDenied,
    /// Only as a part of a denial, a note or an instruction, which the model reads.
    InReason,
    /// Not possible, except as a part of an instruction to keep going.
    Cannot,
}

/// What becomes of text for the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MessageCap {
    /// The agent shows it.
    Shown,
    /// The agent shows it, but takes none with a denial, a note or an instruction.
    ShownUnlessDenied,
    /// The agent shows it only with a denial; it accepts it with every reply.
    ShownIfDenied,
    /// The agent shows it only in a reply that says nothing else; it accepts it with every reply.
    ShownAlone,
    /// The agent accepts it and does not show it.
    Unseen,
    /// Not possible.
    Cannot,
}

/// Whether a hook can keep an event out of the agent's log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogCap {
    Suppresses,
    Cannot,
}

/// A length of text, as the agent counts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextLimit {
    pub(crate) max: usize,
    pub(crate) unit: TextUnit,
    pub(crate) excess: TextExcess,
}

/// What an agent counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextUnit {
    /// As Rust and Go do.
    Bytes,
    /// As JavaScript does.
    Utf16,
}

/// What becomes of text over a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextExcess {
    /// The agent does something to it: a verb, and how the sentence goes on after "context of more
    /// than ... characters".
    Agent(&'static str, &'static str),
    /// The agent would drop all of it, so Becket cuts the rest off.
    CutHere,
}

/// The limits of an agent's replies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ReplyLimits {
    /// A reason, a message or an instruction is shortened to this many characters.
    pub(crate) text: Option<usize>,
    /// Context is shortened to this many characters, which the agent does not pass on whole anyway.
    pub(crate) context_text: Option<usize>,
    /// The longest context that the agent passes on whole.
    pub(crate) context: Option<TextLimit>,
    /// How much of a rewritten input a denial repeats, in characters.
    pub(crate) rewrite_shown: usize,
    /// A larger or deeper rewrite does not reach the agent whole, so it is denied.
    pub(crate) rewrite: Option<RewriteLimit>,
}

/// The largest rewritten input that reaches an agent whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RewriteLimit {
    /// The size as JSON.
    pub(crate) bytes: usize,
    /// The levels of lists and objects in it.
    pub(crate) depth: usize,
}

impl ReplyLimits {
    /// No limit that matters.
    pub(crate) const NONE: Self = Self {
        text: None,
        context_text: None,
        context: None,
        rewrite_shown: 4_000,
        rewrite: None,
    };

    /// Short enough for an agent that cuts a reply off after 1 MiB: a reply that is cut off denies nothing.
    /// Codex reads 128 levels of JSON, and a reply adds some.
    pub(crate) const ONE_MEBIBYTE: Self = Self {
        text: Some(16_000),
        context_text: Some(100_000),
        rewrite: Some(RewriteLimit {
            bytes: 700_000,
            depth: 100,
        }),
        ..Self::NONE
    };
}

impl TextLimit {
    pub(crate) fn holds(&self, text: &str) -> bool {
        // A character never has fewer bytes than UTF-16 units.
        text.len() <= self.max
            || self.unit == TextUnit::Utf16 && text.encode_utf16().count() <= self.max
    }
}

impl DenyCap {
    /// Whether a denial can prevent what is still to come.
    pub(crate) const fn prevents(self) -> bool {
        matches!(
            self,
            Self::Prevents | Self::PreventsBut(_) | Self::EndsTurn(_) | Self::Perhaps
        )
    }

    /// Whether a denial makes the agent keep going.
    pub(crate) const fn keeps_going(self) -> bool {
        matches!(self, Self::KeepsGoing | Self::KeepsGoingBut(_))
    }
}

impl EventCaps {
    /// The agent does not read a reply.
    pub(crate) const UNREAD: Self = Self {
        deny: DenyCap::Cannot,
        ask: AskCap::Cannot,
        allow: AllowCap::Silence,
        halt: HaltCap::Cannot,
        rewrite: RewriteCap::Cannot,
        output: OutputCap::Cannot,
        context: ContextCap::Cannot,
        context_limit: None,
        message: MessageCap::Cannot,
        log: LogCap::Cannot,
    };

    pub(crate) const fn deny(self, deny: DenyCap) -> Self {
        Self { deny, ..self }
    }

    pub(crate) const fn ask(self, ask: AskCap) -> Self {
        Self { ask, ..self }
    }

    pub(crate) const fn allow(self, allow: AllowCap) -> Self {
        Self { allow, ..self }
    }

    pub(crate) const fn halt(self, halt: HaltCap) -> Self {
        Self { halt, ..self }
    }

    pub(crate) const fn rewrite(self, rewrite: RewriteCap) -> Self {
        Self { rewrite, ..self }
    }

    pub(crate) const fn output(self, output: OutputCap) -> Self {
        Self { output, ..self }
    }

    pub(crate) const fn context(self, context: ContextCap) -> Self {
        Self { context, ..self }
    }

    pub(crate) const fn context_limit(self, limit: TextLimit) -> Self {
        Self {
            context_limit: Some(limit),
            ..self
        }
    }

    pub(crate) const fn message(self, message: MessageCap) -> Self {
        Self { message, ..self }
    }

    pub(crate) const fn log(self, log: LogCap) -> Self {
        Self { log, ..self }
    }
}
