// Shared state of the steps: the browser, the user's home, and functions that send events.
//
// Variables: BECKET is the program, PROJECT the repository of Claude Code's session, CHROMIUM the browser; HOME and
// BECKET_HOME are the user's.
import { strict as assert } from "node:assert";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const TIMEOUT_MS = 15_000;
const project = process.env.PROJECT;
const home = process.env.BECKET_HOME;

function becket(args, more = {}) {
  const done = spawnSync(process.env.BECKET, args, { cwd: project, encoding: "utf8", ...more });
  if (done.error) throw done.error;
  return done;
}

let calls = Date.now();
/** The payload that Claude Code sends to a hook for a command. */
const payload = (event, command, more = {}) =>
  JSON.stringify({
    session_id: "walk",
    cwd: project,
    hook_event_name: event,
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: `walk${++calls}`,
    ...more,
  });

/** Sends an event of Claude Code and returns Becket's response. */
function sendEvent(command, event = "PreToolUse", more = {}) {
  const done = becket(["hook", event, "--agent", "claude"], { input: payload(event, command, more) });
  return done.stdout + done.stderr;
}

/** Sends a permission request and returns the response after the user's decision. */
function requestPermission(command) {
  const child = spawn(process.env.BECKET, ["hook", "PermissionRequest", "--agent", "claude"], {
    cwd: project,
  });
  child.stdin.end(payload("PermissionRequest", command));
  return new Promise((resolve) => {
    let output = "";
    child.stdout.on("data", (piece) => (output += piece));
    child.on("close", () => resolve(output));
  });
}

/** Another home without any records. */
function emptyHome() {
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

/** A one-time login link. */
const loginLink = () => linkIn(becket(["ui", "--print"]));

export async function openWorld() {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const first = loginLink();
  const base = new URL(first).origin;
  /** Origins of additional daemons started by a step. */
  const allowedOrigins = new Set();
  let errors = [];
  let tolerated = [];

  /** Collects page errors, console warnings and requests to other hosts. */
  function watch(context) {
    context.setDefaultTimeout(TIMEOUT_MS);
    context.on("weberror", (error) => errors.push(`error on the page: ${error.error().stack}`));
    context.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning")
        errors.push(`console: ${message.text()} ${message.location().url}`);
    });
    context.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== base && protocol !== "data:" && !allowedOrigins.has(origin))
        errors.push(`request to another host: ${request.url()}`);
    });
    return context;
  }
  const newContext = async (more = {}) =>
    watch(await browser.newContext({ viewport: { width: 1280, height: 860 }, ...more }));

  const context = await newContext();
  const page = await context.newPage();
  await page.goto(first);
  await page.waitForURL("**/live");
  let screenshotPage = page;
  /** Requests the API with the page's cookie. */
  const get = async (path) => (await context.request.get(`${base}/api/v1${path}`)).json();
  const post = async (path, data) => {
    const response = await context.request.post(`${base}/api/v1${path}`, { data, headers: { origin: base } });
    assert.ok(response.ok(), await response.text());
    return response.json();
  };

  return {
    base,
    becket,
    context,
    emptyHome,
    newContext,
    get,
    sendEvent,
    home,
    loginLink,
    page,
    post,
    project,
    requestPermission,
    config: () => readFileSync(join(home, "config.toml"), "utf8"),
    button: (name) => page.getByRole("button", { name, exact: typeof name === "string" }),
    waitForText: (text) => page.getByText(text).first().waitFor(),
    goto: (path, query = {}) => page.goto(`${base}${path}?${new URLSearchParams(query)}`),
    /** Waits until a decision with this text is recorded. */
    async waitForDecision(text) {
      for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; await page.waitForTimeout(50)) {
        const { items } = await get("/decisions?limit=20");
        if (JSON.stringify(items).includes(text)) return;
      }
      assert.fail(`no decision about ${text} is recorded`);
    },
    /** Sets the page of the screenshot that is taken if the step fails. */
    setScreenshotPage: (other) => {
      screenshotPage = other;
    },
    /** Allows requests to another daemon. */
    allowOrigin: (origin) => allowedOrigins.add(origin),
    /** Ignores browser errors that a step provokes, such as a 409 response. */
    tolerate: (pattern) => tolerated.push(pattern),
    beginStep() {
      errors = [];
      tolerated = [];
      screenshotPage = page;
    },
    async assertNoErrors() {
      const unexpected = errors.filter((error) => !tolerated.some((pattern) => pattern.test(error)));
      assert.deepEqual(unexpected, []);
    },
    screenshot: (path) => screenshotPage.screenshot({ path }),
    close: () => browser.close(),
  };
}
