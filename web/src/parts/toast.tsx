/** `toast("Saved")`, `toast("It did not work: …", "deny")`: a word at the edge that goes away by itself. */
import { signal } from "@preact/signals";
import type { Tone } from "./badge";

interface Toast {
  id: number;
  text: string;
  tone: Tone;
}

const shown = signal<Toast[]>([]);
let last = 0;

export function toast(text: string, tone: Tone = "allow"): void {
  const id = ++last;
  shown.value = [...shown.value.slice(-3), { id, text, tone }];
  setTimeout(() => dismiss(id), tone === "deny" || tone === "halt" ? 12_000 : 5000);
}

function dismiss(id: number): void {
  shown.value = shown.value.filter((toast) => toast.id !== id);
}

export function Toasts() {
  return (
    <div class="toasts" aria-live="polite">
      {shown.value.map((toast) => (
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
