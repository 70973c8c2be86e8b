// Makes the pictures of the documentation: every page, with made-up work of several agents.
//
//   node scripts/shots.mjs [PAGE …]     all pages unless some are named: `live`, `session`, `insight` …
//
// CHROMIUM names the browser, BECKET the program; OUT is where the pictures go, docs/images unless said.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { ready, richest } from "../browser/look.mjs";
import { small } from "./small.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const becket = process.env.BECKET ?? join(here, "../../target/debug/becket");
const out = process.env.OUT ?? join(here, "../../docs/images");
const MOST_BYTES = 150_000;

const home = mkdtempSync(join(tmpdir(), "becket-shots-"));
const project = join(home, "projects", "shop");
const env = { PATH: process.env.PATH, HOME: home, BECKET_HOME: join(home, "becket") };
function run(program, args, more = {}) {
  const done = spawnSync(program, args, { env, encoding: "utf8", ...more });
  if (done.error || done.status !== 0) throw done.error ?? new Error(`${args}: ${done.stdout}${done.stderr}`);
  return done.stdout;
}

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

/** What a person has beside sessions: agents that are connected, memories, hooks of the project's. */
function furnish() {
  mkdirSync(join(home, ".claude"), { recursive: true });
  mkdirSync(join(home, ".codex"), { recursive: true });
  mkdirSync(join(project, "scripts"), { recursive: true });
  run(becket, ["init", "--agent", "claude", "--yes"], { cwd: project });
  for (const [type, text, file] of MEMORIES)
    run(becket, ["remember", "--type", type, "--file", file, text], { cwd: project });
  writeFileSync(
    join(project, "becket.toml"),
    '[[hook]]\nname = "protect-migrations"\nevent = "PreToolUse"\nmatcher = "Write|Edit"\ncommand = "./scripts/protect.sh"\n',
  );
  writeFileSync(
    join(project, "scripts", "protect.sh"),
    "#!/bin/sh\ngrep -q migrations/ && exit 2\nexit 0\n",
    {
      mode: 0o755,
    },
  );
}

const PAGES = {
  live: () => "/live",
  sessions: () => "/sessions",
  session: async (get) => `/sessions/${(await richest(get)).id}`,
  decision: async (get) =>
    `/decisions?id=${(await get("/decisions?verdict=deny&limit=1")).items[0].event_id}`,
  hooks: () => "/hooks",
  trust: () => `/hooks?view=trust&project=${encodeURIComponent(project)}`,
  memory: () => "/memory",
  insight: () => "/insight?range=14d",
  settings: () => "/settings",
};

async function shoot(browser, name, width, path, storageState) {
  const viewport = { width, height: width < 500 ? 844 : 800 };
  const context = await browser.newContext({ viewport, colorScheme: "dark", storageState });
  const page = await context.newPage();
  await page.goto(path);
  await ready(page);
  await page.waitForLoadState("load");
  const file = join(out, `${name}.png`);
  const picture = small(await page.screenshot({ animations: "disabled" }));
  writeFileSync(file, picture);
  const size = picture.length;
  console.log(`${file} ${Math.round(size / 1000)} KB`);
  if (size > MOST_BYTES) throw new Error(`${file} is larger than ${MOST_BYTES} bytes`);
  await context.close();
}

try {
  run(process.execPath, [join(here, "seed.mjs"), home, "--becket", becket]);
  furnish();
  const [link] = /http:\S+/.exec(run(becket, ["ui", "--print"])) ?? [];
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(link);
  await page.waitForURL("**/live");
  const { origin } = new URL(link);
  const get = async (path) => (await context.request.get(`${origin}/api/v1${path}`)).json();
  const state = await context.storageState();
  const wanted = new Set(process.argv.slice(2));
  mkdirSync(out, { recursive: true });
  for (const [name, path] of Object.entries(PAGES))
    if (wanted.size === 0 || wanted.has(name))
      await shoot(browser, `dashboard-${name}`, 1280, origin + (await path(get)), state);
  if (wanted.size === 0 || wanted.has("phone"))
    await shoot(browser, "dashboard-phone", 390, `${origin}/live`, state);
  await browser.close();
} finally {
  spawnSync(becket, ["daemon", "stop"], { env });
  rmSync(home, { recursive: true, force: true });
}
