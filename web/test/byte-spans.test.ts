import { expect, test } from "vitest";
import { splitAtSpans } from "../src/lib/byte-spans";

test("a span is marked and the text is complete", () => {
  expect(splitAtSpans("git status && rm -rf ~/", [{ start: 14, end: 23 }])).toEqual([
    ["git status && ", false],
    ["rm -rf ~/", true],
  ]);
});

test("offsets are UTF-8 bytes", () => {
  const text = "echo 'größer 🐚' && rm -rf /";
  const start = new TextEncoder().encode("echo 'größer 🐚' && ").length;
  expect(splitAtSpans(text, [{ start, end: start + 8 }])).toEqual([
    ["echo 'größer 🐚' && ", false],
    ["rm -rf /", true],
  ]);
});

test("overlapping, empty and out-of-range spans are handled", () => {
  const spans = [
    { start: 4, end: 6 },
    { start: 2, end: 5 },
    { start: 7, end: 7 },
    { start: 90, end: 99 },
  ];
  expect(splitAtSpans("abcdefgh", spans)).toEqual([
    ["ab", false],
    ["cdef", true],
    ["gh", false],
  ]);
  expect(splitAtSpans("", spans)).toEqual([]);
});
