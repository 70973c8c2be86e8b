import { expect, test } from "vitest";
import { locateFieldError } from "../src/lib/field-error";
import { parseObject } from "../src/lib/json";
import { parseFileList, validateMemory } from "../src/pages/memory/form";
import { validatePort, validateRetention } from "../src/pages/settings/validate";

test("an object is parsed", () => {
  expect(parseObject('{"command": "ls"}')).toEqual({ value: { command: "ls" } });
});

test("other values are rejected with their type", () => {
  expect(parseObject("[1]").error).toContain("a list");
  expect(parseObject("null").error).toContain("null");
  expect(parseObject("3").error).toContain("a number");
  expect(parseObject("  ").error).toContain("{}");
});

test.each([
  ['{\n  "a": 1,\n  "b": ?\n}', "Line 3, column 8: expected a value."],
  ['{"a": 1', "Line 1, column 8: expected , or }, but the text ends here."],
  ['{"command": "rm', 'Line 1, column 16: expected a closing ", but the text ends here.'],
  ['{"a": 1,}', 'Line 1, column 9: expected a key in ".'],
  ["{'a': 1}", 'Line 1, column 2: expected a key in ".'],
  ['{"a" 1}', "Line 1, column 6: expected : after the key."],
  ['{"a": "\\x"}', "Line 1, column 8: unknown escape."],
  ["{} {}", "Line 1, column 4: unexpected text after the closing bracket."],
])("a syntax error has line and column: %s", (text, message) => {
  expect(parseObject(text).error).toBe(message);
});

test("an error is assigned to the field that it names", () => {
  const fields = ["redact", "keep", "text"];
  expect(locateFieldError("`redact[2]`: unclosed group", fields)).toMatchObject({
    field: "redact",
    index: 2,
  });
  expect(locateFieldError("`retention.keep`: `9x` is no span", fields)).toMatchObject({ field: "keep" });
  expect(locateFieldError("parameter `text`: too long", fields)).toMatchObject({ field: "text" });
  expect(locateFieldError("the store is busy", fields).field).toBeUndefined();
});

test("retention is a number of days or weeks, or empty", () => {
  for (const good of ["", "90d", " 12w "]) expect(validateRetention(good)).toBeUndefined();
  for (const bad of ["90", "d", "0d", "3 months", "-1d", "1.5d"]) expect(validateRetention(bad)).toBeTruthy();
});

test("a port is an unprivileged number, or empty", () => {
  for (const good of ["", "0", "8080", "65535"]) expect(validatePort(good)).toBeUndefined();
  for (const bad of ["80", "65536", "x", "-1"]) expect(validatePort(bad)).toBeTruthy();
});

test("a memory needs a text and a valid importance", () => {
  const draft = { text: "x", type: "gotcha" as const, context: "", importance: "5", files: "" };
  expect(validateMemory(draft)).toEqual({});
  expect(Object.keys(validateMemory({ ...draft, text: " ", importance: "11" }))).toEqual([
    "text",
    "importance",
  ]);
  expect(parseFileList("a.ts\n b.ts, ,c.ts\n")).toEqual(["a.ts", "b.ts", "c.ts"]);
});
