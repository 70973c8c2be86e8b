/** Dark or light theme: the system's, unless the user chooses one. The choice is stored in this browser. */
import { signal } from "@preact/signals";

export type Theme = "system" | "dark" | "light";
const STORAGE_KEY = "becket.theme";

function savedTheme(): Theme {
  try {
    const value = localStorage.getItem(STORAGE_KEY);
    return value === "dark" || value === "light" ? value : "system";
  } catch {
    return "system";
  }
}

export const theme = signal<Theme>("system");
/** Increases whenever colours may have changed. Charts read it, because a canvas does not follow CSS. */
export const themeVersion = signal(0);

export function setTheme(value: Theme): void {
  theme.value = value;
  document.documentElement.dataset.theme = value;
  themeVersion.value++;
  try {
    localStorage.setItem(STORAGE_KEY, value);
  } catch {
    // Private windows may forbid storage; the choice then lasts until the page is closed.
  }
}

export function startTheme(): void {
  setTheme(savedTheme());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    themeVersion.value++;
  });
}
