import { expect, test } from "vitest";
import { outcomeLabel } from "../src/lib/outcome";
import { ruleOf, toQuery } from "../src/pages/decisions/query";

test("the default filter selects every verdict but allow and none", () => {
  expect(toQuery({})).toEqual({ verdict: "deny,ask,halt,rewrite" });
  expect(toQuery({ verdict: "all", rule: "rm.home" })).toEqual({ rule: "rm.home" });
  expect(toQuery({ verdict: "rewrite", agent: "codex" })).toEqual({ verdict: "rewrite", agent: "codex" });
});

test("the rule is the guard's rule, or the hook's name", () => {
  expect(ruleOf({ hook: "security-guard", reason: "rm.home: `rm` deletes" })).toBe("rm.home");
  expect(ruleOf({ hook: "quiet-tests", reason: null })).toBe("quiet-tests");
});

test("a denied call is blocked, or ran anyway", () => {
  expect(outcomeLabel("deny", "ran")).toEqual(["ran anyway", "halt"]);
  expect(outcomeLabel("deny", "refused")[0]).toBe("blocked");
  expect(outcomeLabel("ask", "ran")[0]).toBe("allowed, ran");
});
