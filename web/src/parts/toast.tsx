/** `toast("Saved.")`, `toast("Cannot save: …", "deny")`: a short notification that disappears by itself. */
import { signal } from "@preact/signals";
import type { Tone } from "./badge";

interface Toast {
  id: number;
  text: string;
  tone: Tone;
}

const toasts = signal<Toast[]>([]);
let last = 0;

export function toast(text: string, tone: Tone = "allow"): void {
  const id = ++last;
  toasts.value = [...toasts.value.slice(-3), { id, text, tone }];
  setTimeout(() => dismiss(id), tone === "deny" || tone === "halt" ? 12_000 : 5000);
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" aria-live="polite">
      {toasts.value.map((toast) => (
        <div key={toast.id} class={`toast tone-${toast.tone}`}>
          <span>{toast.text}</span>
          <button type="button" class="close" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
            ✕
          </button>
        </div>
      ))}
    </div>
  );
}
