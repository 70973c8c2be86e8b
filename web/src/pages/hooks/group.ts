/** A hook as it stands in a file. The daemon lists an entry for several events once for each; people wrote it once. */
import type { Hook } from "../../api/setup";
import { bag } from "../../lib/bag";

export interface Entry {
  id: string;
  hook: Hook;
  events: string[];
}

export function grouped(hooks: readonly Hook[]): Entry[] {
  const entries = new Map<string, Entry>();
  for (const hook of hooks) {
    const id = `${hook.file}:${hook.line}:${hook.name}:${hook.key}`;
    const entry = entries.get(id);
    if (!entry) entries.set(id, { id, hook, events: [hook.event] });
    else if (!entry.events.includes(hook.event)) entry.events.push(hook.event);
  }
  return [...entries.values()];
}

/** What narrows a hook down, in words: its matcher, filters and condition. */
export function matcher(hook: Hook): string[] {
  const of = bag(hook.definition);
  const filter = bag(of.filter);
  const list = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
  const said: string[] = [];
  if (typeof of.matcher === "string" && of.matcher && of.matcher !== "*") said.push(of.matcher);
  if (list(filter.tool).length > 0) said.push(`tool ${list(filter.tool).join(", ")}`);
  if (list(filter.path).length > 0) said.push(`path ${list(filter.path).join(", ")}`);
  if (typeof of.if === "string" && of.if) said.push(`if ${of.if}`);
  return said;
}

/** What a hook runs, in a line. */
export function action(hook: Hook): string {
  const of = bag(hook.definition);
  const does = bag(of.action);
  for (const name of ["command", "use", "url", "prompt", "tool"]) {
    const value = does[name] ?? of[name];
    if (typeof value === "string" && value) return value;
    if (Array.isArray(value) && value.length > 0) return value.map(String).join(" ");
  }
  return "";
}

/** Whether a hook's words have all of those that somebody looks for. */
export function fits(entry: Entry, words: string): boolean {
  const { hook } = entry;
  const text = [
    hook.name,
    hook.description,
    hook.file,
    hook.dialect,
    hook.level,
    action(hook),
    ...entry.events,
    ...matcher(hook),
  ]
    .join(" ")
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
