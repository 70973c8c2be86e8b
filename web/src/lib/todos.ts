/** The list of steps that an agent keeps, as Claude Code, Codex and Gemini CLI write it. */
import { bag } from "./bag";

export interface Todo {
  text: string;
  /** What it is called while it is worked on. */
  doing: string | undefined;
  state: "done" | "doing" | "open" | "dropped";
}

const STATES: Record<string, Todo["state"]> = {
  completed: "done",
  done: "done",
  in_progress: "doing",
  pending: "open",
  cancelled: "dropped",
};

/** The steps that a tool was given, if that is what it was given. */
export function todosOf(input: unknown): Todo[] | undefined {
  const { todos, plan } = bag(input);
  const list = Array.isArray(todos) ? todos : plan;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const read = list.map(todo);
  return read.every((one) => one !== undefined) ? read : undefined;
}

function todo(value: unknown): Todo | undefined {
  const of = bag(value);
  const text = [of.content, of.step, of.description, of.title].find((one) => typeof one === "string");
  const state = typeof of.status === "string" ? STATES[of.status] : undefined;
  if (typeof text !== "string" || !state) return undefined;
  return { text, state, doing: typeof of.activeForm === "string" ? of.activeForm : undefined };
}

/** `1 of 3 done: fixing the parser` */
export function todosInWords(todos: readonly Todo[]): string {
  const done = todos.filter(({ state }) => state === "done").length;
  const now = todos.find(({ state }) => state === "doing");
  const what = now && (now.doing ?? (/^<\d+ chars>$/.test(now.text) ? undefined : now.text));
  return `${done} of ${todos.length} done${what ? `: ${what}` : ""}`;
}
