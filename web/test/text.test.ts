import { expect, test } from "vitest";
import { diffLines, parseDiff } from "../src/lib/diff";
import { jsonTokens } from "../src/lib/json-tokens";
import { parseBlocks, parseInline } from "../src/lib/markdown";
import { bucketStarts, fillBuckets, logPosition, stackLayers } from "../src/lib/series";
import { summarizeDecision, summarizeInput } from "../src/lib/summary";
import { basename, oneLine, relativePaths } from "../src/lib/text";
import { parseTodos } from "../src/lib/todos";
import { isShortened } from "../src/pages/sessions/use-timeline";

const drawn = (before: string, after: string) =>
  diffLines(before, after).map(
    ({ kind, text }) => ({ add: "+", remove: "-", same: " ", head: "@" })[kind] + text,
  );

test("a diff keeps common lines", () => {
  expect(drawn("a\nb\nc\n", "a\nx\nc\nd\n")).toEqual([" a", "-b", "+x", " c", "+d"]);
  expect(drawn("", "a\n")).toEqual(["+a"]);
  expect(drawn("a\n", "")).toEqual(["-a"]);
  expect(drawn("a\nb\na\n", "a\nb\na\n")).toEqual([" a", " b", " a"]);
});

test("a unified diff is parsed line by line", () => {
  const kinds = parseDiff("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new\n same\n").map(({ kind }) => kind);
  expect(kinds).toEqual(["head", "head", "head", "remove", "add", "same"]);
});

test.each(['{"a": "b\\"c", "n": -1.5e3, "t": true}', "no json at all", '{"cut": "off', "", '["a" : 1]'])(
  "the tokens of %s join to the text",
  (text) => {
    expect(
      jsonTokens(text)
        .map(([, piece]) => piece)
        .join(""),
    ).toBe(text);
  },
);

test("keys and strings are distinguished", () => {
  expect(jsonTokens('{"a": "b"}').filter(([kind]) => kind)).toEqual([
    ["key", '"a"'],
    ["string", '"b"'],
  ]);
});

test("markdown: headings, lists, fences", () => {
  expect(
    parseBlocks("# Plan\n\n1. one\n  - two\n\ntext\nmore\n```sh\nls # no heading\n```").map(
      ({ kind }) => kind,
    ),
  ).toEqual(["heading", "item", "item", "text", "code"]);
  expect(parseBlocks("```\nnever closed")).toEqual([{ kind: "code", text: "never closed" }]);
});

test("markdown: tables, also below a paragraph; bars alone are no table", () => {
  expect(parseBlocks("so:\n| a | b |\n|---|:-:|\n| 1 | `x\\|y` |")).toEqual([
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
  expect(parseBlocks("| no rule |\n| here |").map(({ kind }) => kind)).toEqual(["text"]);
  expect(parseBlocks("a | b\nc | d").map(({ kind }) => kind)).toEqual(["text"]);
});

test("to-do lists are summarized as far as they are recorded", () => {
  const claude = (content: string) => ({
    todos: [
      { content: "find it", status: "completed", activeForm: "Finding it" },
      { content, status: "in_progress", activeForm: "Fixing it" },
      { content: "test", status: "pending", activeForm: "Testing" },
    ],
  });
  expect(summarizeInput(claude("fix it"))).toBe("1 of 3 done: Fixing it");
  expect(summarizeInput(claude("<6 chars>"))).toBe("1 of 3 done: Fixing it");
  const codex = {
    plan: [
      { step: "read", status: "completed" },
      { step: "write", status: "in_progress" },
    ],
  };
  expect(summarizeInput(codex)).toBe("1 of 2 done: write");
  expect(parseTodos({ plan: "# A plan of words" })).toBeUndefined();
  expect(parseTodos({ todos: [{ content: "x" }] })).toBeUndefined();
});

test("a truncated text anywhere in an input is detected", () => {
  expect(isShortened({ todos: [{ content: "<12 chars>" }] })).toBe(true);
  expect(isShortened({ todos: [{ content: "whole" }], a: null })).toBe(false);
});

test("markdown: inline spans", () => {
  expect(parseInline("a `b` **c** `d")).toEqual([
    ["plain", "a "],
    ["code", "b"],
    ["plain", " "],
    ["bold", "c"],
    ["plain", " `d"],
  ]);
});

test("the summary of a tool call's input", () => {
  expect(summarizeInput({ command: "cargo  test\n --all" })).toBe("cargo test --all");
  expect(summarizeInput({ command: ["bash", "-lc", "ls"] })).toBe("bash -lc ls");
  expect(summarizeInput({ file_path: "src/a.rs", old_string: "x" })).toBe("src/a.rs");
  expect(summarizeInput(null)).toBe("");
});

test("the summary of a decision", () => {
  const record = (payload: unknown, decision: unknown) => ({ payload, decision });
  expect(summarizeDecision("not an object")).toBe("");
  expect(summarizeDecision(record({}, { reason: "because" }))).toBe("because");
  expect(summarizeDecision(record({}, { updated_input: { command: "npm test" } }))).toBe("→ npm test");
});

test("a line is cut with an ellipsis and respects the limit", () => {
  expect(oneLine("a  b\n c")).toBe("a b c");
  expect(oneLine("x".repeat(300), 20)).toHaveLength(20);
  expect(oneLine("x".repeat(300), 20)).toMatch(/…$/);
});

test("paths in the project are relative to it", () => {
  expect(relativePaths("/home/ana/shop/src/a.rs", "/home/ana/shop")).toBe("src/a.rs");
  expect(relativePaths("/home/ana/shopping/a.rs", "/home/ana/shop")).toBe("/home/ana/shopping/a.rs");
  expect(basename("/home/ana/shop/")).toBe("shop");
});

test("empty buckets are zero", () => {
  const value = ({ n }: { at: number; n: number }) => n;
  expect(bucketStarts(95, 130, 10)).toEqual([90, 100, 110, 120, 130]);
  expect(
    fillBuckets(
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
    stackLayers([
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

test("a logarithmic scale starts at one", () => {
  expect(logPosition(0, 1000)).toBe(0);
  expect(logPosition(1, 1000)).toBe(0);
  expect(logPosition(10, 1000)).toBeCloseTo(1 / 3);
  expect(logPosition(5000, 1000)).toBe(1);
});
