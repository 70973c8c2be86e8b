import { expect, test } from "vitest";
import type { Activity, Batch, Decision, TimelineEntry } from "../src/api/types";
import { type TimelineRow, timelineRows } from "../src/pages/sessions/timeline";
import { mergeParts } from "../src/pages/sessions/use-timeline";

let clock = 0;
const entry = (kind: string, what: TimelineEntry["what"]): TimelineEntry => ({
  event_id: `e${++clock}`,
  at: clock,
  kind,
  what,
  hooks: [],
  about: null,
  context: null,
  updated_input: null,
});
const before = (tool: string, call: string | null, verdict = "none") =>
  entry("PreToolUse", {
    decision: { tool, call_id: call, verdict, outcome: "open", kind: "PreToolUse" } as Decision,
  });
const after = (tool: string, call: string | null, success = true) =>
  entry("PostToolUse", { activity: { kind: "tool", tool, call_id: call, success } as Activity });
const plain = (kind: string) => entry(kind, { event: { tool: null, problem: null } });
const batch = (number: number, entries: TimelineEntry[], more: Partial<Batch> = {}): Batch =>
  ({
    batch: { id: `b${number}`, number, prompt: `prompt ${number}`, response: `answer ${number}`, plan: null },
    entries,
    subagents: [],
    ...more,
  }) as unknown as Batch;

const describe = (row: TimelineRow) =>
  row.type === "call"
    ? `${" ".repeat(row.depth)}${row.tool} ${row.status}`
    : row.type === "note"
      ? row.kind
      : row.type;
const rows = (batches: Batch[], closed: string[] = [], first: TimelineEntry[] = []) =>
  timelineRows({ before: first, batches }, new Set(closed)).map(describe);

test("a decision and its activity are one row", () => {
  const entries = [plain("UserPromptSubmit"), before("Bash", "1"), after("Bash", "1"), plain("Stop")];
  expect(rows([batch(1, entries)])).toEqual(["prompt", "Bash ok", "answer"]);
});

test("concurrent calls are distinguished by id", () => {
  const entries = [before("Read", "1"), before("Read", "2"), after("Read", "2"), after("Read", "1", false)];
  expect(rows([batch(1, entries)])).toEqual(["prompt", "Read failed", "Read ok", "answer"]);
});

test("activities without ids belong to the open call of the same tool", () => {
  const entries = [
    before("Bash", null, "deny"),
    before("Bash", null),
    after("Bash", null),
    after("Edit", null),
  ];
  expect(rows([batch(1, entries)])).toEqual(["prompt", "Bash blocked", "Bash ok", "Edit ok", "answer"]);
});

test("a call without a verdict is one row", () => {
  const undecided = (tool: string) => entry("PreToolUse", { event: { tool, problem: null } });
  const entries = [
    undecided("Bash"),
    after("Bash", "1"),
    undecided("Read"),
    undecided("Read"),
    after("Read", "2"),
    after("Read", "3", false),
  ];
  expect(rows([batch(1, entries)])).toEqual(["prompt", "Bash ok", "Read ok", "Read failed", "answer"]);
  expect(rows([batch(1, [undecided("Bash")])])).toEqual(["prompt", "Bash open", "answer"]);
});

test("a denied call is blocked; an asked call waits", () => {
  expect(rows([batch(1, [before("Bash", "1", "deny"), before("Bash", "2", "ask")])])).toEqual([
    "prompt",
    "Bash blocked",
    "Bash asked",
    "answer",
  ]);
});

test("a call collects injected context of hooks and recall", () => {
  const recall = { hook: "recall", output: "- it leaks" } as TimelineEntry["hooks"][number];
  const asked = {
    ...before("Bash", "1"),
    about: "npm test",
    context: "use -s",
    updated_input: { command: "x" },
  };
  const done = { ...after("Bash", "1"), context: "it went well", hooks: [recall] };
  const [, call] = timelineRows({ before: [], batches: [batch(1, [asked, done])] }, new Set());
  expect(call).toMatchObject({
    about: "npm test",
    context: ["use -s", "it went well", "- it leaks"],
    updated: { command: "x" },
  });
});

test("the idle marker is not shown", () => {
  expect(rows([batch(1, [plain("BecketIdle")])])).toEqual(["prompt", "answer"]);
});

test("a subagent is inserted where it started and can be collapsed", () => {
  const first = before("Task", "1");
  const start = entry("SubagentStart", {
    activity: {
      kind: "subagent_start",
      tool: "SubagentStart",
      input: { agent_type: "Explore" },
    } as unknown as Activity,
  });
  const inner = [before("Grep", "2"), after("Grep", "2")];
  const last = before("Edit", "3");
  const batches = [batch(1, [first, last], { subagents: [{ id: "a1", entries: [start, ...inner] }] })];
  expect(rows(batches)).toEqual(["prompt", "Task open", "subagent", " Grep ok", "Edit open", "answer"]);
  expect(rows(batches, ["subagent a1"])).toEqual(["prompt", "Task open", "subagent", "Edit open", "answer"]);
  const head = timelineRows({ before: [], batches: batches }, new Set()).find(
    ({ type }) => type === "subagent",
  );
  expect(head).toMatchObject({ name: "Explore", calls: 1 });
});

test("events outside of tool calls are notes", () => {
  expect(rows([batch(1, [plain("Notification")])], [], [plain("SessionStart")])).toEqual([
    "SessionStart",
    "prompt",
    "Notification",
    "answer",
  ]);
});

test("a reloaded part replaces what it covers", () => {
  const part = (batches: Batch[], next: number | null) => ({ before: [], batches, next });
  const numbers = (parts: { batches: Batch[] }) => parts.batches.map((one) => one.batch.number);
  const one = mergeParts(undefined, part([batch(1, []), batch(2, [])], 3), 0);
  const two = mergeParts(one, part([batch(3, [])], null), 3);
  expect(numbers(two)).toEqual([1, 2, 3]);
  const again = mergeParts(two, part([batch(3, []), batch(4, [])], null), 3);
  expect(numbers(again)).toEqual([1, 2, 3, 4]);
});
