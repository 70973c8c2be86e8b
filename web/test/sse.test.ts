import { expect, test } from "vitest";
import { SseParser } from "../src/api/sse";

const stream =
  'id: 7\ndata: {"a":1}\n\n: still here\n\nevent: alarm\ndata: one\ndata: two\n\nid: 8\r\ndata: {"b":"ü"}\r\n\r\n';
const events = [
  { name: "message", id: "7", data: '{"a":1}' },
  { name: "alarm", id: undefined, data: "one\ntwo" },
  { name: "message", id: "8", data: '{"b":"ü"}' },
];

test("a stream in one chunk", () => {
  expect(new SseParser().push(stream)).toEqual(events);
});

test("the same stream, character by character", () => {
  const reader = new SseParser();
  expect([...stream].flatMap((letter) => reader.push(letter))).toEqual(events);
});

test("an incomplete event is not returned", () => {
  const reader = new SseParser();
  expect(reader.push("id: 1\ndata: x\n")).toEqual([]);
  expect(reader.push("\n")).toEqual([{ name: "message", id: "1", data: "x" }]);
});
