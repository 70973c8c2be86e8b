import { expect, test } from "vitest";
import { SseReader } from "../src/api/sse";

const stream =
  'id: 7\ndata: {"a":1}\n\n: still here\n\nevent: alarm\ndata: one\ndata: two\n\nid: 8\r\ndata: {"b":"ü"}\r\n\r\n';
const told = [
  { name: "message", id: "7", data: '{"a":1}' },
  { name: "alarm", id: undefined, data: "one\ntwo" },
  { name: "message", id: "8", data: '{"b":"ü"}' },
];

test("a stream in one piece", () => {
  expect(new SseReader().push(stream)).toEqual(told);
});

test("the same stream, letter by letter", () => {
  const reader = new SseReader();
  expect([...stream].flatMap((letter) => reader.push(letter))).toEqual(told);
});

test("what is not complete is not told", () => {
  const reader = new SseReader();
  expect(reader.push("id: 1\ndata: x\n")).toEqual([]);
  expect(reader.push("\n")).toEqual([{ name: "message", id: "1", data: "x" }]);
});
