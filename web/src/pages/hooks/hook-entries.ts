/** Groups hooks by config entry. The daemon lists an entry once per event. */
import type { HookInfo } from "../../api/setup";
import { asObject } from "../../lib/object";

export interface HookEntry {
  id: string;
  hook: HookInfo;
  events: string[];
}

export function groupByEntry(hooks: readonly HookInfo[]): HookEntry[] {
  const entries = new Map<string, HookEntry>();
  for (const hook of hooks) {
    const id = `${hook.file}:${hook.line}:${hook.name}:${hook.key}`;
    const entry = entries.get(id);
    if (!entry) entries.set(id, { id, hook, events: [hook.event] });
    else if (!entry.events.includes(hook.event)) entry.events.push(hook.event);
  }
  return [...entries.values()];
}

/** The hook's matcher, filters and condition, as text. */
export function describeMatcher(hook: HookInfo): string[] {
  const definition = asObject(hook.definition);
  const filter = asObject(definition.filter);
  const list = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
  const parts: string[] = [];
  if (typeof definition.matcher === "string" && definition.matcher && definition.matcher !== "*")
    parts.push(definition.matcher);
  if (list(filter.tool).length > 0) parts.push(`tool ${list(filter.tool).join(", ")}`);
  if (list(filter.path).length > 0) parts.push(`path ${list(filter.path).join(", ")}`);
  if (typeof definition.if === "string" && definition.if) parts.push(`if ${definition.if}`);
  return parts;
}

/** What the hook runs, on one line. */
export function describeAction(hook: HookInfo): string {
  const definition = asObject(hook.definition);
  const does = asObject(definition.action);
  for (const name of ["command", "use", "url", "prompt", "tool"]) {
    const value = does[name] ?? definition[name];
    if (typeof value === "string" && value) return value;
    if (Array.isArray(value) && value.length > 0) return value.map(String).join(" ");
  }
  return "";
}

/** Whether a hook contains every search word. */
export function matchesSearch(entry: HookEntry, words: string): boolean {
  const { hook } = entry;
  const text = [
    hook.name,
    hook.description,
    hook.file,
    hook.dialect,
    hook.level,
    describeAction(hook),
    ...entry.events,
    ...describeMatcher(hook),
  ]
    .join(" ")
    .toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
