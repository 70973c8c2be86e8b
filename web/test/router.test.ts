import { expect, test } from "vitest";
import { matchPath, withParams } from "../src/lib/router";

test.each([
  ["/sessions/:id", "/sessions/abc", { id: "abc" }],
  ["/sessions/:id", "/sessions/a%2Fb%20c", { id: "a/b c" }],
  ["/sessions/:id", "/sessions/", undefined],
  ["/sessions/:id", "/sessions/a/b", undefined],
  ["/live", "/live/", {}],
  ["/live", "/lively", undefined],
])("%s matches %s", (pattern, path, found) => {
  expect(matchPath(pattern, path)).toEqual(found);
});

test("a malformed escape is kept", () => {
  expect(matchPath("/sessions/:id", "/sessions/%zz")).toEqual({ id: "%zz" });
});

test("parameters are set, changed and removed; others stay", () => {
  const from = { path: "/live", query: "agent=codex&verdict=deny" };
  expect(withParams(from, { agent: "claude" })).toBe("/live?agent=claude&verdict=deny");
  expect(withParams(from, { agent: undefined, verdict: "" })).toBe("/live");
  expect(withParams(from, { project: "/home/ana/a b" })).toBe(
    "/live?agent=codex&verdict=deny&project=%2Fhome%2Fana%2Fa+b",
  );
});
