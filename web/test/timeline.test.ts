import { expect, test } from "vitest";
import type { Activity, Batch, Decision, Entry } from "../src/api/types";
import { joined } from "../src/pages/sessions/load";
import { rowsOf, type TimelineRow } from "../src/pages/sessions/timeline";

let clock = 0;
const entry = (kind: string, what: Entry["what"]): Entry => ({
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
const batch = (number: number, entries: Entry[], more: Partial<Batch> = {}): Batch =>
  ({
    batch: { id: `b${number}`, number, prompt: `prompt ${number}`, response: `answer ${number}`, plan: null },
    entries,
    subagents: [],
    ...more,
  }) as unknown as Batch;

const told = (row: TimelineRow) =>
  row.type === "call"
    ? `${" ".repeat(row.depth)}${row.tool} ${row.fate}`
    : row.type === "note"
      ? row.kind
      : row.type;
const rows = (batches: Batch[], closed: string[] = [], first: Entry[] = []) =>
  rowsOf({ before: first, batches }, new Set(closed)).map(told);

test("a call that was decided on and ran is one row", () => {
  const entries = [plain("UserPromptSubmit"), before("Bash", "1"), after("Bash", "1"), plain("Stop")];
  expect(rows([batch(1, entries)])).toEqual(["prompt", "Bash ok", "answer"]);
});

test("calls at the same time are told apart by their ids", () => {
  const entries = [before("Read", "1"), before("Read", "2"), after("Read", "2"), after("Read", "1", false)];
  expect(rows([batch(1, entries)])).toEqual(["prompt", "Read failed", "Read ok", "answer"]);
});

test("calls without ids belong to the latest one of the same tool that is open", () => {
  const entries = [
    before("Bash", null, "deny"),
    before("Bash", null),
    after("Bash", null),
    after("Edit", null),
  ];
  expect(rows([batch(1, entries)])).toEqual(["prompt", "Bash denied", "Bash ok", "Edit ok", "answer"]);
});

test("a call that nobody minded before it ran is one row as well", () => {
  const silent = (tool: string) => entry("PreToolUse", { event: { tool, problem: null } });
  const entries = [
    silent("Bash"),
    after("Bash", "1"),
    silent("Read"),
    silent("Read"),
    after("Read", "2"),
    after("Read", "3", false),
  ];
  expect(rows([batch(1, entries)])).toEqual(["prompt", "Bash ok", "Read ok", "Read failed", "answer"]);
  expect(rows([batch(1, [silent("Bash")])])).toEqual(["prompt", "Bash open", "answer"]);
});

test("what was denied and never ran says so; what was asked waits", () => {
  expect(rows([batch(1, [before("Bash", "1", "deny"), before("Bash", "2", "ask")])])).toEqual([
    "prompt",
    "Bash denied",
    "Bash asked",
    "answer",
  ]);
});

test("a call has what hooks added to it before and after it ran, and what is remembered of it", () => {
  const recall = { hook: "recall", output: "- it leaks" } as Entry["hooks"][number];
  const asked = {
    ...before("Bash", "1"),
    about: "npm test",
    context: "use -s",
    updated_input: { command: "x" },
  };
  const done = { ...after("Bash", "1"), context: "it went well", hooks: [recall] };
  const [, call] = rowsOf({ before: [], batches: [batch(1, [asked, done])] }, new Set());
  expect(call).toMatchObject({
    about: "npm test",
    context: ["use -s", "it went well", "- it leaks"],
    updated: { command: "x" },
  });
});

test("that nothing was heard of a session for a while is no row", () => {
  expect(rows([batch(1, [plain("BecketIdle")])])).toEqual(["prompt", "answer"]);
});

test("a subagent stands where it began, and can be closed", () => {
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
  const whole = [batch(1, [first, last], { subagents: [{ id: "a1", entries: [start, ...inner] }] })];
  expect(rows(whole)).toEqual(["prompt", "Task open", "subagent", " Grep ok", "Edit open", "answer"]);
  expect(rows(whole, ["subagent a1"])).toEqual(["prompt", "Task open", "subagent", "Edit open", "answer"]);
  const head = rowsOf({ before: [], batches: whole }, new Set()).find(({ type }) => type === "subagent");
  expect(head).toMatchObject({ name: "Explore", calls: 1 });
});

test("what comes before the first prompt, and what is no call, is a note", () => {
  expect(rows([batch(1, [plain("Notification")])], [], [plain("SessionStart")])).toEqual([
    "SessionStart",
    "prompt",
    "Notification",
    "answer",
  ]);
});

test("a part that is loaded anew takes the place of what it covers", () => {
  const part = (batches: Batch[], next: number | null) => ({ before: [], batches, next });
  const numbers = (parts: { batches: Batch[] }) => parts.batches.map((one) => one.batch.number);
  const one = joined(undefined, part([batch(1, []), batch(2, [])], 3), 0);
  const two = joined(one, part([batch(3, [])], null), 3);
  expect(numbers(two)).toEqual([1, 2, 3]);
  const again = joined(two, part([batch(3, []), batch(4, [])], null), 3);
  expect(numbers(again)).toEqual([1, 2, 3, 4]);
});
