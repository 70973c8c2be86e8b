// What steps share: the browser, the person's home, and events that happen meanwhile.
//
// BECKET is the program, PROJECT the repository in which Claude Code worked, CHROMIUM the browser; HOME and BECKET_HOME are
// the person's.
import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "playwright-core";

const PATIENCE_MS = 15_000;
const project = process.env.PROJECT;
const home = process.env.BECKET_HOME;

function becket(args, more = {}) {
  const done = spawnSync(process.env.BECKET, args, { cwd: project, encoding: "utf8", ...more });
  if (done.error) throw done.error;
  return done;
}

let calls = Date.now();
/** A tool is to be called, as Claude Code tells it; what hooks say of it. */
function happen(command) {
  const told = {
    session_id: "walk",
    cwd: project,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: `walk${++calls}`,
  };
  const done = becket(["hook", "PreToolUse", "--agent", "claude"], { input: JSON.stringify(told) });
  return done.stdout + done.stderr;
}

/** A link that lets one browser in. */
function link() {
  const done = becket(["ui", "--print"]);
  const [url] = /http:\S+/.exec(done.stdout) ?? [];
  assert.ok(url, done.stdout + done.stderr);
  return url;
}

export async function openWorld() {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const first = link();
  const base = new URL(first).origin;
  let faults = [];
  let tolerated = [];

  /** Everything that a page may not do: fail, complain, or ask anybody but the daemon. */
  function watch(context) {
    context.setDefaultTimeout(PATIENCE_MS);
    context.on("weberror", (error) => faults.push(`error on the page: ${error.error().stack}`));
    context.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning")
        faults.push(`console: ${message.text()} ${message.location().url}`);
    });
    context.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== base && protocol !== "data:") faults.push(`asked another host: ${request.url()}`);
    });
    return context;
  }
  const fresh = async (more = {}) =>
    watch(await browser.newContext({ viewport: { width: 1280, height: 860 }, ...more }));

  const context = await fresh();
  const page = await context.newPage();
  await page.goto(first);
  await page.waitForURL("**/live");
  let shown = page;
  /** Asks the daemon, as the page does. */
  const get = async (path) => (await context.request.get(`${base}/api/v1${path}`)).json();

  return {
    base,
    becket,
    context,
    fresh,
    get,
    happen,
    home,
    link,
    page,
    project,
    config: () => readFileSync(join(home, "config.toml"), "utf8"),
    button: (name) => page.getByRole("button", { name, exact: typeof name === "string" }),
    shown: (text) => page.getByText(text).first().waitFor(),
    at: (path, query = {}) => page.goto(`${base}${path}?${new URLSearchParams(query)}`),
    /** Waits for a decision about this to be on record. */
    async decided(text) {
      for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await page.waitForTimeout(50)) {
        const { items } = await get("/decisions?limit=20");
        if (JSON.stringify(items).includes(text)) return;
      }
      assert.fail(`no decision about ${text} is on record`);
    },
    /** The page to take a picture of if the step fails. */
    look: (other) => {
      shown = other;
    },
    /** What the browser notes by itself where a step provokes it, such as an answer of 409. */
    tolerate: (pattern) => tolerated.push(pattern),
    begin() {
      faults = [];
      tolerated = [];
      shown = page;
    },
    async settle() {
      const left = faults.filter((fault) => !tolerated.some((pattern) => pattern.test(fault)));
      assert.deepEqual(left, []);
    },
    shoot: (path) => shown.screenshot({ path }),
    close: () => browser.close(),
  };
}
