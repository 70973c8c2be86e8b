import { expect, test } from "vitest";
import { type KeyBinding, resolveKey } from "../src/lib/keys";

const nothing = () => {};
const live: KeyBinding = ["g l", "live", nothing];
const help: KeyBinding = ["?", "help", nothing];
const bound = [live, help];

test("a bound key resolves to its binding", () => expect(resolveKey(bound, "", "?")).toBe(help));
test("the start of a sequence waits for more keys", () => expect(resolveKey(bound, "", "g")).toBe("more"));
test("a complete sequence resolves to its binding", () => expect(resolveKey(bound, "g", "l")).toBe(live));
test("a wrong second key resolves to nothing", () => expect(resolveKey(bound, "g", "?")).toBeUndefined());
test("an unbound key resolves to nothing", () => expect(resolveKey(bound, "", "x")).toBeUndefined());
