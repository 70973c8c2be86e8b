/** The search and theme buttons: in the page header on small screens, in the navigation on wide ones. */
import { setTheme, type Theme, theme } from "../lib/theme";
import { openSearch } from "./search";

export function QuickActions() {
  return (
    <div class="corner">
      <button type="button" class="round" onClick={openSearch} aria-label="Search">
        <Icon path={SEARCH_ICON} />
      </button>
      <ThemeSwitch />
    </div>
  );
}

export const SEARCH_ICON = "M8.5 14a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM12.5 12.5 17 17";

export function Icon({ path }: { path: string }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

const NEXT_THEME: Record<Theme, Theme> = { system: "dark", dark: "light", light: "system" };
const THEME_ICONS: Record<Theme, string> = {
  system: "M3 4h14v10H3zM7 17h6",
  dark: "M16 12.5A7 7 0 1 1 8 3.2a5.6 5.6 0 0 0 8 9.3z",
  light:
    "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6 16 16M16 4l-1.4 1.4M5.4 14.6 4 16",
};

export function ThemeSwitch() {
  const label = `Theme: ${theme.value}. Change to ${NEXT_THEME[theme.value]}`;
  return (
    <button
      type="button"
      class="round"
      aria-label={label}
      title={label}
      onClick={() => setTheme(NEXT_THEME[theme.value])}
    >
      <Icon path={THEME_ICONS[theme.value]} />
    </button>
  );
}
