/** Dark or light: as the system says, unless the person chose. The choice stays in this browser. */
import { signal } from "@preact/signals";

export type Theme = "system" | "dark" | "light";
const KEY = "becket.theme";

function kept(): Theme {
  try {
    const value = localStorage.getItem(KEY);
    return value === "dark" || value === "light" ? value : "system";
  } catch {
    return "system";
  }
}

export const theme = signal<Theme>("system");
/** Grows whenever colours may have changed; what draws on a canvas reads it. */
export const repaint = signal(0);

export function setTheme(value: Theme): void {
  theme.value = value;
  document.documentElement.dataset.theme = value;
  repaint.value++;
  try {
    localStorage.setItem(KEY, value);
  } catch {
    // Private windows may forbid it; the choice then lasts as long as the page.
  }
}

export function startTheme(): void {
  setTheme(kept());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    repaint.value++;
  });
}
