//! Every key that configuration files may have. The reader's "unknown key" and the published schema
//! are both made from these tables, so neither can know a key that the other does not.

use becket_model::Dialect;

/// A key of Becket's own files.
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    /// The types of hook it belongs to; none means all.
    pub(super) kinds: &'static [&'static str],
    pub(super) about: &'static str,
}

/// What a key holds.
pub(super) enum Shape {
    Text,
    Texts,
    TextOrTexts,
    Flag,
    Integer,
    Natural,
    Duration,
    /// Days or weeks.
    Days,
    /// A number from 0 to 2.
    Temperature,
    Pairs,
    Object,
    Word(&'static [&'static str]),
    Table(&'static [Key]),
    /// Tables by name.
    Tables(&'static [Key]),
    /// `[[hook]]`
    Hooks,
}

const fn key(name: &'static str, shape: Shape, about: &'static str) -> Key {
    Key {
        name,
        shape,
        kinds: &[],
        about,
    }
}

const fn key_of(
    kinds: &'static [&'static str],
    name: &'static str,
    shape: Shape,
    about: &'static str,
) -> Key {
    Key {
        name,
        shape,
        kinds,
        about,
    }
}

/// The types of hook in Becket's own files.
pub(super) const KINDS: &[&str] = &["command", "http", "prompt", "agent", "mcp_tool", "builtin"];

/// The names of the dialects.
const DIALECTS: [&str; Dialect::ALL.len()] = {
    let mut names = [""; Dialect::ALL.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = Dialect::ALL[at].name();
        at += 1;
    }
    names
};

/// The outermost keys.
pub(super) const TOP: &[Key] = &[
    key("hook", Shape::Hooks, "A hook; write `[[hook]]` for each."),
    key(
        "settings",
        Shape::Table(SETTINGS),
        "How Becket itself behaves.",
    ),
    key(
        "hooks",
        Shape::Table(SWITCHES),
        "Which hooks rest. Only in your own file.",
    ),
    key(
        "recall",
        Shape::Table(RECALL),
        "What agents are told of what is known. Your own file sets how much; a project's can only switch it off.",
    ),
    key(
        "llm",
        Shape::Table(LLM),
        "The language model that prompt hooks ask. Only in your own file.",
    ),
    key(
        "learn",
        Shape::Table(LEARN),
        "How Becket learns from what agents do. Only in your own file.",
    ),
    key(
        "embedding",
        Shape::Table(EMBEDDING),
        "A model that turns texts into vectors for searching, instead of the one inside Becket. Only in your own file.",
    ),
    key(
        "http",
        Shape::Table(HTTP),
        "Where http hooks may post to. Only in your own file.",
    ),
    key(
        "agents",
        Shape::Tables(AGENT),
        "Agents that agent hooks ask, by name. Only in your own file.",
    ),
    key(
        "mcp",
        Shape::Tables(MCP),
        "MCP servers whose tools hooks call, by name. Only in your own file.",
    ),
];

/// The keys of `[learn]`.
pub(super) const LEARN: &[Key] = &[
    key(
        "enabled",
        Shape::Flag,
        "Whether something is learnt from what agents do; it is unless said.",
    ),
    key(
        "by",
        Shape::Word(&["model", "rules"]),
        "Who learns: a language model if there is one (unless said), or rules alone.",
    ),
    key(
        "daily_tokens",
        Shape::Natural,
        "How many tokens learning may cost in a day (UTC), then rules take over; 200000 unless said.",
    ),
    key(
        "llm",
        Shape::Table(LLM),
        "Another model to learn with than that of `[llm]`, with the same keys.",
    ),
];

/// The providers of `[embedding]`.
pub(super) const EMBEDDERS: &[&str] = &["openai", "ollama"];

/// The keys of `[embedding]`.
pub(super) const EMBEDDING: &[Key] = &[
    key(
        "provider",
        Shape::Word(EMBEDDERS),
        "How to talk to it: `openai` (`/embeddings`: OpenAI, LM Studio, vLLM) or `ollama` (`/api/embed`).",
    ),
    key(
        "base_url",
        Shape::Text,
        "Where it is, such as `http://localhost:11434`, or `https://api.openai.com/v1`.",
    ),
    key("model", Shape::Text, "The name of the model."),
    key(
        "api_key_env",
        Shape::Text,
        "The name of the environment variable that holds its key.",
    ),
    key(
        "api_key_command",
        Shape::Texts,
        "A program that prints its key.",
    ),
    key(
        "batch",
        Shape::Natural,
        "How many texts go into a request; 64 unless said.",
    ),
    key(
        "timeout",
        Shape::Duration,
        "How long a request may take; 30 s unless said.",
    ),
];

/// The providers of `[llm]`.
pub(super) const PROVIDERS: &[&str] = &["openai", "anthropic", "command"];

/// The keys of `[llm]`.
pub(super) const LLM: &[Key] = &[
    key(
        "provider",
        Shape::Word(PROVIDERS),
        "How to talk to it: `openai` (chat completions: Ollama, LM Studio, vLLM, OpenAI), `anthropic`, or `command`.",
    ),
    key(
        "base_url",
        Shape::Text,
        "Where it is, such as `http://localhost:11434/v1`; the provider's own address unless said.",
    ),
    key("model", Shape::Text, "The name of the model."),
    key(
        "api_key_env",
        Shape::Text,
        "The name of the environment variable that holds its key.",
    ),
    key(
        "api_key_command",
        Shape::Texts,
        "A program that prints its key, such as `[\"pass\", \"show\", \"openai\"]`.",
    ),
    key(
        "command",
        Shape::Texts,
        "With `provider = \"command\"`: the program that reads a prompt and prints an answer.",
    ),
    key(
        "max_tokens",
        Shape::Natural,
        "How long an answer may be; 1024 unless said.",
    ),
    key(
        "temperature",
        Shape::Temperature,
        "From 0 to 2; left to the model unless said.",
    ),
    key(
        "daily_tokens",
        Shape::Natural,
        "How many tokens a day (UTC) may be spent; no limit unless said.",
    ),
    key(
        "timeout",
        Shape::Duration,
        "How long one question may take, retries included. A hook's own deadline counts as well.",
    ),
    key(
        "retries",
        Shape::Natural,
        "How often a question is put again when the provider is busy; 2 unless said.",
    ),
];

/// The keys of `[http]`.
pub(super) const HTTP: &[Key] = &[
    key(
        "allow_private",
        Shape::Flag,
        "Whether loopback and private networks may be reached. Link-local addresses never are.",
    ),
    key(
        "allow_hosts",
        Shape::Texts,
        "If given, the only hosts that may be reached: `host`, `*.domain`, with `:port` or without.",
    ),
    key("deny_hosts", Shape::Texts, "Hosts that may not be reached."),
    key(
        "proxy",
        Shape::Flag,
        "Whether `HTTPS_PROXY` and its kin count.",
    ),
    key(
        "ca_file",
        Shape::Text,
        "Certificates (PEM) to trust instead of the public ones.",
    ),
];

/// The keys of `[agents.NAME]`.
pub(super) const AGENT: &[Key] = &[key(
    "command",
    Shape::Texts,
    "A program that answers once and ends. `{prompt}` and `{model}` are filled in; without `{prompt}` the prompt comes on stdin.",
)];

/// The keys of `[mcp.NAME]`.
pub(super) const MCP: &[Key] = &[
    key(
        "command",
        Shape::Texts,
        "The program that speaks MCP on stdin and stdout.",
    ),
    key("env", Shape::Pairs, "Variables to add to its environment."),
];

/// The keys of `[hooks]`.
pub(super) const SWITCHES: &[Key] = &[
    key(
        "enabled",
        Shape::Flag,
        "Whether any hook runs at all; `becket hooks off` sets it.",
    ),
    key(
        "disabled",
        Shape::Texts,
        "Hooks of other files that do not run, as `name@file`; `becket hooks disable` adds them where a file has no switch of its own.",
    ),
];

/// The keys of `[settings]`.
pub(super) const SETTINGS: &[Key] = &[
    key(
        "stop_retries",
        Shape::Natural,
        "How often in a row hooks may keep an agent from stopping.",
    ),
    key("record", Shape::Flag, "Whether events are recorded."),
    key(
        "redact",
        Shape::Texts,
        "Regular expressions for what is secret to you; what matches is never recorded.",
    ),
    key(
        "daemon",
        Shape::Flag,
        "Whether events may start the daemon; without it they wait in the spool.",
    ),
    key(
        "port",
        Shape::Natural,
        "The daemon's port for HTTP on loopback; any that is free unless said.",
    ),
    key(
        "keep",
        Shape::Days,
        "For how long records are kept, in days or weeks: `90d`, `26w`; for ever unless said.",
    ),
    key(
        "on_bad_payload",
        Shape::Word(&["allow", "ask", "deny"]),
        "What an event that cannot be read means before a tool runs; `ask` unless said.",
    ),
];

/// The keys of `[recall]`.
pub(super) const RECALL: &[Key] = &[
    key(
        "enabled",
        Shape::Flag,
        "Whether agents are told what is known of a project; they are unless said.",
    ),
    key(
        "code_chunks",
        Shape::Natural,
        "How many pieces of code are told at a time; 3 unless said.",
    ),
    key(
        "lines_per_chunk",
        Shape::Natural,
        "How many lines of each piece; 50 unless said.",
    ),
    key(
        "memories",
        Shape::Natural,
        "How many memories are told at a time; 10 unless said.",
    ),
    key(
        "session_summaries",
        Shape::Natural,
        "Of how many earlier sessions is told what they were about; 5 unless said.",
    ),
    key(
        "tokens",
        Shape::Natural,
        "How many tokens all of it may have, at four characters each; 2000 unless said.",
    ),
];

/// The keys of a `filter`.
pub(super) const FILTER: &[Key] = &[
    key(
        "tool",
        Shape::TextOrTexts,
        "Names of tools, canonical or the agent's own; the hook runs for these only.",
    ),
    key(
        "path",
        Shape::TextOrTexts,
        "Globs over file paths; the hook runs for matching files only.",
    ),
];

/// The keys of a `[[hook]]`.
pub(super) const HOOK: &[Key] = &[
    key(
        "name",
        Shape::Text,
        "What the hook is called in lists and messages.",
    ),
    key("description", Shape::Text, "What the hook is good for."),
    key(
        "event",
        Shape::TextOrTexts,
        "When it runs: the name of an event in any spelling (`PreToolUse`, `pre-tool`, `pre_tool_use`), or several.",
    ),
    key(
        "native_event",
        Shape::Text,
        "What the hook's dialect calls the event, where it has several names for it, such as Cursor's `beforeShellExecution`.",
    ),
    key(
        "matcher",
        Shape::Text,
        "For which tools, or other subjects of the event: a name, a list such as `Write|Edit`, or a regular expression.",
    ),
    key(
        "filter",
        Shape::Table(FILTER),
        "Limits the hook to tools or files.",
    ),
    key(
        "if",
        Shape::Text,
        "Limits the hook to calls such as `Bash(git *)` or `Write(*.json)`.",
    ),
    key(
        "type",
        Shape::Word(KINDS),
        "What kind of hook it is. May be left out where the other keys tell.",
    ),
    key_of(
        &["command"],
        "command",
        Shape::Text,
        "A line for the shell; with `args`, a program to start without any shell.",
    ),
    key_of(
        &["command"],
        "args",
        Shape::Texts,
        "Arguments of the program in `command`. Nothing in them is expanded.",
    ),
    key_of(
        &["command"],
        "env",
        Shape::Pairs,
        "Variables to add to the hook's environment.",
    ),
    key_of(&["command"], "cwd", Shape::Text, "The directory to run in."),
    key_of(
        &["http"],
        "url",
        Shape::Text,
        "Where the event is posted to.",
    ),
    key_of(
        &["http"],
        "headers",
        Shape::Pairs,
        "Headers of the request.",
    ),
    key_of(
        &["http"],
        "allowed_env",
        Shape::Texts,
        "Names of environment variables that `headers` may use as `$NAME` or `${NAME}`.",
    ),
    key_of(
        &["prompt", "agent"],
        "prompt",
        Shape::Text,
        "What the language model is asked.",
    ),
    key_of(
        &["prompt", "agent"],
        "model",
        Shape::Text,
        "Which language model is asked.",
    ),
    key_of(&["agent"], "agent", Shape::Text, "Which agent is asked."),
    key_of(&["mcp_tool"], "server", Shape::Text, "The MCP server."),
    key_of(
        &["mcp_tool"],
        "tool",
        Shape::Text,
        "The tool of the MCP server.",
    ),
    key_of(
        &["mcp_tool"],
        "input",
        Shape::Object,
        "What the tool is called with: a table, or the text of a JSON object.",
    ),
    key_of(
        &["builtin"],
        "use",
        Shape::Text,
        "The name of a hook that comes with Becket, such as `security-guard`.",
    ),
    key_of(
        &["builtin"],
        "options",
        Shape::Object,
        "Options of the hook in `use`: a table, or the text of a JSON object.",
    ),
    key(
        "timeout",
        Shape::Duration,
        "Its deadline: text such as `500ms`, `30s`, `2m`, or a number of seconds.",
    ),
    key(
        "async",
        Shape::Flag,
        "Started and never waited for; such a hook cannot decide anything.",
    ),
    key("once", Shape::Flag, "At most once a session."),
    key(
        "sequential",
        Shape::Flag,
        "Runs after the hooks before it and sees the input as they have rewritten it.",
    ),
    key("priority", Shape::Integer, "Higher runs first."),
    key(
        "on_failure",
        Shape::Word(&["allow", "ask", "deny"]),
        "What becomes of the action when the hook itself goes wrong.",
    ),
    key("enabled", Shape::Flag, "Switched on."),
    key(
        "dialect",
        Shape::Word(&DIALECTS),
        "Whose contract the hook keeps: exit codes, standard input, environment, matching.",
    ),
];

/// Names of keys.
pub(super) fn names(keys: &'static [Key]) -> impl Iterator<Item = &'static str> + Clone {
    keys.iter().map(|key| key.name)
}

/// How a failure policy is spelled in JSON files.
pub(super) const ON_FAILURE: &[&str] = &["onFailure", "on_failure"];

/// The keys of a hook in Claude's nested shape.
pub(super) const CLAUDE_HOOK: &[&str] = &[
    "type",
    "command",
    "args",
    "shell",
    "async",
    "asyncRewake",
    "rewakeMessage",
    "rewakeSummary",
    "onFailure",
    "on_failure",
    "url",
    "headers",
    "allowedEnvVars",
    "prompt",
    "model",
    "continueOnBlock",
    "server",
    "tool",
    "input",
    "if",
    "timeout",
    "statusMessage",
    "once",
    "cloud",
    "dialect",
];

/// The keys of a hook in Code Agent's nested shape.
pub(super) const CODE_AGENT_HOOK: &[&str] = &[
    "type",
    "name",
    "command",
    "prompt",
    "timeout",
    "async",
    "once",
    "disabled",
    "agent",
    "agentPrompt",
    "url",
    "headers",
    "allowedEnvVars",
    "if",
    "onFailure",
    "on_failure",
    "dialect",
];

/// The keys of a hook in claude-agent's flat shape.
pub(super) const FLAT_HOOK: &[&str] = &[
    "type",
    "name",
    "command",
    "args",
    "timeout_secs",
    "timeoutSecs",
    "timeout",
    "matcher",
    "if",
    "async",
    "once",
    "priority",
    "enabled",
    "description",
    "onFailure",
    "on_failure",
    "dialect",
];

/// The keys of a hook in Gemini's settings.
pub(super) const GEMINI_HOOK: &[&str] =
    &["type", "command", "name", "description", "timeout", "env"];

/// The keys of Gemini's matcher group.
pub(super) const GEMINI_GROUP: &[&str] = &["matcher", "hooks", "sequential"];

/// The keys of a hook in Codex's files.
pub(super) const CODEX_HOOK: &[&str] = &[
    "type",
    "command",
    "commandWindows",
    "command_windows",
    "timeout",
    "async",
    "statusMessage",
    "additionalContextLimit",
    "server",
    "tool",
    "input",
];

/// The keys of a hook in Cursor's files.
pub(super) const CURSOR_HOOK: &[&str] = &[
    "type",
    "command",
    "prompt",
    "model",
    "matcher",
    "timeout",
    "loop_limit",
    "failClosed",
];

/// The keys of a hook in Copilot's files.
pub(super) const COPILOT_HOOK: &[&str] = &[
    "type",
    "bash",
    "powershell",
    "command",
    "exec",
    "args",
    "cwd",
    "env",
    "timeoutSec",
    "timeout",
    "matcher",
    "url",
    "headers",
    "allowedEnvVars",
    "prompt",
    "comment",
];

/// The keys of a hook in Autohand's files.
pub(super) const AUTOHAND_HOOK: &[&str] = &[
    "event",
    "command",
    "description",
    "enabled",
    "timeout",
    "async",
    "matcher",
    "filter",
];

/// The keys of a matcher group.
pub(super) const GROUP: &[&str] = &["matcher", "hooks", "dialect"];

/// The keys of Code Agent's matcher group.
pub(super) const CODE_AGENT_GROUP: &[&str] = &[
    "matcher",
    "hooks",
    "parallel",
    "mcpServer",
    "hookType",
    "dialect",
];

/// Events that other programs really have though Becket has no word of its own for them.
pub(super) const FOREIGN_EVENTS: &[&str] = &[
    "UserPromptExpansion",
    "PostToolBatch",
    "TeammateIdle",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "InstructionsLoaded",
    "WorktreeCreate",
    "WorktreeRemove",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
    "PreModelSwitch",
    "PostModelSwitch",
    "PostExecution",
    "RoleWake",
    "VoiceCallStarted",
    "VoiceCallPaused",
    "VoiceCallEnded",
];
