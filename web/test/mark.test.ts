import { expect, test } from "vitest";
import { marked } from "../src/lib/mark";

test("a span is marked, and nothing of the text is lost", () => {
  expect(marked("git status && rm -rf ~/", [{ start: 14, end: 23 }])).toEqual([
    ["git status && ", false],
    ["rm -rf ~/", true],
  ]);
});

test("places are counted in bytes, as Rust does", () => {
  const text = "echo 'größer 🐚' && rm -rf /";
  const start = new TextEncoder().encode("echo 'größer 🐚' && ").length;
  expect(marked(text, [{ start, end: start + 8 }])).toEqual([
    ["echo 'größer 🐚' && ", false],
    ["rm -rf /", true],
  ]);
});

test("overlapping, empty and far-off spans do no harm", () => {
  const spans = [
    { start: 4, end: 6 },
    { start: 2, end: 5 },
    { start: 7, end: 7 },
    { start: 90, end: 99 },
  ];
  expect(marked("abcdefgh", spans)).toEqual([
    ["ab", false],
    ["cdef", true],
    ["gh", false],
  ]);
  expect(marked("", spans)).toEqual([]);
});
