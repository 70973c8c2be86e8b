/**
 * Turns a session's timeline into rows: prompts, tool calls with decision and outcome, responses.
 *
 * The API reports a tool call twice, as a decision before it runs and as an activity after it. They become one row.
 */
import type { Activity, Batch, Decision, HookRun, Timeline, TimelineEntry } from "../../api/types";
import { asObject } from "../../lib/object";
import { summarizeInput } from "../../lib/summary";

/** The hook name under which recall records injected memories. */
const RECALL_HOOK = "recall";

export type CallStatus = "ok" | "failed" | "blocked" | "asked" | "open";

export interface ToolCall {
  type: "call";
  key: string;
  /** The ids of its events. */
  events: string[];
  at: number;
  tool: string;
  depth: number;
  status: CallStatus;
  activity: Activity | undefined;
  decision: Decision | undefined;
  hooks: HookRun[];
  /** The subject, until the activity arrives. */
  about: string;
  /** Context that hooks or recall injected. */
  context: string[];
  /** The input after hooks rewrote it. */
  updated: unknown;
}

export type TimelineRow =
  | {
      type: "prompt";
      key: string;
      events: string[];
      batch: Batch["batch"];
      hooks: HookRun[];
      decision: Decision | undefined;
      context: string[];
    }
  | { type: "plan"; key: string; events: string[]; text: string; path: string | null }
  | { type: "answer"; key: string; events: string[]; batch: Batch["batch"]; hooks: HookRun[] }
  | {
      type: "subagent";
      key: string;
      events: string[];
      at: number;
      id: string;
      name: string;
      calls: number;
      depth: number;
    }
  | {
      type: "note";
      key: string;
      events: string[];
      at: number;
      kind: string;
      text: string;
      hooks: HookRun[];
      depth: number;
      decision: Decision | undefined;
      context: string[];
    }
  | ToolCall;

/** The rows of the loaded parts of a session. Subagents in `closed` are collapsed. */
export function timelineRows(
  timeline: Pick<Timeline, "before" | "batches">,
  closed: ReadonlySet<string>,
): TimelineRow[] {
  return [...entryRows(timeline.before, 0), ...timeline.batches.flatMap((batch) => batchRows(batch, closed))];
}

function batchRows({ batch, entries, subagents }: Batch, closed: ReadonlySet<string>): TimelineRow[] {
  const promptEntry = entries.find(({ kind }) => kind === "UserPromptSubmit");
  const stopped = entries.findLast(({ kind }) => kind === "Stop");
  const end = stopped ? entries.indexOf(stopped) : entries.length;
  const inner = entries
    .slice(0, end)
    .filter((entry) => entry !== promptEntry && !(batch.plan && isCoveredByPlan(entry)));
  const rows: TimelineRow[] = [];
  if (batch.prompt !== null) {
    rows.push({
      type: "prompt",
      key: `prompt ${batch.id}`,
      events: promptEntry ? [promptEntry.event_id] : [],
      batch,
      hooks: promptEntry?.hooks ?? [],
      decision: promptEntry && decisionOf(promptEntry),
      context: promptEntry ? contextOf(promptEntry) : [],
    });
  }
  if (batch.plan) {
    rows.push({ type: "plan", key: `plan ${batch.id}`, events: [], text: batch.plan, path: batch.plan_path });
  }
  const later = entries.slice(end + 1);
  const isEarly = (done: TimelineEntry[]) => !stopped || (done[0]?.at ?? 0) <= stopped.at;
  const early = subagents.filter((one) => isEarly(one.entries));
  const late = subagents.filter((one) => !isEarly(one.entries));
  rows.push(...interleaveSubagents(inner, early, closed));
  if (batch.response !== null || (stopped?.hooks.length ?? 0) > 0) {
    rows.push({
      type: "answer",
      key: `answer ${batch.id}`,
      events: stopped ? [stopped.event_id] : [],
      batch,
      hooks: stopped?.hooks ?? [],
    });
  }
  rows.push(...interleaveSubagents(later, late, closed));
  return rows;
}

/** The plan row replaces `ExitPlanMode`, unless a hook decided about it. */
function isCoveredByPlan(entry: TimelineEntry): boolean {
  const decision = decisionOf(entry);
  const hasVerdict =
    (decision && decision.verdict !== "none") || entry.hooks.some((run) => run.verdict !== "none");
  return (activityOf(entry)?.tool ?? decision?.tool) === "ExitPlanMode" && !hasVerdict;
}

/** The rows of the main agent, with each subagent inserted where it started. */
function interleaveSubagents(
  entries: TimelineEntry[],
  subagents: Batch["subagents"],
  closed: ReadonlySet<string>,
): TimelineRow[] {
  const rows = entryRows(entries, 0);
  for (const { id, entries: done } of subagents) {
    const first = done[0];
    if (!first) continue;
    const inner = entryRows(
      done.filter(({ kind }) => kind !== "SubagentStart" && kind !== "SubagentStop"),
      1,
    );
    const head: TimelineRow = {
      type: "subagent",
      key: `subagent ${id}`,
      events: [first.event_id],
      at: first.at,
      id,
      name: subagentName(done) ?? id,
      calls: inner.filter(({ type }) => type === "call").length,
      depth: 0,
    };
    const after = rows.findIndex(
      (row) => "at" in row && row.at > first.at && (!("depth" in row) || row.depth === 0),
    );
    rows.splice(after < 0 ? rows.length : after, 0, head, ...(closed.has(head.key) ? [] : inner));
  }
  return rows;
}

function subagentName(entries: TimelineEntry[]): string | undefined {
  for (const entry of entries) {
    const name = asObject(activityOf(entry)?.input).agent_type;
    if (typeof name === "string" && name) return name;
  }
  return undefined;
}

/** The daemon's own marker for an idle session. The timestamps show the gap already. */
const IDLE_EVENT = "BecketIdle";

function entryRows(entries: TimelineEntry[], depth: number): TimelineRow[] {
  const rows: TimelineRow[] = [];
  for (const entry of entries) {
    if (entry.kind === IDLE_EVENT) continue;
    const activity = activityOf(entry);
    const decision = decisionOf(entry);
    const tool = activity?.kind === "tool" ? activity.tool : (decision?.tool ?? pendingTool(entry));
    if (!tool) rows.push(noteRow(entry, depth));
    else {
      const open = rows.find((row): row is ToolCall => row.type === "call" && isSameCall(row, entry, tool));
      if (open) mergeEntry(open, entry);
      else rows.push(startCall(entry, tool, depth));
    }
  }
  return rows;
}

/** The tool of a call without a verdict. Its `PreToolUse` event carries only the tool name. */
function pendingTool(entry: TimelineEntry): string | null {
  return entry.kind === "PreToolUse" && "event" in entry.what ? entry.what.event.tool : null;
}

/** Without call ids, an activity belongs to the first open call of the same tool. */
function isSameCall(row: ToolCall, entry: TimelineEntry, tool: string): boolean {
  const id = activityOf(entry)?.call_id ?? decisionOf(entry)?.call_id;
  const callId = row.activity?.call_id ?? row.decision?.call_id;
  if (id && callId) return id === callId;
  const isOpen = row.activity === undefined && row.status !== "blocked";
  return row.tool === tool && isOpen && activityOf(entry) !== undefined;
}

function startCall(entry: TimelineEntry, tool: string, depth: number): ToolCall {
  const call: ToolCall = {
    type: "call",
    key: `call ${entry.event_id}`,
    events: [],
    at: entry.at,
    tool,
    depth,
    status: "open",
    activity: undefined,
    decision: undefined,
    hooks: [],
    about: "",
    context: [],
    updated: undefined,
  };
  mergeEntry(call, entry);
  return call;
}

function mergeEntry(call: ToolCall, entry: TimelineEntry): void {
  call.events.push(entry.event_id);
  call.hooks.push(...entry.hooks);
  call.context.push(...contextOf(entry));
  call.about ||= entry.about ?? "";
  call.updated ??= entry.updated_input ?? undefined;
  call.activity = activityOf(entry) ?? call.activity;
  const decision = decisionOf(entry);
  // Show the strictest verdict of all events of the call.
  if (decision && (!call.decision || rank(decision.verdict) > rank(call.decision.verdict)))
    call.decision = decision;
  call.status = statusOf(call);
}

const rank = (verdict: string) => ["none", "allow", "ask", "deny", "halt"].indexOf(verdict);

function statusOf({ activity, decision }: ToolCall): CallStatus {
  if (activity) return activity.success ? "ok" : "failed";
  if (decision?.verdict === "deny" || decision?.verdict === "halt") return "blocked";
  if (decision?.outcome === "refused") return "blocked";
  return decision?.verdict === "ask" ? "asked" : "open";
}

function noteRow(entry: TimelineEntry, depth: number): TimelineRow {
  const activity = activityOf(entry);
  const source = activity ? summarizeInput(activity.input) || activity.output || activity.error : entry.about;
  const text = source ?? "";
  const problem = "event" in entry.what ? (entry.what.event.problem ?? "") : "";
  return {
    type: "note",
    key: `note ${entry.event_id}`,
    events: [entry.event_id],
    at: entry.at,
    kind: entry.kind,
    text: text || problem,
    hooks: entry.hooks,
    depth,
    decision: decisionOf(entry),
    context: contextOf(entry),
  };
}

/** Context injected at an event: by the hooks' decision, and by recall afterwards. */
function contextOf({ context, hooks }: TimelineEntry): string[] {
  const recalled = hooks.flatMap(({ hook, output }) => (hook === RECALL_HOOK && output ? [output] : []));
  return context ? [context, ...recalled] : recalled;
}

function activityOf(entry: TimelineEntry): Activity | undefined {
  return "activity" in entry.what ? entry.what.activity : undefined;
}

function decisionOf(entry: TimelineEntry): Decision | undefined {
  return "decision" in entry.what ? entry.what.decision : undefined;
}
