/** The application shell: navigation, banner, keyboard shortcuts, and the current page. */
import { useEffect } from "preact/hooks";
import { isLoggedIn, isReachable } from "../api/client";
import { useKeys } from "../lib/keys";
import { currentRoute, matchPath, navigate } from "../lib/router";
import { LoginPage } from "../pages/login";
import { ConfirmDialog } from "../parts/dialog";
import { EmptyState, ErrorBoundary } from "../parts/page-states";
import { Toasts } from "../parts/toast";
import { DaemonBanner, useHeartbeat } from "./daemon-banner";
import { KeyHelp, showKeyHelp } from "./key-help";
import { Navigation } from "./navigation";
import { DETAIL_PAGES, PAGES } from "./pages";
import { openSearch, SearchDialog } from "./search";

export function App() {
  const { path } = currentRoute.value;
  useHeartbeat();
  useEffect(() => {
    if (path === "/") navigate("/live", "replace");
  }, [path]);
  useKeys(
    [
      ...PAGES.map(
        (page) =>
          [`g ${page.key}`, `go to ${page.name}`, () => navigate(page.path)] as [string, string, () => void],
      ),
      ["/", "search", focusSearch],
      ["?", "show keyboard shortcuts", () => showKeyHelp(true)],
    ],
    "below",
  );
  if (path === "/login" || !isLoggedIn.value) return <LoginPage />;
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Navigation />
      <div class="stage">
        {!isReachable.value && <DaemonBanner />}
        <main id="main" tabIndex={-1} data-scroller>
          <ErrorBoundary key={path}>
            <CurrentPage path={path} />
          </ErrorBoundary>
        </main>
      </div>
      <KeyHelp />
      <SearchDialog />
      <ConfirmDialog />
      <Toasts />
    </>
  );
}

function focusSearch(): void {
  const box = document.querySelector<HTMLInputElement>("[data-search]");
  if (box) box.focus();
  else openSearch();
}

function CurrentPage({ path }: { path: string }) {
  const title = PAGES.find((page) => path.startsWith(page.path))?.name;
  useEffect(() => {
    document.title = title ? `${title} · Becket` : "Becket";
  }, [title]);
  const page = PAGES.find((page) => page.path === path);
  if (page) return <page.page />;
  for (const { pattern, page: Detail } of DETAIL_PAGES) {
    const found = matchPath(pattern, path);
    if (found?.id) return <Detail key={found.id} id={found.id} />;
  }
  if (path === "/") return null;
  return (
    <EmptyState title="Page not found" action={<a href="/live">Go to Live</a>}>
      {path}
    </EmptyState>
  );
}
