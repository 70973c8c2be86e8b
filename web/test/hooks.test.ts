import { expect, test } from "vitest";
import type { Hook } from "../src/api/setup";
import { action, fits, grouped, matcher } from "../src/pages/hooks/group";

function hook(more: Partial<Hook> = {}): Hook {
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

test("an entry for several events is one hook, and another line is another", () => {
  const entries = grouped([hook(), hook({ event: "Stop" }), hook(), hook({ line: 9 })]);
  expect(entries.map(({ events }) => events)).toEqual([["PreToolUse", "Stop"], ["PreToolUse"]]);
});

test("what narrows a hook down is told, and what does not is left out", () => {
  const definition = {
    matcher: "Write|Edit",
    filter: { tool: [], path: ["migrations/**"] },
    if: "Bash(npm test*)",
  };
  expect(matcher(hook({ definition }))).toEqual(["Write|Edit", "path migrations/**", "if Bash(npm test*)"]);
  expect(matcher(hook({ definition: { matcher: "*" } }))).toEqual([]);
  expect(matcher(hook({ definition: null }))).toEqual([]);
});

test("a hook is found by its name, event, command and file", () => {
  const [entry] = grouped([hook({ definition: { action: { command: "./protect.sh" } } })]);
  if (!entry) throw new Error("no entry");
  expect(action(entry.hook)).toBe("./protect.sh");
  expect(fits(entry, "protect pretool")).toBe(true);
  expect(fits(entry, "protect stop")).toBe(false);
});
