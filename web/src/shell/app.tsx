/** The frame around every page: navigation, banner, keys, and the page itself. */
import { useEffect } from "preact/hooks";
import { loggedIn, reachable } from "../api/client";
import { useKeys } from "../lib/keys";
import { go, match, place } from "../lib/router";
import { Login } from "../pages/login";
import { Confirm } from "../parts/dialog";
import { Boundary, Empty } from "../parts/state";
import { Toasts } from "../parts/toast";
import { Gone, useHeartbeat } from "./gone";
import { KeyHelp, showKeys } from "./help";
import { Navigation } from "./navigation";
import { DETAILS, PAGES } from "./pages";
import { openSearch, Search } from "./search";

export function App() {
  const { path } = place.value;
  useHeartbeat();
  useEffect(() => {
    if (path === "/") go("/live", "replace");
  }, [path]);
  useKeys(
    [
      ...PAGES.map(
        (page) =>
          [`g ${page.key}`, `go to ${page.name}`, () => go(page.path)] as [string, string, () => void],
      ),
      ["/", "search", focusSearch],
      ["?", "show the keys", () => showKeys(true)],
    ],
    "below",
  );
  if (path === "/login" || !loggedIn.value) return <Login />;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Navigation />
      <div class="stage">
        {!reachable.value && <Gone />}
        <main id="main" tabIndex={-1} data-scroller>
          <Boundary key={path}>
            <Current path={path} />
          </Boundary>
        </main>
      </div>
      <KeyHelp />
      <Search />
      <Confirm />
      <Toasts />
    </>
  );
}

function focusSearch(): void {
  const box = document.querySelector<HTMLInputElement>("[data-search]");
  if (box) box.focus();
  else openSearch();
}

function Current({ path }: { path: string }) {
  const title = PAGES.find((page) => path.startsWith(page.path))?.name;
  useEffect(() => {
    document.title = title ? `${title} · Becket` : "Becket";
  }, [title]);
  const page = PAGES.find((page) => page.path === path);
  if (page) return <page.page />;
  for (const { pattern, page: Detail } of DETAILS) {
    const found = match(pattern, path);
    if (found?.id) return <Detail key={found.id} id={found.id} />;
  }
  if (path === "/") return null;
  return (
    <Empty title="There is no such page" action={<a href="/live">Go to what happens now</a>}>
      {path}
    </Empty>
  );
}
