//! Parses hook output tolerantly: one parser for the field names of every dialect.
//!
//! It knows words and types. [`interpret`](super::interpret()) decides what a reply means for an event, and
//! whether the dialect accepts plain text as context.

use becket_model::Verdict;
use serde_json::Value;

use super::json::{ReplyEntries, ReplyNode};

/// The form of stdout.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OutputForm {
    /// Empty or white space.
    #[default]
    Empty,
    /// Plain text, trimmed.
    Text(String),
    /// It starts like a JSON object but is not valid.
    Broken,
    /// A JSON object; the other fields of [`HookReply`] come from it.
    Object,
}

/// A parsed hook reply.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HookReply {
    /// The form of stdout.
    pub form: OutputForm,
    /// The strictest verdict of all fields that give one.
    pub verdict: Verdict,
    /// The reason for that verdict.
    pub reason: Option<String>,
    /// `message`, which some dialects inject as context when the call is not blocked.
    pub message: Option<String>,
    /// The new tool input, not validated.
    pub updated_input: Option<Value>,
    /// Text for the model.
    pub context: Option<String>,
    /// Text for the user.
    pub system_message: Option<String>,
    /// Do not log this event.
    pub suppress_logging: bool,
    /// The instruction to continue with instead of stopping (`followup_message`).
    pub followup: Option<String>,
    /// Every key with a value, in order; nested keys as `hookSpecificOutput.updatedInput`.
    pub keys: Vec<String>,
    /// The event that `hookSpecificOutput` names.
    pub event_name: Option<String>,
    /// Unknown words and wrong types, each with its key. Valid fields are still read.
    pub problems: Vec<String>,
}

/// Parses stdout: all of it if it is one JSON object, else the last line that is one, else a multi-line
/// object at the end, else plain text.
pub fn parse_reply(stdout: &str) -> HookReply {
    let text = stdout.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return HookReply::default();
    }
    if let Some(entries) = find_object(text) {
        return ReplyParser::default().read(entries);
    }
    let form = if text.starts_with('{') {
        OutputForm::Broken
    } else {
        OutputForm::Text(text.to_owned())
    };
    HookReply {
        form,
        ..HookReply::default()
    }
}

/// How many positions are tried as the start of a trailing object, which bounds the work for hostile output.
const MAX_STARTS: usize = 16;

fn find_object(text: &str) -> Option<ReplyEntries> {
    let looks = |part: &str| part.starts_with('{') && part.ends_with('}');
    if looks(text)
        && let Some(entries) = ReplyNode::object(text)
    {
        return Some(entries);
    }
    let lines = text.lines().rev().map(str::trim);
    if let Some(entries) = lines.filter(|line| looks(line)).find_map(ReplyNode::object) {
        return Some(entries);
    }
    if !text.ends_with('}') {
        return None;
    }
    let starts = text.rmatch_indices("\n{").map(|(at, _)| &text[at + 1..]);
    starts.take(MAX_STARTS).find_map(ReplyNode::object)
}

/// The field that gave a verdict. It determines which text explains the verdict.
#[derive(Clone, Copy)]
enum VerdictSource {
    Decision,
    Permission,
    Behavior,
    Continue,
    ContinueExecution,
}

impl VerdictSource {
    /// The texts that explain the verdict, best first.
    fn explained_by(self) -> [ReplyText; 7] {
        use ReplyText::{Agent, BehaviorMessage, Message, PermissionReason, Reason, Stop, User};
        match self {
            Self::Decision => [
                Reason,
                Message,
                PermissionReason,
                Stop,
                BehaviorMessage,
                Agent,
                User,
            ],
            Self::Permission => [
                PermissionReason,
                Reason,
                Message,
                Stop,
                BehaviorMessage,
                Agent,
                User,
            ],
            Self::Behavior => [
                BehaviorMessage,
                Reason,
                Message,
                PermissionReason,
                Stop,
                Agent,
                User,
            ],
            Self::Continue | Self::ContinueExecution => [
                Stop,
                Reason,
                Message,
                PermissionReason,
                BehaviorMessage,
                User,
                Agent,
            ],
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum ReplyText {
    Reason,
    Message,
    PermissionReason,
    Stop,
    BehaviorMessage,
    /// Cursor has two texts: `Agent` is for the model, `User` for the user.
    Agent,
    User,
}

#[derive(Default)]
struct ReplyParser {
    reply: HookReply,
    claims: Vec<(Verdict, VerdictSource)>,
    texts: Vec<(ReplyText, String)>,
    contexts: Vec<String>,
    rewrites: [Option<Value>; 3],
    /// The text of `continue` and `warn` goes to the model.
    speaks_to_model: bool,
    /// If this is set, a denied permission also ends the turn.
    interrupt: bool,
}

impl ReplyParser {
    fn read(mut self, entries: ReplyEntries) -> HookReply {
        for (key, node) in entries {
            if !node.is_null() {
                self.note(&key);
                self.top(&key, node);
            }
        }
        let denied = |(verdict, origin): &(Verdict, VerdictSource)| {
            verdict.blocks() && matches!(origin, VerdictSource::Behavior)
        };
        if self.interrupt && self.claims.iter().any(denied) {
            self.claims.push((Verdict::Halt, VerdictSource::Behavior));
        }
        self.finish()
    }

    fn note(&mut self, key: &str) {
        // No dialect has a reply with that many keys.
        if self.reply.keys.len() < 64 {
            self.reply.keys.push(key.to_owned());
        }
    }

    fn finish(mut self) -> HookReply {
        // Of several equally strict claims, the first one's text is used.
        let winner = self.claims.iter().rev().max_by_key(|(verdict, _)| *verdict);
        let (verdict, origin) = winner
            .copied()
            .unwrap_or((Verdict::NoOpinion, VerdictSource::Decision));
        self.reply.form = OutputForm::Object;
        self.reply.verdict = verdict;
        self.reply.message = self.text(ReplyText::Message);
        self.reply.reason = origin
            .explained_by()
            .into_iter()
            .find_map(|text| self.text(text));
        if self.speaks_to_model && !verdict.blocks() {
            let outcome = self
                .reply
                .message
                .clone()
                .or_else(|| self.text(ReplyText::Reason));
            self.contexts.extend(outcome);
        }
        if self.reply.system_message.is_none() {
            // The text for the user, if it differs from the text for the model.
            let user = self.text(ReplyText::User);
            self.reply.system_message =
                user.filter(|user| !verdict.blocks() || self.reply.reason.as_ref() != Some(user));
        }
        self.contexts.dedup();
        self.reply.context = (!self.contexts.is_empty()).then(|| self.contexts.join("\n"));
        let [top, specific, behavior] = self.rewrites;
        self.reply.updated_input = behavior.or(specific).or(top);
        self.reply
    }

    fn text(&self, wanted: ReplyText) -> Option<String> {
        let found = self.texts.iter().find(|(text, _)| *text == wanted);
        found.map(|(_, words)| words.clone())
    }

    fn top(&mut self, key: &str, node: ReplyNode) {
        match (key, node) {
            ("decision", ReplyNode::Object(entries)) => self.behavior(entries),
            ("decision" | "action" | "permission", node) => {
                self.word(key, &node, VerdictSource::Decision);
            }
            ("behavior", node) => self.word(key, &node, VerdictSource::Behavior),
            ("interrupt", node) => self.interrupt |= self.flag(key, &node) == Some(true),
            ("followup_message", node) => {
                if let Some(words) = self.words(key, &node) {
                    self.reply.followup = Some(words);
                }
            }
            ("continue", node) => {
                if self.flag(key, &node) == Some(false) {
                    self.claims.push((Verdict::Halt, VerdictSource::Continue));
                }
            }
            ("continue_execution" | "continueExecution", node) => {
                if self.flag(key, &node) == Some(false) {
                    self.claims
                        .push((Verdict::Deny, VerdictSource::ContinueExecution));
                }
            }
            ("hookSpecificOutput" | "hook_specific_output", ReplyNode::Object(entries)) => {
                for (key, node) in entries {
                    if !node.is_null() {
                        self.note(&format!("hookSpecificOutput.{key}"));
                        self.specific(&key, node);
                    }
                }
            }
            ("hookSpecificOutput" | "hook_specific_output", _) => self.wrong(key, "an object"),
            (
                "suppressOutput" | "suppress_output" | "suppressLogging" | "suppress_logging",
                node,
            ) => {
                self.reply.suppress_logging |= self.flag(key, &node) == Some(true);
            }
            ("systemMessage" | "system_message", node) => {
                if let Some(words) = self.words(key, &node) {
                    self.reply.system_message = Some(words);
                }
            }
            (_, node) => self.shared(key, node, 0),
        }
    }

    fn specific(&mut self, key: &str, node: ReplyNode) {
        match (key, node) {
            ("decision", ReplyNode::Object(entries)) => self.behavior(entries),
            ("decision", node) => self.word(key, &node, VerdictSource::Decision),
            // Gemini's name for it.
            ("tool_input", node) => self.rewrites[1] = Some(node.into_value()),
            ("hookEventName", node) => self.reply.event_name = self.words(key, &node),
            (_, node) => self.shared(key, node, 1),
        }
    }

    /// Fields that mean the same at the top level and under `hookSpecificOutput`.
    fn shared(&mut self, key: &str, node: ReplyNode, rank: usize) {
        let text = match key {
            "permissionDecision" | "permission_decision" => {
                return self.word(key, &node, VerdictSource::Permission);
            }
            "updatedInput" | "updated_input" | "modifiedInput" | "modified_input"
            | "modifiedArgs" => {
                self.rewrites[rank] = Some(node.into_value());
                return;
            }
            "additionalContext" | "additional_context" => {
                let words = self.words(key, &node);
                self.contexts.extend(words);
                return;
            }
            "reason" => ReplyText::Reason,
            "message" => ReplyText::Message,
            "permissionDecisionReason" | "permission_decision_reason" => {
                ReplyText::PermissionReason
            }
            "stopReason" | "stop_reason" => ReplyText::Stop,
            "agent_message" => ReplyText::Agent,
            "user_message" => ReplyText::User,
            _ => return,
        };
        let words = self.words(key, &node);
        self.texts.extend(words.map(|words| (text, words)));
    }

    /// `{"behavior": "allow" | "deny", "message", "updatedInput", "interrupt"}`
    fn behavior(&mut self, entries: ReplyEntries) {
        let before = self.claims.len();
        let mut interrupt = false;
        for (key, node) in entries {
            match key.as_str() {
                _ if node.is_null() => {}
                "behavior" => self.word(&key, &node, VerdictSource::Behavior),
                "interrupt" => interrupt |= self.flag(&key, &node) == Some(true),
                "updatedInput" | "updated_input" => self.rewrites[2] = Some(node.into_value()),
                "message" | "reason" => {
                    let words = self.words(&key, &node);
                    self.texts
                        .extend(words.map(|words| (ReplyText::BehaviorMessage, words)));
                }
                _ => {}
            }
        }
        let denied = self.claims[before..].iter().any(|(v, _)| v.blocks());
        if interrupt && denied {
            self.claims.push((Verdict::Halt, VerdictSource::Behavior));
        }
    }

    fn word(&mut self, key: &str, node: &ReplyNode, origin: VerdictSource) {
        let ReplyNode::Leaf(Value::String(word)) = node else {
            return self.wrong(key, "a word");
        };
        let verdict = match word.trim().to_ascii_lowercase().as_str() {
            "allow" | "approve" => Verdict::Allow,
            // Claude's `defer` postpones the call to a later session; here the user decides now.
            "ask" | "defer" => Verdict::Ask,
            "deny" | "block" => Verdict::Deny,
            "halt" | "stop" => Verdict::Halt,
            "observe" | "none" => Verdict::NoOpinion,
            "continue" => {
                self.speaks_to_model = true;
                Verdict::NoOpinion
            }
            "warn" => {
                self.speaks_to_model = true;
                Verdict::Allow
            }
            "error" => {
                return self.problem(format!("`{key}` reports an error of the hook itself"));
            }
            _ => return self.problem(format!("`{key}` has the unknown value {}", quoted(word))),
        };
        self.claims.push((verdict, origin));
    }

    fn flag(&mut self, key: &str, node: &ReplyNode) -> Option<bool> {
        if let ReplyNode::Leaf(Value::Bool(flag)) = node {
            return Some(*flag);
        }
        self.wrong(key, "true or false");
        None
    }

    fn words(&mut self, key: &str, node: &ReplyNode) -> Option<String> {
        match node {
            ReplyNode::Leaf(Value::String(words)) if words.trim().is_empty() => None,
            ReplyNode::Leaf(Value::String(words)) => Some(words.clone()),
            _ => {
                self.wrong(key, "text");
                None
            }
        }
    }

    fn wrong(&mut self, key: &str, expected: &str) {
        self.problem(format!("`{key}` is not {expected}"));
    }

    fn problem(&mut self, problem: String) {
        // A hostile reply could repeat a key a million times.
        if self.reply.problems.len() < 8 {
            self.reply.problems.push(problem);
        }
    }
}

fn quoted(word: &str) -> String {
    let short: String = word.chars().take(40).collect();
    format!("{short:?}")
}
