// What is looked at on every page, and what is wrong with it.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Every page: where it is, given a world. */
export const PAGES = {
  live: () => "/live",
  "an event": async ({ get }) => `/live?event-at=${(await get("/status")).cursor}`,
  sessions: () => "/sessions",
  "a session": async ({ get }) => `/sessions/${(await richest(get)).id}`,
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

/** The session with the most to show. */
export async function richest(get) {
  const { items } = await get("/sessions?limit=200&agent=claude");
  const weight = (one) => one.denied + one.failures + one.activities;
  return items.toSorted((a, b) => weight(b) - weight(a))[0];
}

/** Waits until a page has what it asked for. */
export async function ready(page) {
  await page.locator("main h1, main.login").first().waitFor();
  await page.waitForFunction(() => !document.querySelector("main .loading"));
  await page.evaluate(() => document.fonts.ready);
}

/** What is wrong with a page as it stands. */
export async function look(page) {
  await ready(page);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  const found = wide > 0 ? [`${wide} px wider than the window`] : [];
  const unseen = await page.evaluate(() =>
    [...document.querySelectorAll('[role="tab"][aria-selected="true"]')]
      .filter((tab) => tab.getBoundingClientRect().right > window.innerWidth)
      .map((tab) => tab.textContent),
  );
  found.push(...unseen.map((name) => `the chosen tab is out of sight: ${name}`));
  // Evaluated, not put into the page, which lets no script in.
  await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  for (const { id, help, nodes } of violations)
    for (const node of nodes.slice(0, 4))
      found.push(`axe ${id}: ${help}: ${node.html.slice(0, 200)} ${node.failureSummary}`);
  return found;
}
