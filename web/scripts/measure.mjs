// Benchmarks the dashboard: load time, size, and the daemon's CPU use while a page is open.
//
//   node scripts/measure.mjs [--events 100000] [--idle 30]
//
// Times are measured in Chromium from the start of the navigation to the first visible row or chart, with a warm browser
// cache. BECKET names the program; use a release build.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { withScratchHome } from "./scratch-home.mjs";

const { values: given } = parseArgs({
  options: { events: { type: "string", default: "100000" }, idle: { type: "string", default: "30" } },
});
const ROUNDS = 7;
const TICKS_PER_SECOND = 100;
const PAGES = {
  "/live": ".event",
  "/sessions": ".session-row",
  "/decisions": ".decision",
  "/insight": ".plots canvas",
};

/** The time until the selector is visible, in milliseconds since the navigation started. */
async function timeToFirst(page, url, selector) {
  await page.goto(url, { waitUntil: "commit" });
  const shown = await page.waitForFunction(
    (selector) => document.querySelector(selector)?.getBoundingClientRect().height && performance.now(),
    selector,
    { polling: "raf" },
  );
  return shown.jsonValue();
}

function cpuTicks(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

function zippedSize() {
  const dist = join(dirname(fileURLToPath(import.meta.url)), "../dist");
  const size = (name) => gzipSync(readFileSync(join(dist, name)), { level: 9 }).length;
  return size("app.js") + size("app.css");
}

console.log(`app.js and app.css, gzipped: ${(zippedSize() / 1000).toFixed(1)} KB`);
await withScratchHome(
  ["--events", given.events, "--days", "60"],
  () => {},
  async ({ base, browser, state, get }) => {
    const context = await browser.newContext({ storageState: state });
    const page = await context.newPage();
    const { pid, cursor } = await get("/status");
    // Pause learning: processing so many sessions at once would distort the measurement.
    const paused = await context.request.post(`${base}/api/v1/learning/pause`, { headers: { origin: base } });
    if (!paused.ok()) throw new Error(`cannot pause learning: ${await paused.text()}`);
    console.log(`${cursor} events`);
    for (const [path, selector] of Object.entries(PAGES)) {
      const times = [];
      for (let i = 0; i < ROUNDS; i++) times.push(await timeToFirst(page, base + path, selector));
      times.sort((a, b) => a - b);
      const ms = (time) => `${Math.round(time)} ms`;
      console.log(`${path}: median ${ms(times[ROUNDS >> 1])}, slowest ${ms(times[ROUNDS - 1])}`);
    }
    await page.goto(`${base}/live`);
    await page.locator(".event").first().waitFor();
    const seconds = Number(given.idle);
    // Skip the initial requests of the page.
    await page.waitForTimeout(5000);
    const before = cpuTicks(pid);
    await page.waitForTimeout(seconds * 1000);
    const used = (cpuTicks(pid) - before) / TICKS_PER_SECOND;
    console.log(`the daemon, idle with Live open: ${used.toFixed(2)} s of CPU in ${seconds} s`);
  },
);
