// How quick the dashboard is, how large, and what it costs the daemon while it is open.
//
//   node scripts/measure.mjs [--events 100000] [--idle 30]
//
// Times are from the start of the navigation to the first row or plot that is shown, in Chromium; the browser has the page's
// files from before, as it has at any visit but the first. BECKET names the program: a release build is what people have.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { inScratch } from "./scratch.mjs";

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

/** When the first of these is there, in milliseconds since the navigation began. */
async function firstShown(page, url, selector) {
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
await inScratch(
  ["--events", given.events, "--days", "60"],
  () => {},
  async ({ base, browser, state, get }) => {
    const context = await browser.newContext({ storageState: state });
    const page = await context.newPage();
    const { pid, cursor } = await get("/status");
    // There is much to learn from so many sessions at once, which is not what is measured.
    const paused = await context.request.post(`${base}/api/v1/learning/pause`, { headers: { origin: base } });
    if (!paused.ok()) throw new Error(`learning goes on: ${await paused.text()}`);
    console.log(`${cursor} events`);
    for (const [path, selector] of Object.entries(PAGES)) {
      const times = [];
      for (let i = 0; i < ROUNDS; i++) times.push(await firstShown(page, base + path, selector));
      times.sort((a, b) => a - b);
      const ms = (time) => `${Math.round(time)} ms`;
      console.log(`${path}: median ${ms(times[ROUNDS >> 1])}, slowest ${ms(times[ROUNDS - 1])}`);
    }
    await page.goto(`${base}/live`);
    await page.locator(".event").first().waitFor();
    const seconds = Number(given.idle);
    // What the page asks for at first is not idleness.
    await page.waitForTimeout(5000);
    const before = cpuTicks(pid);
    await page.waitForTimeout(seconds * 1000);
    const used = (cpuTicks(pid) - before) / TICKS_PER_SECOND;
    console.log(`the daemon, idle with Live open: ${used.toFixed(2)} s of CPU in ${seconds} s`);
  },
);
