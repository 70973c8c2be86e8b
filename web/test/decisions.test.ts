import { expect, test } from "vitest";
import { outcome } from "../src/lib/outcome";
import { asked, ruleOf } from "../src/pages/decisions/load";

test("unless said, what held something up or changed it is asked for", () => {
  expect(asked({})).toEqual({ verdict: "deny,ask,halt,rewrite" });
  expect(asked({ verdict: "all", rule: "rm.home" })).toEqual({ rule: "rm.home" });
  expect(asked({ verdict: "rewrite", agent: "codex" })).toEqual({ verdict: "rewrite", agent: "codex" });
});

test("a rule is that of the guard, or a hook by its name", () => {
  expect(ruleOf({ hook: "security-guard", reason: "rm.home: `rm` deletes" })).toBe("rm.home");
  expect(ruleOf({ hook: "quiet-tests", reason: null })).toBe("quiet-tests");
});

test("a denied call that ran is said to have run all the same", () => {
  expect(outcome("deny", "ran")).toEqual(["ran all the same", "halt"]);
  expect(outcome("deny", "refused")[0]).toBe("held back");
  expect(outcome("ask", "ran")[0]).toBe("allowed, and ran");
});
