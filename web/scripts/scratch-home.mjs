// A scratch home with sample sessions, its daemon, and a logged-in browser, for scripts that use the dashboard.
//
// CHROMIUM names the browser, BECKET the program.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const becket = resolve(process.env.BECKET ?? join(here, "../../target/debug/becket"));

/** Creates a home with this name, for screenshots that show its path. It must not exist. */
function namedHome(name) {
  const home = join(tmpdir(), name);
  mkdirSync(home);
  return home;
}

/** Calls `act` with a scratch home filled by `seed.mjs`; `prepare` may add to it. */
export async function withScratchHome(seed, prepare, act, name) {
  const home = name ? namedHome(name) : mkdtempSync(join(tmpdir(), "becket-scratch-"));
  const env = { PATH: process.env.PATH, HOME: home, BECKET_HOME: join(home, "becket") };
  const run = (program, args, more = {}) => {
    const done = spawnSync(program, args, { env, encoding: "utf8", ...more });
    if (done.error || done.status !== 0)
      throw done.error ?? new Error(`${args.join(" ")}: ${done.stdout}${done.stderr}`);
    return done.stdout;
  };
  let browser;
  try {
    run(process.execPath, [join(here, "seed.mjs"), home, "--becket", becket, ...seed]);
    prepare({ home, becket: (args, more) => run(becket, args, more) });
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
      args: ["--no-sandbox"],
    });
    const [link] = /http:\S+/.exec(run(becket, ["ui", "--print"])) ?? [];
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(link);
    await page.waitForURL("**/live");
    await page.close();
    const base = new URL(link).origin;
    await act({
      home,
      base,
      browser,
      state: await context.storageState(),
      get: async (path) => (await context.request.get(`${base}/api/v1${path}`)).json(),
    });
  } finally {
    await browser?.close();
    spawnSync(becket, ["daemon", "stop"], { env });
    rmSync(home, { recursive: true, force: true });
  }
}
