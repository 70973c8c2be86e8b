import { expect, test } from "vitest";
import type { Decision } from "../src/api/types";
import { outcome } from "../src/lib/outcome";
import { find, isWanted } from "../src/pages/decisions/load";

function decision(n: number, more: Partial<Decision> = {}): Decision {
  return {
    event_id: String(n),
    at: n,
    kind: "PreToolUse",
    agent: "claude",
    session: null,
    project: null,
    tool: "Bash",
    call_id: null,
    subagent: null,
    verdict: "none",
    reason: null,
    hook: null,
    rewritten: false,
    lost: null,
    outcome: "open",
    outcome_at: null,
    ...more,
  };
}

test("unless said, what held something up or changed it is shown", () => {
  expect(isWanted(decision(1), {})).toBe(false);
  expect(isWanted(decision(1, { verdict: "allow" }), {})).toBe(false);
  expect(isWanted(decision(1, { verdict: "ask" }), {})).toBe(true);
  expect(isWanted(decision(1, { rewritten: true }), {})).toBe(true);
  expect(isWanted(decision(1), { verdict: "all" })).toBe(true);
});

test("a rule is that of the guard, or a hook by its name", () => {
  const guards = decision(1, { verdict: "deny", hook: "security-guard", reason: "rm.home: `rm` deletes" });
  expect(isWanted(guards, { rule: "rm.home" })).toBe(true);
  expect(isWanted(guards, { rule: "security-guard" })).toBe(true);
  expect(isWanted(guards, { rule: "git.force-push" })).toBe(false);
});

test("pages are read until enough was found, and it goes on where it stopped", async () => {
  const asked: (string | undefined)[] = [];
  const get = async (after: string | undefined) => {
    asked.push(after);
    const page = Number(after ?? 0);
    const items = Array.from({ length: 40 }, (_, i) =>
      decision(page * 40 + i, i % 2 ? {} : { verdict: "deny" }),
    );
    return { items, next: page < 9 ? String(page + 1) : null };
  };
  const first = await find({}, undefined, get);
  expect(first.items).toHaveLength(60);
  expect(first.next).toBe("3");
  const second = await find({}, first.next ?? undefined, get);
  expect(second.items[0]?.event_id).toBe("120");
  expect(asked).toEqual([undefined, "1", "2", "3", "4", "5"]);
});

test("a search that finds nothing ends after some pages, not at the end of history", async () => {
  let pages = 0;
  const get = async () => ({ items: [decision(++pages)], next: String(pages) });
  const found = await find({ rule: "nobody" }, undefined, get);
  expect(found.items).toEqual([]);
  expect(found.next).toBe(String(pages));
  expect(pages).toBeLessThan(50);
});

test("a denied call that ran is said to have run all the same", () => {
  expect(outcome("deny", "ran")).toEqual(["ran all the same", "halt"]);
  expect(outcome("deny", "refused")[0]).toBe("held back");
  expect(outcome("ask", "ran")[0]).toBe("allowed, and ran");
});
