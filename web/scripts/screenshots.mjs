// Takes the screenshots of the documentation: every page, with sample sessions of several agents.
//
//   node scripts/screenshots.mjs [PAGE …]     default: all pages; for example `live`, `session`, `insight`
//
// CHROMIUM names the browser, BECKET the program, OUT the output directory (default: docs/images).
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { busiestSession, waitUntilReady } from "../browser/page-checks.mjs";
import { payload } from "./payloads.mjs";
import { SAMPLE_TURNS } from "./sample-turns.mjs";
import { withScratchHome } from "./scratch-home.mjs";
import { shrinkPng } from "./shrink-png.mjs";

const out = process.env.OUT ?? join(dirname(fileURLToPath(import.meta.url)), "../../docs/images");
const MAX_BYTES = 150_000;

const MEMORIES = [
  [
    "gotcha",
    "Orders without a discount have NULL there, not 0: `worth` is called for both.",
    "api/discounts.ts",
  ],
  [
    "decision",
    "Discounts are checked on the server alone; the form only shows what it says.",
    "web/checkout.tsx",
  ],
  ["bug_fix", "The parser dropped the last field because the loop ended one early.", "src/parse.rs"],
  ["discovery", "`npm test -- discounts` takes six seconds; all tests take twenty.", "api/orders.test.ts"],
];

const HOOKS = `
[[hook]]
name = "quiet-tests"
event = "PreToolUse"
if = "Bash(npm test*)"
command = "~/bin/quiet-tests"

[[hook]]
name = "auto-format"
event = "PostToolUse"
matcher = "Write|Edit"
command = "prettier --write"

[[hook]]
name = "briefing"
event = "SessionStart"
command = "cat ~/notes/briefing.md"
`;

const shop = (home) => join(home, "projects", "shop");

/** Adds what a user has in addition to sessions: a connected agent, memories, user hooks and project hooks. */
function prepare({ home, becket }) {
  const cwd = shop(home);
  for (const folder of [".claude", ".codex"]) mkdirSync(join(home, folder), { recursive: true });
  becket(["init", "--agent", "claude", "--yes"], { cwd });
  appendFileSync(join(home, "becket", "config.toml"), HOOKS);
  for (const [type, text, file] of MEMORIES)
    becket(["remember", "--type", type, "--file", file, text], { cwd });
  mkdirSync(join(cwd, "scripts"), { recursive: true });
  writeFileSync(
    join(cwd, "becket.toml"),
    '[[hook]]\nname = "protect-migrations"\nevent = "PreToolUse"\nmatcher = "Write|Edit"\ncommand = "./scripts/protect.sh"\n',
  );
  writeFileSync(join(cwd, "scripts", "protect.sh"), "#!/bin/sh\ngrep -q migrations/ && exit 2\nexit 0\n", {
    mode: 0o755,
  });
  runSession({ home, becket });
}

/** Starts a session that is active in the screenshots. The real guard decides. */
function runSession({ home, becket }) {
  const cwd = shop(home);
  const session = { id: "5f0c9a1e-7d34-4c2b-9f6e-2b8f3c1d7a90", cwd, turn: "1" };
  const sendEvent = (act) =>
    becket(["hook", act.event, "--agent", "claude"], {
      cwd,
      input: JSON.stringify(payload("claude", session, act)),
    });
  const [{ prompt, steps }] = SAMPLE_TURNS;
  sendEvent({ event: "SessionStart", source: "startup" });
  sendEvent({ event: "UserPromptSubmit", prompt });
  for (const [i, step] of steps.entries()) {
    const call = { ...step, call: `toolu_${i}`, ms: 40 * (i + 1) };
    sendEvent({ ...call, event: "PreToolUse", ms: undefined });
    if (step.verdict === "deny") return;
    sendEvent({ ...call, event: step.failed ? "PostToolUseFailure" : "PostToolUse" });
  }
}

const PAGES = {
  live: () => "/live",
  sessions: () => "/sessions",
  session: async ({ get }) => `/sessions/${(await busiestSession(get)).id}`,
  decision: async ({ get }) =>
    `/decisions?id=${(await get("/decisions?verdict=deny&limit=1")).items[0].event_id}`,
  hooks: ({ home }) => `/hooks?project=${encodeURIComponent(shop(home))}`,
  trust: ({ home }) => `/hooks?view=trust&project=${encodeURIComponent(shop(home))}`,
  memory: () => "/memory",
  insight: () => "/insight?range=14d",
  settings: () => "/settings",
  phone: () => "/live",
};

/** Waits until the page no longer changes. */
async function waitUntilStable(page) {
  for (let before = -1, now = 0; before !== now; ) {
    before = now;
    await page.waitForTimeout(700);
    now = await page.evaluate(
      () => document.body.textContent.length + document.querySelector("main").scrollHeight,
    );
  }
}

async function takeScreenshot({ base, browser, state }, name, path) {
  const viewport = name === "phone" ? { width: 390, height: 844 } : { width: 1280, height: 800 };
  const context = await browser.newContext({ viewport, colorScheme: "dark", storageState: state });
  const page = await context.newPage();
  await page.goto(base + path);
  await waitUntilReady(page);
  await waitUntilStable(page);
  const picture = shrinkPng(await page.screenshot({ animations: "disabled" }));
  await context.close();
  const file = join(out, `dashboard-${name}.png`);
  if (picture.length > MAX_BYTES)
    throw new Error(`${file} is too large: ${picture.length} bytes, limit ${MAX_BYTES}`);
  writeFileSync(file, picture);
  console.log(`${file} ${Math.round(picture.length / 1000)} KB`);
}

const wanted = new Set(process.argv.slice(2));
mkdirSync(out, { recursive: true });
await withScratchHome(
  [],
  prepare,
  async (scratch) => {
    for (const [name, path] of Object.entries(PAGES))
      if (wanted.size === 0 || wanted.has(name)) await takeScreenshot(scratch, name, await path(scratch));
  },
  "ana",
);
