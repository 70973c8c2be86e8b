//! The tables of all configuration keys. The reader's "unknown key" warning and the published schema
//! both use them, so the two cannot differ.

use becket_model::Dialect;

/// A key of Becket's own files.
pub(super) struct ConfigKey {
    pub(super) name: &'static str,
    pub(super) shape: KeyType,
    /// The hook types it belongs to; empty means all.
    pub(super) kinds: &'static [&'static str],
    pub(super) about: &'static str,
}

/// The type of a key's value.
pub(super) enum KeyType {
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
    Table(&'static [ConfigKey]),
    /// A table of named tables.
    Tables(&'static [ConfigKey]),
    /// `[[hook]]`
    Hooks,
}

const fn key(name: &'static str, shape: KeyType, about: &'static str) -> ConfigKey {
    ConfigKey {
        name,
        shape,
        kinds: &[],
        about,
    }
}

const fn key_of(
    kinds: &'static [&'static str],
    name: &'static str,
    shape: KeyType,
    about: &'static str,
) -> ConfigKey {
    ConfigKey {
        name,
        shape,
        kinds,
        about,
    }
}

/// The hook types in Becket's own files.
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

/// The top-level keys.
pub(super) const TOP: &[ConfigKey] = &[
    key("hook", KeyType::Hooks, "One hook per `[[hook]]` table."),
    key("settings", KeyType::Table(SETTINGS), "General settings."),
    key(
        "hooks",
        KeyType::Table(SWITCHES),
        "Disables hooks. User configuration only.",
    ),
    key(
        "recall",
        KeyType::Table(RECALL),
        "Context injection: what Becket adds to the agent's context. The user configuration sets the limits; a project can only disable it.",
    ),
    key(
        "llm",
        KeyType::Table(LLM),
        "The language model for prompt hooks. User configuration only.",
    ),
    key(
        "learn",
        KeyType::Table(LEARN),
        "How Becket learns memories from sessions. User configuration only.",
    ),
    key(
        "embedding",
        KeyType::Table(EMBEDDING),
        "An embedding model for search, instead of the built-in one. User configuration only.",
    ),
    key(
        "http",
        KeyType::Table(HTTP),
        "Which hosts http hooks may connect to. User configuration only.",
    ),
    key(
        "agents",
        KeyType::Tables(AGENT),
        "Agents for agent hooks, by name. User configuration only.",
    ),
    key(
        "mcp",
        KeyType::Tables(MCP),
        "MCP servers whose tools hooks can call, by name. User configuration only.",
    ),
];

/// The keys of `[learn]`.
pub(super) const LEARN: &[ConfigKey] = &[
    key(
        "enabled",
        KeyType::Flag,
        "Whether Becket learns memories from sessions. Default: true.",
    ),
    key(
        "by",
        KeyType::Word(&["model", "rules"]),
        "How Becket learns: `model` uses a language model if one is configured, `rules` never does. Default: `model`.",
    ),
    key(
        "daily_tokens",
        KeyType::Natural,
        "Daily token limit for learning (UTC days); after that Becket learns by rules. Default: 200000.",
    ),
    key(
        "llm",
        KeyType::Table(LLM),
        "A different model for learning, with the same keys as `[llm]`.",
    ),
];

/// The providers of `[embedding]`.
pub(super) const EMBEDDERS: &[&str] = &["openai", "ollama"];

/// The keys of `[embedding]`.
pub(super) const EMBEDDING: &[ConfigKey] = &[
    key(
        "provider",
        KeyType::Word(EMBEDDERS),
        "Protocol: `openai` (`/embeddings`: OpenAI, LM Studio, vLLM) or `ollama` (`/api/embed`).",
    ),
    key(
        "base_url",
        KeyType::Text,
        "Base URL, such as `http://localhost:11434` or `https://api.openai.com/v1`.",
    ),
    key("model", KeyType::Text, "Model name."),
    key(
        "api_key_env",
        KeyType::Text,
        "Environment variable that contains the API key.",
    ),
    key(
        "api_key_command",
        KeyType::Texts,
        "Command that prints the API key.",
    ),
    key(
        "batch",
        KeyType::Natural,
        "Number of texts per request. Default: 64.",
    ),
    key(
        "timeout",
        KeyType::Duration,
        "Timeout of one request. Default: 30s.",
    ),
];

/// The providers of `[llm]`.
pub(super) const PROVIDERS: &[&str] = &["openai", "anthropic", "command"];

/// The keys of `[llm]`.
pub(super) const LLM: &[ConfigKey] = &[
    key(
        "provider",
        KeyType::Word(PROVIDERS),
        "Protocol: `openai` (chat completions: Ollama, LM Studio, vLLM, OpenAI), `anthropic`, or `command`.",
    ),
    key(
        "base_url",
        KeyType::Text,
        "Base URL, such as `http://localhost:11434/v1`. Default: the provider's own.",
    ),
    key("model", KeyType::Text, "Model name."),
    key(
        "api_key_env",
        KeyType::Text,
        "Environment variable that contains the API key.",
    ),
    key(
        "api_key_command",
        KeyType::Texts,
        "Command that prints the API key, such as `[\"pass\", \"show\", \"openai\"]`.",
    ),
    key(
        "command",
        KeyType::Texts,
        "With `provider = \"command\"`: the program that reads a prompt on stdin and prints an answer.",
    ),
    key(
        "max_tokens",
        KeyType::Natural,
        "Maximum length of an answer in tokens. Default: 1024.",
    ),
    key(
        "temperature",
        KeyType::Temperature,
        "Sampling temperature, from 0 to 2. Default: the model's own.",
    ),
    key(
        "daily_tokens",
        KeyType::Natural,
        "Daily token limit (UTC days). Default: no limit.",
    ),
    key(
        "timeout",
        KeyType::Duration,
        "Timeout of one request, retries included. The hook's own timeout applies as well.",
    ),
    key(
        "retries",
        KeyType::Natural,
        "How many times to retry when the provider is busy. Default: 2.",
    ),
];

/// The keys of `[http]`.
pub(super) const HTTP: &[ConfigKey] = &[
    key(
        "allow_private",
        KeyType::Flag,
        "Whether hooks may connect to loopback and private networks. Link-local addresses are always blocked. Default: false.",
    ),
    key(
        "allow_hosts",
        KeyType::Texts,
        "If set, the only hosts that hooks may connect to: `host` or `*.domain`, optionally with `:port`.",
    ),
    key(
        "deny_hosts",
        KeyType::Texts,
        "Hosts that hooks must not connect to.",
    ),
    key(
        "proxy",
        KeyType::Flag,
        "Whether to use `HTTPS_PROXY` and the other proxy variables. Default: false.",
    ),
    key(
        "ca_file",
        KeyType::Text,
        "PEM file with certificates to trust instead of the public ones.",
    ),
];

/// The keys of `[agents.NAME]`.
pub(super) const AGENT: &[ConfigKey] = &[key(
    "command",
    KeyType::Texts,
    "Program that answers once and exits. Becket replaces `{prompt}` and `{model}`; without `{prompt}` the prompt is written to stdin.",
)];

/// The keys of `[mcp.NAME]`.
pub(super) const MCP: &[ConfigKey] = &[
    key(
        "command",
        KeyType::Texts,
        "Program that speaks MCP on stdin and stdout.",
    ),
    key("env", KeyType::Pairs, "Environment variables to add."),
];

/// The keys of `[hooks]`.
pub(super) const SWITCHES: &[ConfigKey] = &[
    key(
        "enabled",
        KeyType::Flag,
        "Whether any hook runs. `becket hooks off` sets it to false.",
    ),
    key(
        "disabled",
        KeyType::Texts,
        "Disabled hooks of other files, as `name@file`. `becket hooks disable` adds a hook here if its own file has no switch for it.",
    ),
];

/// The keys of `[settings]`.
pub(super) const SETTINGS: &[ConfigKey] = &[
    key(
        "stop_retries",
        KeyType::Natural,
        "How many times in a row hooks may keep an agent from stopping. Default: 1.",
    ),
    key(
        "record",
        KeyType::Flag,
        "Whether to record events. Default: true.",
    ),
    key(
        "redact",
        KeyType::Texts,
        "Regular expressions for your own secrets. Matching text is never recorded.",
    ),
    key(
        "daemon",
        KeyType::Flag,
        "Whether events may start the daemon. Without it, events wait in the spool.",
    ),
    key(
        "port",
        KeyType::Natural,
        "The daemon's HTTP port on loopback. Default: any free port.",
    ),
    key(
        "keep",
        KeyType::Days,
        "How long to keep records, in days or weeks, such as `90d` or `26w`. Default: for ever.",
    ),
    key(
        "on_bad_payload",
        KeyType::Word(&["allow", "ask", "deny"]),
        "What happens when the payload of an event before a tool cannot be parsed. Default: `ask`.",
    ),
];

/// The keys of `[recall]`.
pub(super) const RECALL: &[ConfigKey] = &[
    key(
        "enabled",
        KeyType::Flag,
        "Whether to inject context. Default: true.",
    ),
    key(
        "code_chunks",
        KeyType::Natural,
        "How many code chunks to inject at a time. Default: 3.",
    ),
    key(
        "lines_per_chunk",
        KeyType::Natural,
        "Maximum number of lines per code chunk. Default: 50.",
    ),
    key(
        "memories",
        KeyType::Natural,
        "How many memories to inject at a time. Default: 10.",
    ),
    key(
        "session_summaries",
        KeyType::Natural,
        "How many recent session summaries to inject. Default: 5.",
    ),
    key(
        "tokens",
        KeyType::Natural,
        "Token limit for all injected context, at four characters per token. Default: 2000.",
    ),
];

/// The keys of a `filter`.
pub(super) const FILTER: &[ConfigKey] = &[
    key(
        "tool",
        KeyType::TextOrTexts,
        "Tool names, canonical or native; the hook runs only for these tools.",
    ),
    key(
        "path",
        KeyType::TextOrTexts,
        "File path globs; the hook runs only for matching files.",
    ),
];

/// The keys of a `[[hook]]`.
pub(super) const HOOK: &[ConfigKey] = &[
    key(
        "name",
        KeyType::Text,
        "Name of the hook in lists and messages.",
    ),
    key("description", KeyType::Text, "Purpose of the hook."),
    key(
        "event",
        KeyType::TextOrTexts,
        "Event or events at which the hook runs, in any spelling (`PreToolUse`, `pre-tool`, `pre_tool_use`).",
    ),
    key(
        "native_event",
        KeyType::Text,
        "The dialect's own name for the event, if it has several, such as Cursor's `beforeShellExecution`.",
    ),
    key(
        "matcher",
        KeyType::Text,
        "Matches the tool (or another subject of the event): a name, a list such as `Write|Edit`, or a regular expression.",
    ),
    key(
        "filter",
        KeyType::Table(FILTER),
        "Limits the hook to some tools or files.",
    ),
    key(
        "if",
        KeyType::Text,
        "Limits the hook to calls such as `Bash(git *)` or `Write(*.json)`.",
    ),
    key(
        "type",
        KeyType::Word(KINDS),
        "Hook type. Optional if the other keys determine it.",
    ),
    key_of(
        &["command"],
        "command",
        KeyType::Text,
        "Shell command line; with `args`, a program to start without a shell.",
    ),
    key_of(
        &["command"],
        "args",
        KeyType::Texts,
        "Arguments of the program in `command`. They are not expanded.",
    ),
    key_of(
        &["command"],
        "env",
        KeyType::Pairs,
        "Environment variables to add.",
    ),
    key_of(&["command"], "cwd", KeyType::Text, "Working directory."),
    key_of(
        &["http"],
        "url",
        KeyType::Text,
        "URL to which the event is posted.",
    ),
    key_of(&["http"], "headers", KeyType::Pairs, "Request headers."),
    key_of(
        &["http"],
        "allowed_env",
        KeyType::Texts,
        "Environment variables that `headers` may use as `$NAME` or `${NAME}`.",
    ),
    key_of(
        &["prompt", "agent"],
        "prompt",
        KeyType::Text,
        "Prompt for the language model.",
    ),
    key_of(
        &["prompt", "agent"],
        "model",
        KeyType::Text,
        "Language model to use.",
    ),
    key_of(&["agent"], "agent", KeyType::Text, "Agent to use."),
    key_of(&["mcp_tool"], "server", KeyType::Text, "MCP server."),
    key_of(
        &["mcp_tool"],
        "tool",
        KeyType::Text,
        "Tool of the MCP server.",
    ),
    key_of(
        &["mcp_tool"],
        "input",
        KeyType::Object,
        "Input of the tool: a table, or the text of a JSON object.",
    ),
    key_of(
        &["builtin"],
        "use",
        KeyType::Text,
        "Built-in hook, such as `security-guard`.",
    ),
    key_of(
        &["builtin"],
        "options",
        KeyType::Object,
        "Options of the built-in hook: a table, or the text of a JSON object.",
    ),
    key(
        "timeout",
        KeyType::Duration,
        "Timeout: text such as `500ms`, `30s`, `2m`, or a number of seconds.",
    ),
    key(
        "async",
        KeyType::Flag,
        "Run in the background. Such a hook cannot decide anything.",
    ),
    key("once", KeyType::Flag, "Run at most once per session."),
    key(
        "sequential",
        KeyType::Flag,
        "Run after the preceding hooks, with the input as they rewrote it.",
    ),
    key(
        "priority",
        KeyType::Integer,
        "Hooks with a higher priority run first. Default: 0.",
    ),
    key(
        "on_failure",
        KeyType::Word(&["allow", "ask", "deny"]),
        "What happens to the action when the hook itself fails.",
    ),
    key(
        "enabled",
        KeyType::Flag,
        "Whether the hook is enabled. Default: true.",
    ),
    key(
        "dialect",
        KeyType::Word(&DIALECTS),
        "Hook contract: exit codes, standard input, environment and matching of this dialect.",
    ),
];

pub(super) fn names(keys: &'static [ConfigKey]) -> impl Iterator<Item = &'static str> + Clone {
    keys.iter().map(|key| key.name)
}

/// The spellings of the failure policy in JSON files.
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

/// Events of other programs that have no canonical name in Becket.
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
