// Builds the hook payload of each agent for the same action.

const TOOLS = {
  codex: { Bash: "shell", ApplyPatch: "apply_patch", Edit: "apply_patch" },
  gemini: {
    Bash: "run_shell_command",
    Read: "read_file",
    Edit: "replace",
    Write: "write_file",
    Grep: "search_file_content",
    Glob: "glob",
    WebFetch: "web_fetch",
    WebSearch: "google_web_search",
  },
  cursor: { Bash: "Shell" },
  copilot: { Bash: "bash", Read: "view", Edit: "edit", Write: "create", Grep: "grep" },
};

const GEMINI_EVENTS = {
  PreToolUse: "BeforeTool",
  PostToolUse: "AfterTool",
  PostToolUseFailure: "AfterTool",
  UserPromptSubmit: "BeforeAgent",
  Stop: "AfterAgent",
};
const camel = (name) => name[0].toLowerCase() + name.slice(1);

/** The payload that an agent sends to a hook. `act` has `event` and its fields: `prompt`, `tool`, `input`, `output` … */
export function payload(agent, session, act) {
  if (agent === "gemini") return gemini(session, act);
  if (agent === "cursor") return cursor(session, act);
  if (agent === "copilot") return copilot(session, act);
  return claude(agent, session, act);
}

const withoutUndefined = (object) =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
const renamed = (object, names) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [names[key] ?? key, value]));
const name = (agent, act) => TOOLS[agent]?.[act.tool] ?? act.tool;

function claude(agent, { id, cwd, turn }, act) {
  return withoutUndefined({
    session_id: id,
    turn_id: agent === "codex" ? turn : undefined,
    transcript_path: `${cwd}/../.${agent}/${id}.jsonl`,
    cwd,
    hook_event_name: act.event,
    model: agent === "codex" ? "gpt-5.5" : undefined,
    source: act.source,
    reason: act.reason,
    prompt: act.prompt,
    agent_id: act.subagent,
    agent_type: act.subagentType,
    tool_name: act.tool && name(agent, act),
    tool_input: act.input,
    tool_use_id: act.call,
    tool_response:
      act.event === "PostToolUse" ? { stdout: act.output, stderr: "", interrupted: false } : undefined,
    error: act.event === "PostToolUseFailure" ? act.output : undefined,
    duration_ms: act.ms,
    last_assistant_message: act.answer,
    stop_hook_active: act.event === "Stop" ? false : undefined,
    message: act.message,
    notification_type: act.message && "idle_prompt",
  });
}

function gemini({ id, cwd }, act) {
  const isAfter = act.event.startsWith("PostTool");
  return withoutUndefined({
    session_id: id,
    cwd,
    hook_event_name: GEMINI_EVENTS[act.event] ?? act.event,
    timestamp: act.ts,
    source: act.source,
    reason: act.reason,
    prompt: act.prompt,
    prompt_response: act.answer,
    tool_name: act.tool && name("gemini", act),
    tool_input: act.input,
    tool_response: isAfter
      ? {
          llmContent: act.output,
          returnDisplay: act.output,
          ...(act.event === "PostToolUse" ? {} : { error: { message: act.output } }),
        }
      : undefined,
  });
}

function cursor({ id, cwd, turn }, act) {
  const names = { UserPromptSubmit: "beforeSubmitPrompt" };
  return withoutUndefined({
    conversation_id: id,
    generation_id: turn,
    session_id: id,
    model: "gpt-5.2",
    hook_event_name: names[act.event] ?? camel(act.event),
    workspace_roots: [cwd],
    prompt: act.prompt,
    tool_name: act.tool && name("cursor", act),
    tool_input: act.input,
    tool_use_id: act.call,
    tool_output: act.event === "PostToolUse" ? JSON.stringify({ output: act.output }) : undefined,
    error_message: act.event === "PostToolUseFailure" ? act.output : undefined,
    duration: act.ms,
    status: act.event === "Stop" ? "completed" : undefined,
    loop_count: act.event === "Stop" ? 0 : undefined,
    input_tokens: act.event === "Stop" ? act.tokens : undefined,
    output_tokens: act.event === "Stop" ? Math.round(act.tokens / 9) : undefined,
    cache_read_tokens: act.event === "Stop" ? act.tokens * 4 : undefined,
  });
}

function copilot({ id, cwd }, act) {
  return withoutUndefined({
    sessionId: id,
    timestamp: Date.parse(act.ts),
    cwd,
    source: act.source,
    reason: act.reason,
    prompt: act.prompt,
    toolName: act.tool && name("copilot", act),
    toolArgs: act.input && renamed(act.input, { file_path: "path", content: "file_text" }),
    toolResult:
      act.event === "PostToolUse" ? { resultType: "success", textResultForLlm: act.output } : undefined,
    error: act.event === "PostToolUseFailure" ? act.output : undefined,
  });
}

/** The agent's own name for an event. */
export function eventName(agent, event) {
  if (agent === "gemini") return GEMINI_EVENTS[event] ?? event;
  if (agent === "cursor") return event === "UserPromptSubmit" ? "beforeSubmitPrompt" : camel(event);
  if (agent === "copilot")
    return event === "UserPromptSubmit"
      ? "userPromptSubmitted"
      : event === "Stop"
        ? "agentStop"
        : camel(event);
  return event;
}
