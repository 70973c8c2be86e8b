/** What an event or a call was about, in a line. */
import { type Bag, bag } from "./bag";
import { line } from "./text";
import { todosInWords, todosOf } from "./todos";

const OF_INPUT = [
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
/** The telling member of a tool's input: a command, a file, a pattern. */
export function ofInput(input: unknown): string {
  if (typeof input === "string") return patched(input) ?? line(input);
  const of = bag(input);
  const patch = [of.patch, of.command, of.input].find((text) => typeof text === "string" && PATCH.test(text));
  if (typeof patch === "string") return patched(patch) ?? "";
  const todos = todosOf(of);
  if (todos) return line(todosInWords(todos));
  return first(of, OF_INPUT) || (Object.keys(of).length > 0 ? line(JSON.stringify(of), 160) : "");
}

const PATCH = /^\s*\*\*\* Begin Patch/;

/** The files that a patch touches, if it is one. */
function patched(text: string): string | undefined {
  if (!PATCH.test(text)) return undefined;
  return line(
    [...text.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, file]) => file).join(", "),
  );
}

/** What the hooks added to it: a reason, another input, context. */
export function ofDecision(record: unknown): string {
  const decision = bag(bag(record).decision);
  if (typeof decision.reason === "string") return line(decision.reason, 160);
  if (decision.updated_input !== undefined)
    return `→ ${ofInput(decision.updated_input) || line(JSON.stringify(decision.updated_input), 120)}`;
  if (typeof decision.context === "string") return `+ ${line(decision.context, 120)}`;
  return "";
}

/** Whether the hooks gave the tool another input. */
export function isRewritten(record: unknown): boolean {
  return bag(bag(record).decision).updated_input !== undefined;
}

function first(from: Bag, names: readonly string[]): string {
  for (const name of names) {
    const value = from[name];
    if (typeof value === "string" && value.trim()) return line(value);
    if (Array.isArray(value) && value.every((part) => typeof part === "string") && value.length > 0)
      return line(value.join(" "));
  }
  return "";
}
