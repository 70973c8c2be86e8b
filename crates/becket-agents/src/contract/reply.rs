//! What hooks print, read tolerantly: one parser for the field names of every dialect.
//!
//! It knows words and types. What a reply means for an event, and whether its dialect takes plain text
//! for context, is [`interpret`](super::interpret())'s business.

use becket_model::Verdict;
use serde_json::Value;

use super::json::{Entries, Node};

/// What stdout was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Form {
    /// Nothing but white space.
    #[default]
    Empty,
    /// Words, trimmed.
    Text(String),
    /// It starts like a JSON object and is none.
    Broken,
    /// A JSON object; the other fields of [`Reply`] come from it.
    Object,
}

/// What a hook printed, by meaning.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Reply {
    /// What stdout was.
    pub form: Form,
    /// The strictest verdict of all fields that give one.
    pub verdict: Verdict,
    /// The reason that belongs to that verdict.
    pub reason: Option<String>,
    /// `message`, which some dialects show to the model when nothing is blocked.
    pub message: Option<String>,
    /// The tool input to use instead, unchecked.
    pub updated_input: Option<Value>,
    /// Text for the model.
    pub context: Option<String>,
    /// Text for the person.
    pub system_message: Option<String>,
    /// Leave this event out of the log.
    pub suppress_logging: bool,
    /// What the agent should go on with instead of stopping (`followup_message`).
    pub followup: Option<String>,
    /// Every key that says something, in order; those inside as `hookSpecificOutput.updatedInput`.
    pub keys: Vec<String>,
    /// The event that `hookSpecificOutput` says it is about.
    pub event_name: Option<String>,
    /// Unknown words and wrong types, each naming its key. Fields that are right are still read.
    pub problems: Vec<String>,
}

/// Reads stdout: the whole of it if it is one JSON object, else the last line that is one, else an
/// object over several lines at the end, else plain text.
pub fn parse_reply(stdout: &str) -> Reply {
    let text = stdout.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Reply::default();
    }
    if let Some(entries) = find_object(text) {
        return Reader::default().read(entries);
    }
    let form = if text.starts_with('{') {
        Form::Broken
    } else {
        Form::Text(text.to_owned())
    };
    Reply {
        form,
        ..Reply::default()
    }
}

/// How many places are tried as the start of a trailing object, so that hostile output stays cheap.
const MAX_STARTS: usize = 16;

fn find_object(text: &str) -> Option<Entries> {
    let looks = |part: &str| part.starts_with('{') && part.ends_with('}');
    if looks(text)
        && let Some(entries) = Node::object(text)
    {
        return Some(entries);
    }
    let lines = text.lines().rev().map(str::trim);
    if let Some(entries) = lines.filter(|line| looks(line)).find_map(Node::object) {
        return Some(entries);
    }
    if !text.ends_with('}') {
        return None;
    }
    let starts = text.rmatch_indices("\n{").map(|(at, _)| &text[at + 1..]);
    starts.take(MAX_STARTS).find_map(Node::object)
}

/// Which field gave a verdict, hence which text explains it.
#[derive(Clone, Copy)]
enum Origin {
    Decision,
    Permission,
    Behavior,
    Continue,
    ContinueExecution,
}

impl Origin {
    /// The texts that explain it, best first.
    fn explained_by(self) -> [Text; 7] {
        use Text::{Agent, BehaviorMessage, Message, PermissionReason, Reason, Stop, User};
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
enum Text {
    Reason,
    Message,
    PermissionReason,
    Stop,
    BehaviorMessage,
    /// Cursor's two: for the model, and for the person.
    Agent,
    User,
}

#[derive(Default)]
struct Reader {
    reply: Reply,
    claims: Vec<(Verdict, Origin)>,
    texts: Vec<(Text, String)>,
    contexts: Vec<String>,
    rewrites: [Option<Value>; 3],
    /// `continue` and `warn` have their text shown to the model.
    speaks_to_model: bool,
    /// A denial of permission beside which this stands ends the turn.
    interrupt: bool,
}

impl Reader {
    fn read(mut self, entries: Entries) -> Reply {
        for (key, node) in entries {
            if !node.is_null() {
                self.note(&key);
                self.top(&key, node);
            }
        }
        let denied = |(verdict, origin): &(Verdict, Origin)| {
            verdict.blocks() && matches!(origin, Origin::Behavior)
        };
        if self.interrupt && self.claims.iter().any(denied) {
            self.claims.push((Verdict::Halt, Origin::Behavior));
        }
        self.finish()
    }

    fn note(&mut self, key: &str) {
        // As many as the longest answer of any dialect has, and some.
        if self.reply.keys.len() < 64 {
            self.reply.keys.push(key.to_owned());
        }
    }

    fn finish(mut self) -> Reply {
        // The first of equally strict claims explains itself.
        let winner = self.claims.iter().rev().max_by_key(|(verdict, _)| *verdict);
        let (verdict, origin) = winner
            .copied()
            .unwrap_or((Verdict::NoOpinion, Origin::Decision));
        self.reply.form = Form::Object;
        self.reply.verdict = verdict;
        self.reply.message = self.text(Text::Message);
        self.reply.reason = origin
            .explained_by()
            .into_iter()
            .find_map(|text| self.text(text));
        if self.speaks_to_model && !verdict.blocks() {
            let said = self
                .reply
                .message
                .clone()
                .or_else(|| self.text(Text::Reason));
            self.contexts.extend(said);
        }
        if self.reply.system_message.is_none() {
            // What is said to the person beside what is said to the model.
            let user = self.text(Text::User);
            self.reply.system_message =
                user.filter(|user| !verdict.blocks() || self.reply.reason.as_ref() != Some(user));
        }
        self.contexts.dedup();
        self.reply.context = (!self.contexts.is_empty()).then(|| self.contexts.join("\n"));
        let [top, specific, behavior] = self.rewrites;
        self.reply.updated_input = behavior.or(specific).or(top);
        self.reply
    }

    fn text(&self, wanted: Text) -> Option<String> {
        let found = self.texts.iter().find(|(text, _)| *text == wanted);
        found.map(|(_, words)| words.clone())
    }

    fn top(&mut self, key: &str, node: Node) {
        match (key, node) {
            ("decision", Node::Object(entries)) => self.behavior(entries),
            ("decision" | "action" | "permission", node) => {
                self.word(key, &node, Origin::Decision);
            }
            ("behavior", node) => self.word(key, &node, Origin::Behavior),
            ("interrupt", node) => self.interrupt |= self.flag(key, &node) == Some(true),
            ("followup_message", node) => {
                if let Some(words) = self.words(key, &node) {
                    self.reply.followup = Some(words);
                }
            }
            ("continue", node) => {
                if self.flag(key, &node) == Some(false) {
                    self.claims.push((Verdict::Halt, Origin::Continue));
                }
            }
            ("continue_execution" | "continueExecution", node) => {
                if self.flag(key, &node) == Some(false) {
                    self.claims.push((Verdict::Deny, Origin::ContinueExecution));
                }
            }
            ("hookSpecificOutput" | "hook_specific_output", Node::Object(entries)) => {
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

    fn specific(&mut self, key: &str, node: Node) {
        match (key, node) {
            ("decision", Node::Object(entries)) => self.behavior(entries),
            ("decision", node) => self.word(key, &node, Origin::Decision),
            // Gemini's word for it.
            ("tool_input", node) => self.rewrites[1] = Some(node.into_value()),
            ("hookEventName", node) => self.reply.event_name = self.words(key, &node),
            (_, node) => self.shared(key, node, 1),
        }
    }

    /// Fields that mean the same at the top and under `hookSpecificOutput`.
    fn shared(&mut self, key: &str, node: Node, rank: usize) {
        let text = match key {
            "permissionDecision" | "permission_decision" => {
                return self.word(key, &node, Origin::Permission);
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
            "reason" => Text::Reason,
            "message" => Text::Message,
            "permissionDecisionReason" | "permission_decision_reason" => Text::PermissionReason,
            "stopReason" | "stop_reason" => Text::Stop,
            "agent_message" => Text::Agent,
            "user_message" => Text::User,
            _ => return,
        };
        let words = self.words(key, &node);
        self.texts.extend(words.map(|words| (text, words)));
    }

    /// `{"behavior": "allow" | "deny", "message", "updatedInput", "interrupt"}`
    fn behavior(&mut self, entries: Entries) {
        let before = self.claims.len();
        let mut interrupt = false;
        for (key, node) in entries {
            match key.as_str() {
                _ if node.is_null() => {}
                "behavior" => self.word(&key, &node, Origin::Behavior),
                "interrupt" => interrupt |= self.flag(&key, &node) == Some(true),
                "updatedInput" | "updated_input" => self.rewrites[2] = Some(node.into_value()),
                "message" | "reason" => {
                    let words = self.words(&key, &node);
                    self.texts
                        .extend(words.map(|words| (Text::BehaviorMessage, words)));
                }
                _ => {}
            }
        }
        let denied = self.claims[before..].iter().any(|(v, _)| v.blocks());
        if interrupt && denied {
            self.claims.push((Verdict::Halt, Origin::Behavior));
        }
    }

    fn word(&mut self, key: &str, node: &Node, origin: Origin) {
        let Node::Leaf(Value::String(word)) = node else {
            return self.wrong(key, "a word");
        };
        let verdict = match word.trim().to_ascii_lowercase().as_str() {
            "allow" | "approve" => Verdict::Allow,
            // Claude's `defer` leaves the call to a later session; here a person decides now.
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

    fn flag(&mut self, key: &str, node: &Node) -> Option<bool> {
        if let Node::Leaf(Value::Bool(flag)) = node {
            return Some(*flag);
        }
        self.wrong(key, "true or false");
        None
    }

    fn words(&mut self, key: &str, node: &Node) -> Option<String> {
        match node {
            Node::Leaf(Value::String(words)) if words.trim().is_empty() => None,
            Node::Leaf(Value::String(words)) => Some(words.clone()),
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
