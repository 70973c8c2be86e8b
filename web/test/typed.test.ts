import { expect, test } from "vitest";
import { faultsByField } from "../src/lib/fault";
import { readObject } from "../src/lib/json";
import { faults, fileList } from "../src/pages/memory/form";
import { keepFault, portFault } from "../src/pages/settings/check";

test("an object is read", () => {
  expect(readObject('{"command": "ls"}')).toEqual({ value: { command: "ls" } });
});

test("what is no object is refused with its kind", () => {
  expect(readObject("[1]").error).toContain("a list");
  expect(readObject("null").error).toContain("null");
  expect(readObject("3").error).toContain("a number");
  expect(readObject("  ").error).toContain("{}");
});

test.each([
  ['{\n  "a": 1,\n  "b": ?\n}', "Line 3, column 8: expected a value."],
  ['{"a": 1', "Line 1, column 8: expected , or }, and there is no more."],
  ['{"command": "rm', 'Line 1, column 16: expected a closing ", and there is no more.'],
  ['{"a": 1,}', 'Line 1, column 9: expected a name between ".'],
  ["{'a': 1}", 'Line 1, column 2: expected a name between ".'],
  ['{"a" 1}', "Line 1, column 6: expected : after the name."],
  ['{"a": "\\x"}', "Line 1, column 8: this escape is unknown."],
  ["{} {}", "Line 1, column 4: nothing may follow the closing bracket."],
])("a fault in JSON is told with its place: %s", (text, told) => {
  expect(readObject(text).error).toBe(told);
});

test("an error is told next to the field that it names", () => {
  const fields = ["redact", "keep", "text"];
  expect(faultsByField("`redact[2]`: unclosed group", fields)).toMatchObject({ field: "redact", index: 2 });
  expect(faultsByField("`retention.keep`: `9x` is no span", fields)).toMatchObject({ field: "keep" });
  expect(faultsByField("parameter `text`: too long", fields)).toMatchObject({ field: "text" });
  expect(faultsByField("the store is busy", fields).field).toBeUndefined();
});

test("how long to keep is a number of days or weeks, or nothing", () => {
  for (const good of ["", "90d", " 12w "]) expect(keepFault(good)).toBeUndefined();
  for (const bad of ["90", "d", "0d", "3 months", "-1d", "1.5d"]) expect(keepFault(bad)).toBeTruthy();
});

test("a port is one that a person may have, or nothing", () => {
  for (const good of ["", "0", "8080", "65535"]) expect(portFault(good)).toBeUndefined();
  for (const bad of ["80", "65536", "x", "-1"]) expect(portFault(bad)).toBeTruthy();
});

test("a memory says something, and how important it is", () => {
  const draft = { text: "x", type: "gotcha" as const, context: "", importance: "5", files: "" };
  expect(faults(draft)).toEqual({});
  expect(Object.keys(faults({ ...draft, text: " ", importance: "11" }))).toEqual(["text", "importance"]);
  expect(fileList("a.ts\n b.ts, ,c.ts\n")).toEqual(["a.ts", "b.ts", "c.ts"]);
});
