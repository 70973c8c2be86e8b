import { expect, test } from "vitest";
import { diffLines, readDiff } from "../src/lib/diff";
import { pieces } from "../src/lib/highlight";
import { blocks, spans } from "../src/lib/prose";
import { filled, logPlace, stack, stretches } from "../src/lib/series";
import { ofDecision, ofInput } from "../src/lib/subject";
import { base, line, within } from "../src/lib/text";
import { todosOf } from "../src/lib/todos";
import { isShortened } from "../src/pages/sessions/load";

const drawn = (before: string, after: string) =>
  diffLines(before, after).map(
    ({ kind, text }) => ({ add: "+", remove: "-", same: " ", head: "@" })[kind] + text,
  );

test("a difference keeps what both have", () => {
  expect(drawn("a\nb\nc\n", "a\nx\nc\nd\n")).toEqual([" a", "-b", "+x", " c", "+d"]);
  expect(drawn("", "a\n")).toEqual(["+a"]);
  expect(drawn("a\n", "")).toEqual(["-a"]);
  expect(drawn("a\nb\na\n", "a\nb\na\n")).toEqual([" a", " b", " a"]);
});

test("a unified diff is read line by line", () => {
  const kinds = readDiff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same\n").map(({ kind }) => kind);
  expect(kinds).toEqual(["head", "head", "head", "remove", "add", "same"]);
});

test.each(['{"a": "b\\"c", "n": -1.5e3, "t": true}', "no json at all", '{"cut": "off', "", '["a" : 1]'])(
  "the pieces of %s are the whole of it",
  (text) => {
    expect(
      pieces(text)
        .map(([, piece]) => piece)
        .join(""),
    ).toBe(text);
  },
);

test("keys and strings are told apart", () => {
  expect(pieces('{"a": "b"}').filter(([kind]) => kind)).toEqual([
    ["key", '"a"'],
    ["string", '"b"'],
  ]);
});

test("prose: headings, lists, fences", () => {
  expect(
    blocks("# Plan\n\n1. one\n  - two\n\ntext\nmore\n```sh\nls # no heading\n```").map(({ kind }) => kind),
  ).toEqual(["heading", "item", "item", "text", "code"]);
  expect(blocks("```\nnever closed")).toEqual([{ kind: "code", text: "never closed" }]);
});

test("prose: tables, also right below a text; bars alone make none", () => {
  expect(blocks("so:\n| a | b |\n|---|:-:|\n| 1 | `x\\|y` |")).toEqual([
    { kind: "text", text: "so:" },
    {
      kind: "table",
      rows: [
        ["a", "b"],
        ["1", "`x|y`"],
      ],
      text: "| a | b |\n|---|:-:|\n| 1 | `x\\|y` |",
    },
  ]);
  expect(blocks("| no rule |\n| here |").map(({ kind }) => kind)).toEqual(["text"]);
  expect(blocks("a | b\nc | d").map(({ kind }) => kind)).toEqual(["text"]);
});

test("steps that an agent keeps are told in words, as far as the record has them", () => {
  const claude = (content: string) => ({
    todos: [
      { content: "find it", status: "completed", activeForm: "Finding it" },
      { content, status: "in_progress", activeForm: "Fixing it" },
      { content: "test", status: "pending", activeForm: "Testing" },
    ],
  });
  expect(ofInput(claude("fix it"))).toBe("1 of 3 done: Fixing it");
  expect(ofInput(claude("<6 chars>"))).toBe("1 of 3 done: Fixing it");
  const codex = {
    plan: [
      { step: "read", status: "completed" },
      { step: "write", status: "in_progress" },
    ],
  };
  expect(ofInput(codex)).toBe("1 of 2 done: write");
  expect(todosOf({ plan: "# A plan of words" })).toBeUndefined();
  expect(todosOf({ todos: [{ content: "x" }] })).toBeUndefined();
});

test("an input is shortened wherever in it a text is", () => {
  expect(isShortened({ todos: [{ content: "<12 chars>" }] })).toBe(true);
  expect(isShortened({ todos: [{ content: "whole" }], a: null })).toBe(false);
});

test("prose: spans", () => {
  expect(spans("a `b` **c** `d")).toEqual([
    ["plain", "a "],
    ["code", "b"],
    ["plain", " "],
    ["bold", "c"],
    ["plain", " `d"],
  ]);
});

test("what a call is about", () => {
  expect(ofInput({ command: "cargo  test\n --all" })).toBe("cargo test --all");
  expect(ofInput({ command: ["bash", "-lc", "ls"] })).toBe("bash -lc ls");
  expect(ofInput({ file_path: "src/a.rs", old_string: "x" })).toBe("src/a.rs");
  expect(ofInput(null)).toBe("");
});

test("what hooks said about an event", () => {
  const record = (payload: unknown, decision: unknown) => ({ payload, decision });
  expect(ofDecision("not an object")).toBe("");
  expect(ofDecision(record({}, { reason: "because" }))).toBe("because");
  expect(ofDecision(record({}, { updated_input: { command: "npm test" } }))).toBe("→ npm test");
});

test("a line is cut with an ellipsis, and never longer than wanted", () => {
  expect(line("a  b\n c")).toBe("a b c");
  expect(line("x".repeat(300), 20)).toHaveLength(20);
  expect(line("x".repeat(300), 20)).toMatch(/…$/);
});

test("paths are told from the project on", () => {
  expect(within("/home/ana/shop/src/a.rs", "/home/ana/shop")).toBe("src/a.rs");
  expect(within("/home/ana/shopping/a.rs", "/home/ana/shop")).toBe("/home/ana/shopping/a.rs");
  expect(base("/home/ana/shop/")).toBe("shop");
});

test("numbers over time: stretches without anything are zero", () => {
  const value = ({ n }: { at: number; n: number }) => n;
  expect(stretches(95, 130, 10)).toEqual([90, 100, 110, 120, 130]);
  expect(
    filled(
      [
        { at: 100, n: 3 },
        { at: 120, n: 4 },
      ],
      95,
      130,
      10,
      value,
    ),
  ).toEqual([0, 3, 0, 4, 0]);
  expect(
    stack([
      [1, 2],
      [3, 4],
      [0, 1],
    ]),
  ).toEqual([
    [1, 2],
    [4, 6],
    [4, 7],
  ]);
});

test("a logarithmic scale begins at one", () => {
  expect(logPlace(0, 1000)).toBe(0);
  expect(logPlace(1, 1000)).toBe(0);
  expect(logPlace(10, 1000)).toBeCloseTo(1 / 3);
  expect(logPlace(5000, 1000)).toBe(1);
});
