/** Parses the to-do lists of Claude Code, Codex and Gemini CLI. */
import { asObject } from "./object";

export interface TodoItem {
  text: string;
  /** The text to show while the item is in progress. */
  activeText: string | undefined;
  state: "done" | "in_progress" | "pending" | "cancelled";
}

const STATES: Record<string, TodoItem["state"]> = {
  completed: "done",
  done: "done",
  in_progress: "in_progress",
  pending: "pending",
  cancelled: "cancelled",
};

/** The to-do items in a tool's input, or `undefined` if it has none. */
export function parseTodos(input: unknown): TodoItem[] | undefined {
  const { todos, plan } = asObject(input);
  const list = Array.isArray(todos) ? todos : plan;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const read = list.map(parseTodo);
  return read.every((one) => one !== undefined) ? read : undefined;
}

function parseTodo(value: unknown): TodoItem | undefined {
  const fields = asObject(value);
  const text = [fields.content, fields.step, fields.description, fields.title].find(
    (one) => typeof one === "string",
  );
  const state = typeof fields.status === "string" ? STATES[fields.status] : undefined;
  if (typeof text !== "string" || !state) return undefined;
  return { text, state, activeText: typeof fields.activeForm === "string" ? fields.activeForm : undefined };
}

/** For example `1 of 3 done: fixing the parser`. */
export function summarizeTodos(todos: readonly TodoItem[]): string {
  const done = todos.filter(({ state }) => state === "done").length;
  const now = todos.find(({ state }) => state === "in_progress");
  const current = now && (now.activeText ?? (/^<\d+ chars>$/.test(now.text) ? undefined : now.text));
  return `${done} of ${todos.length} done${current ? `: ${current}` : ""}`;
}
