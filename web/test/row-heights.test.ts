import { expect, test } from "vitest";
import { RowHeights, visibleRange } from "../src/lib/row-heights";

/** A slow reference implementation. */
function plain(heights: number[]) {
  const tops = [0];
  for (const height of heights) tops.push((tops.at(-1) ?? 0) + height);
  return {
    top: (row: number) => tops[row],
    at: (y: number) =>
      Math.max(
        0,
        Math.min(
          heights.length - 1,
          tops.findLastIndex((top) => top <= y),
        ),
      ),
  };
}

test("unmeasured rows have the estimated height", () => {
  const heights = new RowHeights(100_000, 30);
  expect(heights.total).toBe(3_000_000);
  expect(heights.top(50_000)).toBe(1_500_000);
  expect(heights.at(1_500_029)).toBe(50_000);
});

test("measured heights agree with the reference implementation", () => {
  let seed = 7;
  const random = () => {
    seed = (seed * 16807) % 2147483647;
    return seed;
  };
  for (const length of [1, 2, 3, 7, 8, 33, 100]) {
    const heights = new RowHeights(length, 40);
    const known = Array.from({ length }, () => 40);
    for (let i = 0; i < length * 2; i++) {
      const row = random() % length;
      const height = 1 + (random() % 300);
      heights.set(row, height);
      known[row] = height;
    }
    const { top, at } = plain(known);
    for (let row = 0; row <= length; row++) expect(heights.top(row)).toBe(top(row));
    for (let y = -5; y < heights.total + 50; y += 13) expect(heights.at(y)).toBe(y < 0 ? 0 : at(y));
  }
});

test("a viewport renders the rows that it touches, plus the overscan", () => {
  const heights = new RowHeights(1000, 10);
  expect(visibleRange(heights, 500, 100, 0)).toEqual([50, 61]);
  expect(visibleRange(heights, 500, 100, 50)).toEqual([45, 66]);
  expect(visibleRange(heights, -300, 100, 0)).toEqual([0, 1]);
  expect(visibleRange(heights, 99_999, 100, 50)).toEqual([999, 1000]);
  expect(visibleRange(new RowHeights(0, 10), 0, 100, 50)).toEqual([0, 0]);
});
