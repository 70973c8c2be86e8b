// What steps share: the browser, the person's home, and events that happen meanwhile.
//
// BECKET is the program, PROJECT the repository in which Claude Code worked, CHROMIUM the browser; HOME and BECKET_HOME are
// the person's.
import { strict as assert } from "node:assert";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
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
/** What Claude Code writes to a hook about a command. */
const told = (event, command, more = {}) =>
  JSON.stringify({
    session_id: "walk",
    cwd: project,
    hook_event_name: event,
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: `walk${++calls}`,
    ...more,
  });

/** A tool is to be called, as Claude Code tells it; what hooks say of it. */
function happen(command, event = "PreToolUse", more = {}) {
  const done = becket(["hook", event, "--agent", "claude"], { input: told(event, command, more) });
  return done.stdout + done.stderr;
}

/** Somebody is asked whether a command may run; what Claude Code is told once there is an answer. */
function wait(command) {
  const child = spawn(process.env.BECKET, ["hook", "PermissionRequest", "--agent", "claude"], {
    cwd: project,
  });
  child.stdin.end(told("PermissionRequest", command));
  return new Promise((resolve) => {
    let said = "";
    child.stdout.on("data", (piece) => (said += piece));
    child.on("close", () => resolve(said));
  });
}

/** Another home, in which nothing has happened yet. */
function elsewhere() {
  const other = mkdtempSync(join(tmpdir(), "becket-lab-empty-"));
  const env = { ...process.env, HOME: other, BECKET_HOME: join(other, "becket") };
  const run = (args) => becket(args, { env, cwd: other });
  return {
    link: () => linkIn(run(["ui", "--print"])),
    close() {
      run(["daemon", "stop"]);
      rmSync(other, { recursive: true, force: true });
    },
  };
}

function linkIn(done) {
  const [url] = /http:\S+/.exec(done.stdout) ?? [];
  assert.ok(url, done.stdout + done.stderr);
  return url;
}

/** A link that lets one browser in. */
const link = () => linkIn(becket(["ui", "--print"]));

export async function openWorld() {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const first = link();
  const base = new URL(first).origin;
  /** Daemons of homes that a step made for itself. */
  const own = new Set();
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
      if (origin !== base && protocol !== "data:" && !own.has(origin))
        faults.push(`asked another host: ${request.url()}`);
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
  const post = async (path, data) => {
    const answer = await context.request.post(`${base}/api/v1${path}`, { data, headers: { origin: base } });
    assert.ok(answer.ok(), await answer.text());
    return answer.json();
  };

  return {
    base,
    becket,
    context,
    elsewhere,
    fresh,
    get,
    happen,
    home,
    link,
    page,
    post,
    project,
    wait,
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
    /** Another daemon that pages may be asked from. */
    admit: (origin) => own.add(origin),
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
