// Looks at every page, as people do: two widths, two themes. Pictures go to `shots/`, and axe says what it minds.
//
//   BECKET_HOME=… node scripts/dev.mjs &      (or a daemon that lets the browser in)
//   node scripts/shots.mjs [PAGE …]           all pages unless some are named: `live`, `session`, `insight` …
//
// CHROMIUM names the browser; ends with 1 if axe minds something or the page writes an error to its console.
import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const base = process.env.BASE ?? "http://127.0.0.1:5180";
const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const wanted = new Set(process.argv.slice(2));

async function ask(path) {
  const response = await fetch(`${base}/api/v1${path}`);
  return response.json();
}

/** The session with the most to show. */
async function richest() {
  const { items } = await ask("/sessions?limit=200&agent=claude");
  return items.toSorted(
    (a, b) => b.denied + b.failures + b.activities - a.denied - a.failures - a.activities,
  )[0];
}

const session = (await richest())?.id;
const { cursor } = await ask("/status");
const PAGES = {
  live: "/live",
  "live-event": `/live?event-at=${cursor}`,
  "live-deny": "/live?verdict=deny",
  sessions: "/sessions",
  session: `/sessions/${session}`,
  insight: "/insight?range=14d",
  decisions: "/decisions",
  replay: "/decisions?view=replay",
  hooks: "/hooks",
  trust: "/hooks?view=trust",
  problems: "/hooks?view=problems",
  memory: "/memory",
  aside: "/memory?view=aside",
  learning: "/memory?view=learning",
  index: "/memory?view=index",
  settings: "/settings",
  health: "/settings?view=health",
  own: "/settings?view=own",
  browser: "/settings?view=browser",
  login: "/login",
};

mkdirSync(join(root, "shots"), { recursive: true });
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
let faults = 0;

async function look(name, path, width, theme) {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 844 : 860 },
    colorScheme: theme,
    bypassCSP: true,
  });
  const page = await context.newPage();
  page.on("console", (message) => {
    // Daemons without a route that only some have answer 404, which the browser notes by itself.
    if (message.type() !== "error" || message.text().includes("404")) return;
    faults++;
    console.log(`${name} ${width} ${theme}: console: ${message.text()}`);
  });
  page.on("pageerror", (error) => {
    faults++;
    console.log(`${name} ${width} ${theme}: ${error.stack}`);
  });
  await page.goto(base + path);
  await page.waitForSelector("main", { timeout: 10_000 });
  await page.waitForTimeout(1200);
  await page.screenshot({ path: join(root, "shots", `${name}-${width}-${theme}.png`) });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (wide > 0) {
    faults++;
    console.log(`${name} ${width}: the page is ${wide} px wider than the window`);
  }
  await page.addScriptTag({ path: axe });
  const { violations } = await page.evaluate(() => globalThis.axe.run());
  for (const { id, help, nodes } of violations) {
    faults++;
    console.log(`${name} ${width} ${theme}: axe ${id}: ${help}`);
    for (const node of nodes.slice(0, 4))
      console.log(`    ${node.html.slice(0, 160)}\n    ${node.failureSummary?.split("\n")[1] ?? ""}`);
  }
  await context.close();
}

for (const [name, path] of Object.entries(PAGES)) {
  if (wanted.size > 0 && !wanted.has(name)) continue;
  for (const width of [1280, 390]) {
    for (const theme of ["dark", "light"]) await look(name, path, width, theme);
  }
}
await browser.close();
console.log(faults ? `${faults} faults` : "nothing to complain of");
process.exitCode = faults ? 1 : 0;
