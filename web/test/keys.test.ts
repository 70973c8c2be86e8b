import { expect, test } from "vitest";
import { type Binding, resolve } from "../src/lib/keys";

const nothing = () => {};
const live: Binding = ["g l", "live", nothing];
const help: Binding = ["?", "help", nothing];
const bound = [live, help];

test("a key that is bound is found", () => expect(resolve(bound, "", "?")).toBe(help));
test("the beginning of a sequence waits for more", () => expect(resolve(bound, "", "g")).toBe("more"));
test("a sequence is found at its end", () => expect(resolve(bound, "g", "l")).toBe(live));
test("a sequence that goes on otherwise is none", () => expect(resolve(bound, "g", "?")).toBeUndefined());
test("a key that is not bound does nothing", () => expect(resolve(bound, "", "x")).toBeUndefined());
