/** The navigation: a side bar on wide screens, a bottom bar on small ones. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, unwrap } from "../api/client";
import { useLoad } from "../api/load";
import { currentRoute } from "../lib/router";
import { showKeyHelp } from "./key-help";
import { PAGES } from "./pages";
import { Icon, SEARCH_ICON, ThemeSwitch } from "./quick-actions";
import { openSearch } from "./search";

/** Counts next to a page's name, such as `{ "/live": 2 }` for unacknowledged alarms. */
export const pageBadges = signal<Record<string, number>>({});

const POLL_MS = 30_000;

/** Shows the number of unacknowledged alarms next to the live page, on every page. */
function useAlarmCount(): void {
  const alarms = useLoad("alarm count", () =>
    unwrap(api.GET("/api/v1/alarms", { params: { query: { limit: 100 } } })),
  );
  const unacknowledged = alarms.data?.items.length ?? 0;
  useEffect(() => {
    pageBadges.value = { ...pageBadges.value, "/live": unacknowledged };
  }, [unacknowledged]);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && alarms.reload(), POLL_MS);
    return () => clearInterval(timer);
  }, []);
}

export function Navigation() {
  const { path } = currentRoute.value;
  useAlarmCount();
  return (
    <nav class="navigation" aria-label="Pages">
      <a class="brand" href="/live" aria-label="Becket, go to Live">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M11 5v16a5.5 5.5 0 0 0 11 0v-2" />
          <circle cx="22" cy="12.5" r="2.8" />
        </svg>
        <span>Becket</span>
      </a>
      <button type="button" class="nav-search" onClick={openSearch}>
        <Icon path={SEARCH_ICON} />
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
              {!!pageBadges.value[page.path] && <b class="mark">{pageBadges.value[page.path]}</b>}
            </a>
          </li>
        ))}
      </ul>
      <div class="nav-foot">
        <ThemeSwitch />
        <button
          type="button"
          class="round"
          onClick={() => showKeyHelp(true)}
          aria-label="Show keyboard shortcuts"
          title="Keyboard shortcuts (?)"
        >
          ?
        </button>
      </div>
    </nav>
  );
}
