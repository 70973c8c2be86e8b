/**
 * A session as rows: what was asked, every call with what was said about it and what came of it, what was answered.
 *
 * The API tells of a call twice, as a decision before it and as an activity after it. Here they are one row.
 */
import type { Activity, Batch, Decision, Entry, HookRun, Timeline } from "../../api/types";
import { bag } from "../../lib/bag";
import { ofInput } from "../../lib/subject";

/** The name under which what is remembered is told. */
const RECALL = "recall";

export type Fate = "ok" | "failed" | "denied" | "asked" | "open";

export interface Call {
  type: "call";
  key: string;
  /** The events that it consists of. */
  events: string[];
  at: number;
  tool: string;
  depth: number;
  fate: Fate;
  activity: Activity | undefined;
  decision: Decision | undefined;
  hooks: HookRun[];
  /** What it was about, as long as nothing came of it. */
  about: string;
  /** What hooks added to what the agent knows. */
  context: string[];
  /** The input that hooks gave the tool instead. */
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
  | Call;

/** The rows of a session, from the parts of it that were loaded. Subagents in `closed` show their head alone. */
export function rowsOf(
  timeline: Pick<Timeline, "before" | "batches">,
  closed: ReadonlySet<string>,
): TimelineRow[] {
  return [
    ...rowsOfEntries(timeline.before, 0),
    ...timeline.batches.flatMap((batch) => rowsOfBatch(batch, closed)),
  ];
}

function rowsOfBatch({ batch, entries, subagents }: Batch, closed: ReadonlySet<string>): TimelineRow[] {
  const asked = entries.find(({ kind }) => kind === "UserPromptSubmit");
  const stopped = entries.findLast(({ kind }) => kind === "Stop");
  const end = stopped ? entries.indexOf(stopped) : entries.length;
  const inner = entries
    .slice(0, end)
    .filter((entry) => entry !== asked && !(batch.plan && isPlanShown(entry)));
  const rows: TimelineRow[] = [];
  if (batch.prompt !== null) {
    rows.push({
      type: "prompt",
      key: `prompt ${batch.id}`,
      events: asked ? [asked.event_id] : [],
      batch,
      hooks: asked?.hooks ?? [],
      decision: asked && decisionOf(asked),
      context: asked ? contextOf(asked) : [],
    });
  }
  if (batch.plan) {
    rows.push({ type: "plan", key: `plan ${batch.id}`, events: [], text: batch.plan, path: batch.plan_path });
  }
  const later = entries.slice(end + 1);
  const isEarly = (done: Entry[]) => !stopped || (done[0]?.at ?? 0) <= stopped.at;
  const early = subagents.filter((one) => isEarly(one.entries));
  const late = subagents.filter((one) => !isEarly(one.entries));
  rows.push(...woven(inner, early, closed));
  if (batch.response !== null || (stopped?.hooks.length ?? 0) > 0) {
    rows.push({
      type: "answer",
      key: `answer ${batch.id}`,
      events: stopped ? [stopped.event_id] : [],
      batch,
      hooks: stopped?.hooks ?? [],
    });
  }
  rows.push(...woven(later, late, closed));
  return rows;
}

/** Leaving the planning is told by the plan itself, unless somebody minded. */
function isPlanShown(entry: Entry): boolean {
  const decision = decisionOf(entry);
  const isMinded =
    (decision && decision.verdict !== "none") || entry.hooks.some((run) => run.verdict !== "none");
  return (activityOf(entry)?.tool ?? decision?.tool) === "ExitPlanMode" && !isMinded;
}

/** The main thread with each subagent where it began. */
function woven(entries: Entry[], subagents: Batch["subagents"], closed: ReadonlySet<string>): TimelineRow[] {
  const rows = rowsOfEntries(entries, 0);
  for (const { id, entries: done } of subagents) {
    const first = done[0];
    if (!first) continue;
    const inner = rowsOfEntries(
      done.filter(({ kind }) => kind !== "SubagentStart" && kind !== "SubagentStop"),
      1,
    );
    const head: TimelineRow = {
      type: "subagent",
      key: `subagent ${id}`,
      events: [first.event_id],
      at: first.at,
      id,
      name: nameOf(done) ?? id,
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

function nameOf(entries: Entry[]): string | undefined {
  for (const entry of entries) {
    const name = bag(activityOf(entry)?.input).agent_type;
    if (typeof name === "string" && name) return name;
  }
  return undefined;
}

/** The daemon's own note that nothing was heard for a while; the times tell it as well. */
const SILENCE = "BecketIdle";

function rowsOfEntries(entries: Entry[], depth: number): TimelineRow[] {
  const rows: TimelineRow[] = [];
  for (const entry of entries) {
    if (entry.kind === SILENCE) continue;
    const activity = activityOf(entry);
    const decision = decisionOf(entry);
    const tool = activity?.kind === "tool" ? activity.tool : (decision?.tool ?? announced(entry));
    if (!tool) rows.push(noteOf(entry, depth));
    else {
      const open = rows.find((row): row is Call => row.type === "call" && isSameCall(row, entry, tool));
      if (open) join(open, entry);
      else rows.push(begin(entry, tool, depth));
    }
  }
  return rows;
}

/** The tool of a call that nobody minded: the timeline tells no more of it than that it was about to run. */
function announced(entry: Entry): string | null {
  return entry.kind === "PreToolUse" && "event" in entry.what ? entry.what.event.tool : null;
}

/** Calls without ids belong together if the tool is the same and nothing came of the first yet. */
function isSameCall(row: Call, entry: Entry, tool: string): boolean {
  const id = activityOf(entry)?.call_id ?? decisionOf(entry)?.call_id;
  const known = row.activity?.call_id ?? row.decision?.call_id;
  if (id && known) return id === known;
  const isOpen = row.activity === undefined && row.fate !== "denied";
  return row.tool === tool && isOpen && activityOf(entry) !== undefined;
}

function begin(entry: Entry, tool: string, depth: number): Call {
  const call: Call = {
    type: "call",
    key: `call ${entry.event_id}`,
    events: [],
    at: entry.at,
    tool,
    depth,
    fate: "open",
    activity: undefined,
    decision: undefined,
    hooks: [],
    about: "",
    context: [],
    updated: undefined,
  };
  join(call, entry);
  return call;
}

function join(call: Call, entry: Entry): void {
  call.events.push(entry.event_id);
  call.hooks.push(...entry.hooks);
  call.context.push(...contextOf(entry));
  call.about ||= entry.about ?? "";
  call.updated ??= entry.updated_input ?? undefined;
  call.activity = activityOf(entry) ?? call.activity;
  const decision = decisionOf(entry);
  // The strictest word is the one to show, whichever event it was said at.
  if (decision && (!call.decision || rank(decision.verdict) > rank(call.decision.verdict)))
    call.decision = decision;
  call.fate = fateOf(call);
}

const rank = (verdict: string) => ["none", "allow", "ask", "deny", "halt"].indexOf(verdict);

function fateOf({ activity, decision }: Call): Fate {
  if (activity) return activity.success ? "ok" : "failed";
  if (decision?.verdict === "deny" || decision?.verdict === "halt") return "denied";
  if (decision?.outcome === "refused") return "denied";
  return decision?.verdict === "ask" ? "asked" : "open";
}

function noteOf(entry: Entry, depth: number): TimelineRow {
  const activity = activityOf(entry);
  const told = activity ? ofInput(activity.input) || activity.output || activity.error : entry.about;
  const text = told ?? "";
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

/** What an agent was told at an event: by hooks that decided, and by those that were asked once it was on record. */
function contextOf({ context, hooks }: Entry): string[] {
  const told = hooks.flatMap(({ hook, output }) => (hook === RECALL && output ? [output] : []));
  return context ? [context, ...told] : told;
}

function activityOf(entry: Entry): Activity | undefined {
  return "activity" in entry.what ? entry.what.activity : undefined;
}

function decisionOf(entry: Entry): Decision | undefined {
  return "decision" in entry.what ? entry.what.decision : undefined;
}
