import { expect, test } from "vitest";
import { RingBuffer } from "../src/lib/ring-buffer";

const rows = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => ({ seq: from + i }));
const places = (ring: RingBuffer<{ seq: number }>) => ring.rows.map(({ seq }) => seq);

test("rows already in the buffer are not added again", () => {
  const ring = new RingBuffer<{ seq: number }>(10);
  ring.append(rows(1, 4));
  expect(ring.append(rows(3, 6))).toBe(2);
  expect(places(ring)).toEqual([1, 2, 3, 4, 5, 6]);
});

test("the buffer stays near its capacity and drops the oldest rows", () => {
  const ring = new RingBuffer<{ seq: number }>(100);
  for (let at = 1; at <= 1000; at += 7) {
    ring.append(rows(at, at + 6));
    expect(ring.rows.length).toBeLessThanOrEqual(112);
  }
  expect(ring.last).toBe(1001);
});

test("older rows are prepended while there is capacity", () => {
  const ring = new RingBuffer<{ seq: number }>(5);
  ring.append(rows(10, 12));
  expect(ring.prepend(rows(1, 10))).toBe(2);
  expect(places(ring)).toEqual([8, 9, 10, 11, 12]);
  expect(ring.prepend(rows(1, 7))).toBe(0);
});
