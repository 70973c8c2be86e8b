/** One-line summaries of events and tool calls. */
import { asObject, type JsonObject } from "./object";
import { oneLine } from "./text";
import { parseTodos, summarizeTodos } from "./todos";

const SUMMARY_KEYS = [
  "command",
  "cmd",
  "file_path",
  "path",
  "filePath",
  "absolute_path",
  "notebook_path",
  "url",
  "query",
  "pattern",
  "description",
  "prompt",
];
/** The most telling field of a tool's input: a command, a file, a pattern. */
export function summarizeInput(input: unknown): string {
  if (typeof input === "string") return patchedFiles(input) ?? oneLine(input);
  const fields = asObject(input);
  const patch = [fields.patch, fields.command, fields.input].find(
    (text) => typeof text === "string" && PATCH_HEADER.test(text),
  );
  if (typeof patch === "string") return patchedFiles(patch) ?? "";
  const todos = parseTodos(fields);
  if (todos) return oneLine(summarizeTodos(todos));
  return (
    firstText(fields, SUMMARY_KEYS) ||
    (Object.keys(fields).length > 0 ? oneLine(JSON.stringify(fields), 160) : "")
  );
}

const PATCH_HEADER = /^\s*\*\*\* Begin Patch/;

/** The files that a patch changes, or `undefined` if the text is no patch. */
function patchedFiles(text: string): string | undefined {
  if (!PATCH_HEADER.test(text)) return undefined;
  return oneLine(
    [...text.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, file]) => file).join(", "),
  );
}

/** What the hooks decided: a reason, a rewritten input, injected context. */
export function summarizeDecision(record: unknown): string {
  const decision = asObject(asObject(record).decision);
  if (typeof decision.reason === "string") return oneLine(decision.reason, 160);
  if (decision.updated_input !== undefined)
    return `→ ${summarizeInput(decision.updated_input) || oneLine(JSON.stringify(decision.updated_input), 120)}`;
  if (typeof decision.context === "string") return `+ ${oneLine(decision.context, 120)}`;
  return "";
}

/** Whether hooks rewrote the tool's input. */
export function isRewritten(record: unknown): boolean {
  return asObject(asObject(record).decision).updated_input !== undefined;
}

function firstText(from: JsonObject, names: readonly string[]): string {
  for (const name of names) {
    const value = from[name];
    if (typeof value === "string" && value.trim()) return oneLine(value);
    if (Array.isArray(value) && value.every((part) => typeof part === "string") && value.length > 0)
      return oneLine(value.join(" "));
  }
  return "";
}
