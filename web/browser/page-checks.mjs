// Checks that apply to every page: no horizontal overflow, visible tabs, no accessibility violations.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** The address of every page. */
export const PAGES = {
  live: () => "/live",
  "an event": async ({ get }) => `/live?event-at=${(await get("/status")).cursor}`,
  sessions: () => "/sessions",
  "a session": async ({ get }) => `/sessions/${(await busiestSession(get)).id}`,
  decisions: () => "/decisions",
  "a decision": async ({ get }) =>
    `/decisions?id=${(await get("/decisions?verdict=deny&limit=1")).items[0].event_id}`,
  replay: () => "/decisions?view=replay",
  hooks: () => "/hooks",
  trust: ({ project }) => `/hooks?view=trust&project=${encodeURIComponent(project)}`,
  memory: () => "/memory",
  learning: () => "/memory?view=learning",
  "the index": () => "/memory?view=index",
  insight: () => "/insight?range=14d",
  settings: () => "/settings",
  health: () => "/settings?view=health",
  "own settings": () => "/settings?view=own",
  "this browser": () => "/settings?view=browser",
};

/** The session with the most tool calls, failures and denials. */
export async function busiestSession(get) {
  const { items } = await get("/sessions?limit=200&agent=claude");
  const weight = (one) => one.denied + one.failures + one.activities;
  return items.toSorted((a, b) => weight(b) - weight(a))[0];
}

/** Waits until a page has loaded its data. */
export async function waitUntilReady(page) {
  await page.locator("main h1, main.login").first().waitFor();
  await page.waitForFunction(() => !document.querySelector("main .loading"));
  await page.evaluate(() => document.fonts.ready);
}

/** Returns the problems of a page. */
export async function checkPage(page) {
  await waitUntilReady(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  const problems = wide > 0 ? [`${wide} px wider than the window`] : [];
  const hiddenTabs = await page.evaluate(() =>
    [...document.querySelectorAll('[role="tab"][aria-selected="true"]')]
      .filter((tab) => tab.getBoundingClientRect().right > window.innerWidth)
      .map((tab) => tab.textContent),
  );
  problems.push(...hiddenTabs.map((name) => `the selected tab is not visible: ${name}`));
  // Evaluated instead of added as a script, because the page's CSP forbids inline scripts.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  for (const { id, help, nodes } of violations)
    for (const node of nodes.slice(0, 4))
      problems.push(`axe ${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary}`);
  return problems;
}
