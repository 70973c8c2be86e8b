/**
 * Keyboard shortcuts. `useKeys([["j", "next", down]])` binds keys while a component is mounted; the latest binding wins.
 * A binding may be a sequence: `"g l"`. While the user types in a field, only `Escape` is handled.
 */
import { useEffect, useRef } from "preact/hooks";

/** A key or sequence, its description (shown by `?`), and its handler. */
export type KeyBinding = [keys: string, meaning: string, run: () => void];

const layers: { current: KeyBinding[] }[] = [];
const SEQUENCE_TIMEOUT_MS = 1200;
let pendingKeys = "";
let pendingSince = 0;

/** All active bindings, the latest first, each key once. */
export function activeBindings(): KeyBinding[] {
  const seen = new Map<string, KeyBinding>();
  for (const layer of [...layers].reverse()) {
    for (const binding of layer.current) if (!seen.has(binding[0])) seen.set(binding[0], binding);
  }
  return [...seen.values()];
}

/** Binds keys while the component is mounted. The shell binds `below`, so that pages override it. */
export function useKeys(bound: KeyBinding[], where: "above" | "below" = "above"): void {
  const layer = useRef(bound);
  layer.current = bound;
  useEffect(() => {
    if (where === "above") layers.push(layer);
    else layers.unshift(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, []);
}

/** Resolves a key after the keys pressed before it: a binding, `more` for an unfinished sequence, or nothing. */
export function resolveKey(
  bound: KeyBinding[],
  before: string,
  key: string,
): KeyBinding | "more" | undefined {
  const typed = before ? `${before} ${key}` : key;
  return (
    bound.find(([keys]) => keys === typed) ??
    (bound.some(([keys]) => keys.startsWith(`${typed} `)) ? "more" : undefined)
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && !!target.closest("input, textarea, select, [contenteditable]");
}

/** Enter on a focused button or link belongs to that element, not to the list. */
function isHandledByTarget(press: KeyboardEvent): boolean {
  return (
    press.key === "Enter" &&
    press.target instanceof HTMLElement &&
    !!press.target.closest("a, button, summary, [role=tab]")
  );
}

/** Installs the global key listener. Call it once. */
export function listenForKeys(): void {
  document.addEventListener("keydown", (press) => {
    // An open dialog handles its own keys; the browser closes it with Escape.
    if (document.querySelector("dialog[open]")) return;
    if (press.ctrlKey || press.metaKey || press.altKey || press.isComposing) return;
    if (isTyping(press.target) && press.key !== "Escape") return;
    if (isHandledByTarget(press)) return;
    const before = Date.now() - pendingSince < SEQUENCE_TIMEOUT_MS ? pendingKeys : "";
    const all = activeBindings();
    const found = resolveKey(all, before, press.key) ?? resolveKey(all, "", press.key);
    pendingKeys = found === "more" ? press.key : "";
    pendingSince = Date.now();
    if (!found || found === "more") return;
    press.preventDefault();
    found[2]();
  });
}
