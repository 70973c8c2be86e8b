/** The pages, at the side on wide screens and at the foot on small ones. */
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, data } from "../api/client";
import { useLoad } from "../api/load";
import { place } from "../lib/router";
import { Icon, LENS, ThemeSwitch } from "./corner";
import { showKeys } from "./help";
import { PAGES } from "./pages";
import { openSearch } from "./search";

/** Small numbers beside a page's name, such as `{ "/live": 2 }` for open alarms. */
export const marks = signal<Record<string, number>>({});

const EVERY_MS = 30_000;

/** Open alarms are counted beside the live page, wherever somebody is. */
function useAlarmCount(): void {
  const alarms = useLoad("alarm count", () =>
    data(api.GET("/api/v1/alarms", { params: { query: { limit: 100 } } })),
  );
  const open = alarms.data?.items.length ?? 0;
  useEffect(() => {
    marks.value = { ...marks.value, "/live": open };
  }, [open]);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && alarms.reload(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
}

export function Navigation() {
  const { path } = place.value;
  useAlarmCount();
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
