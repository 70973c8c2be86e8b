import { expect, test } from "vitest";
import { backoff } from "../src/lib/backoff";
import { formatAgo, formatCompact, formatCount, formatDuration, plural } from "../src/lib/format";

const NOW = 1_800_000_000_000;

test.each([
  [0, "now"],
  [-5000, "now"],
  [12_300, "12 s ago"],
  [61_000, "1 min ago"],
  [3 * 3_600_000, "3 h ago"],
  [49 * 3_600_000, "2 d ago"],
])("%i ms before is %s", (gone, words) => expect(formatAgo(NOW - gone, NOW)).toBe(words));

test("times months ago are a date", () =>
  expect(formatAgo(NOW - 90 * 86_400_000, NOW)).toMatch(/^\d{4}-\d\d-\d\d$/));

test.each([
  [0, "0 ms"],
  [999, "999 ms"],
  [4230, "4.2 s"],
  [59_000, "59 s"],
  [60_000, "1 min"],
  [185_000, "3 min 5 s"],
  [7_800_000, "2 h 10 min"],
  [273_600_000, "3 d 4 h"],
])("%i ms is formatted as %s", (ms, words) => expect(formatDuration(ms)).toBe(words));

test.each([
  [7, "7"],
  [1234, "1\u202f234"],
  [1234567, "1\u202f234\u202f567"],
])("%i is counted as %s", (n, words) => expect(formatCount(n)).toBe(words));

test.each([
  [950, "950"],
  [1000, "1k"],
  [1250, "1.3k"],
  [34_000, "34k"],
  [5_600_000, "5.6M"],
])("%i is %s in compact form", (n, words) => expect(formatCompact(n)).toBe(words));

test("plural forms", () => {
  expect(plural(1, "file")).toBe("1 file");
  expect(plural(0, "file")).toBe("0 files");
  expect(plural(2, "memory", "memories")).toBe("2 memories");
});

test("the backoff grows up to a limit", () => {
  expect([0, 1, 2, 3, 4, 5, 50].map(backoff)).toEqual([500, 1000, 2000, 4000, 8000, 10_000, 10_000]);
});
