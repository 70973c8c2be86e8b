/** The pages, at the side on wide screens and at the foot on small ones. */
import { signal } from "@preact/signals";
import { place } from "../lib/router";
import { setTheme, type Theme, theme } from "../lib/theme";
import { showKeys } from "./help";
import { PAGES } from "./pages";
import { openSearch } from "./search";

/** Small numbers beside a page's name, such as `{ "/live": 2 }` for open alarms. */
export const marks = signal<Record<string, number>>({});

export function Navigation() {
  const { path } = place.value;
  return (
    <nav class="navigation" aria-label="Pages">
      <a class="brand" href="/live" aria-label="Becket, to the live page">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M11 5v16a5.5 5.5 0 0 0 11 0v-2" />
          <circle cx="22" cy="12.5" r="2.8" />
        </svg>
        <span>Becket</span>
      </a>
      <button type="button" class="nav-search" onClick={openSearch}>
        <Icon path={LENS} />
        <span>Search</span>
      </button>
      <ul>
        {PAGES.map((page) => (
          <li key={page.path}>
            <a
              href={page.path}
              aria-current={path === page.path || path.startsWith(`${page.path}/`) ? "page" : undefined}
              title={`${page.name} (g ${page.key})`}
            >
              <Icon path={page.icon} />
              <span>{page.name}</span>
              {!!marks.value[page.path] && <b class="mark">{marks.value[page.path]}</b>}
            </a>
          </li>
        ))}
      </ul>
      <div class="nav-foot">
        <ThemeSwitch />
        <button
          type="button"
          class="round"
          onClick={() => showKeys(true)}
          aria-label="Show the keys"
          title="Keys (?)"
        >
          ?
        </button>
      </div>
    </nav>
  );
}

/** What has no room in the bar of a small screen. */
export function Corner() {
  return (
    <div class="corner">
      <button type="button" class="round" onClick={openSearch} aria-label="Search">
        <Icon path={LENS} />
      </button>
      <ThemeSwitch />
    </div>
  );
}

const LENS = "M8.5 14a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM12.5 12.5 17 17";

export function Icon({ path }: { path: string }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

const NEXT: Record<Theme, Theme> = { system: "dark", dark: "light", light: "system" };
const SIGN: Record<Theme, string> = {
  system: "M3 4h14v10H3zM7 17h6",
  dark: "M16 12.5A7 7 0 1 1 8 3.2a5.6 5.6 0 0 0 8 9.3z",
  light:
    "M10 6.5a3.5 3.5 0 1 0 0 7 3.5 3.5 0 0 0 0-7zM10 1.5v2M10 16.5v2M1.5 10h2M16.5 10h2M4 4l1.4 1.4M14.6 14.6 16 16M16 4l-1.4 1.4M5.4 14.6 4 16",
};

function ThemeSwitch() {
  const label = `Theme: ${theme.value}. Change to ${NEXT[theme.value]}`;
  return (
    <button
      type="button"
      class="round"
      aria-label={label}
      title={label}
      onClick={() => setTheme(NEXT[theme.value])}
    >
      <Icon path={SIGN[theme.value]} />
    </button>
  );
}
