import { expect, test } from "vitest";
import { parseReason } from "../src/lib/reason";

test("a guard reason is split into rule, subject, text and alternative", () => {
  const reason =
    "secrets.read: `Read /home/ana/.env` puts a secret into the conversation\ninstead: use it without showing it";
  expect(parseReason(reason)).toEqual({
    rule: "secrets.read",
    subject: "Read /home/ana/.env",
    text: "puts a secret into the conversation",
    safer: "use it without showing it",
  });
});

test("reasons of other hooks stay unchanged", () => {
  expect(parseReason("migrations are written by hand")).toEqual({ text: "migrations are written by hand" });
  expect(parseReason("error: no such file")).toEqual({ text: "error: no such file" });
  expect(parseReason(null)).toEqual({ text: "" });
});

test("a reason may lack a subject or span several lines", () => {
  expect(parseReason("git.force-push: overwrites\nwhat others did")).toEqual({
    rule: "git.force-push",
    text: "overwrites\nwhat others did",
  });
});
