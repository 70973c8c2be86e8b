import { expect, test } from "vitest";
import { readReason } from "../src/lib/reason";

test("what the guard says is taken apart", () => {
  const said =
    "secrets.read: `Read /home/ana/.env` puts a secret into the conversation\ninstead: use it without showing it";
  expect(readReason(said)).toEqual({
    rule: "secrets.read",
    subject: "Read /home/ana/.env",
    text: "puts a secret into the conversation",
    safer: "use it without showing it",
  });
});

test("what other hooks say stays as it is", () => {
  expect(readReason("migrations are written by hand")).toEqual({ text: "migrations are written by hand" });
  expect(readReason("error: no such file")).toEqual({ text: "error: no such file" });
  expect(readReason(null)).toEqual({ text: "" });
});

test("a reason without a subject or of several lines is read", () => {
  expect(readReason("git.force-push: overwrites\nwhat others did")).toEqual({
    rule: "git.force-push",
    text: "overwrites\nwhat others did",
  });
});
