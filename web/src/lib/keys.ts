/**
 * Keys. `useKeys([["j", "next", down]])` while a component is shown; the latest one wins. A key may be a sequence:
 * `"g l"`. Nothing fires while somebody types, but for `Escape`.
 */
import { useEffect, useRef } from "preact/hooks";

/** A key or sequence, what it does in words (shown by `?`), and the doing. */
export type Binding = [keys: string, meaning: string, run: () => void];

const layers: { current: Binding[] }[] = [];
const PATIENCE_MS = 1200;
let begun = "";
let begunAt = 0;

/** What is bound at the moment, the latest first, each key once. */
export function bindings(): Binding[] {
  const seen = new Map<string, Binding>();
  for (const layer of [...layers].reverse()) {
    for (const binding of layer.current) if (!seen.has(binding[0])) seen.set(binding[0], binding);
  }
  return [...seen.values()];
}

/** Binds keys while the component is shown. Those of the shell lie below all others, whenever it was drawn. */
export function useKeys(bound: Binding[], where: "above" | "below" = "above"): void {
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

/** What a key does after those that were pressed before it: a binding, a wait for more, or nothing. */
export function resolve(bound: Binding[], before: string, key: string): Binding | "more" | undefined {
  const typed = before ? `${before} ${key}` : key;
  return (
    bound.find(([keys]) => keys === typed) ??
    (bound.some(([keys]) => keys.startsWith(`${typed} `)) ? "more" : undefined)
  );
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && !!target.closest("input, textarea, select, [contenteditable]");
}

/** What a focused button or link does with Enter goes before what a list does with it. */
function isForTarget(press: KeyboardEvent): boolean {
  return (
    press.key === "Enter" &&
    press.target instanceof HTMLElement &&
    !!press.target.closest("a, button, summary, [role=tab]")
  );
}

/** Listens for keys; to be called once. */
export function listenForKeys(): void {
  document.addEventListener("keydown", (press) => {
    // An open dialog has the keys to itself, and the browser closes it with Escape.
    if (document.querySelector("dialog[open]")) return;
    if (press.ctrlKey || press.metaKey || press.altKey || press.isComposing) return;
    if (isTyping(press.target) && press.key !== "Escape") return;
    if (isForTarget(press)) return;
    const before = Date.now() - begunAt < PATIENCE_MS ? begun : "";
    const all = bindings();
    const found = resolve(all, before, press.key) ?? resolve(all, "", press.key);
    begun = found === "more" ? press.key : "";
    begunAt = Date.now();
    if (!found || found === "more") return;
    press.preventDefault();
    found[2]();
  });
}
