import { expect, test } from "vitest";
import type { HookInfo } from "../src/api/setup";
import {
  describeAction,
  describeMatcher,
  groupByEntry,
  matchesSearch,
} from "../src/pages/hooks/hook-entries";

function hook(more: Partial<HookInfo> = {}): HookInfo {
  return {
    name: "guard",
    event: "PreToolUse",
    status: "enabled",
    component: false,
    trust: "own",
    dialect: "becket",
    level: "user",
    file: "/home/ana/becket.toml",
    line: 1,
    key: "hook[0]",
    description: null,
    definition: {},
    runs: 0,
    failures: 0,
    p50_ms: null,
    p95_ms: null,
    ...more,
  };
}

test("an entry for several events is one hook; another line is another hook", () => {
  const entries = groupByEntry([hook(), hook({ event: "Stop" }), hook(), hook({ line: 9 })]);
  expect(entries.map(({ events }) => events)).toEqual([["PreToolUse", "Stop"], ["PreToolUse"]]);
});

test("matcher, filter and condition are described; empty ones are omitted", () => {
  const definition = {
    matcher: "Write|Edit",
    filter: { tool: [], path: ["migrations/**"] },
    if: "Bash(npm test*)",
  };
  expect(describeMatcher(hook({ definition }))).toEqual([
    "Write|Edit",
    "path migrations/**",
    "if Bash(npm test*)",
  ]);
  expect(describeMatcher(hook({ definition: { matcher: "*" } }))).toEqual([]);
  expect(describeMatcher(hook({ definition: null }))).toEqual([]);
});

test("a hook is found by its name, event, command and file", () => {
  const [entry] = groupByEntry([hook({ definition: { action: { command: "./protect.sh" } } })]);
  if (!entry) throw new Error("no entry");
  expect(describeAction(entry.hook)).toBe("./protect.sh");
  expect(matchesSearch(entry, "protect pretool")).toBe(true);
  expect(matchesSearch(entry, "protect stop")).toBe(false);
});
