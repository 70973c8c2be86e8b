// Changes the set-up through the dashboard as people do, and looks in files and hooks whether it holds.
//
//   node scripts/walk-setup.mjs DIR [--becket PATH]    DIR was filled by `seed.mjs`, and `dev.mjs` serves it
//
// LOGIN=1 goes to the daemon itself with a code of `becket ui`, which has to have the built files in it.
import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";

const here = dirname(fileURLToPath(import.meta.url));
const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { becket: { type: "string", default: join(here, "../../target/debug/becket") } },
});
const home = resolve(positionals[0] ?? ".");
const env = { PATH: process.env.PATH, HOME: home, BECKET_HOME: join(home, "becket") };
const becket = (args, more = {}) =>
  spawnSync(resolve(given.becket), args, { env, encoding: "utf8", ...more });
const project = join(home, "projects", "shop");
const config = () => readFileSync(join(home, "becket", "config.toml"), "utf8");

let last = Date.now();
/** A tool is to be called; what the hooks say of it. */
function happen(command) {
  const told = {
    session_id: "walk-setup",
    cwd: project,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: `walk${++last}`,
  };
  return becket(["hook", "PreToolUse", "--agent", "claude"], { cwd: project, input: JSON.stringify(told) })
    .stdout;
}

mkdirSync(join(project, "scripts"), { recursive: true });
writeFileSync(
  join(project, "becket.toml"),
  '[[hook]]\nname = "protect"\nevent = "PreToolUse"\nmatcher = "Bash"\ncommand = "./scripts/protect.sh"\n',
);
writeFileSync(join(project, "scripts", "protect.sh"), '#!/bin/sh\necho "not today" >&2\nexit 2\n', {
  mode: 0o755,
});

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
const faults = [];
page.on("pageerror", (error) => faults.push(error.stack));
let base = process.env.BASE ?? "http://127.0.0.1:5180";
const button = (name) => page.getByRole("button", { name, exact: typeof name === "string" });
const shown = (text) => page.getByText(text).first().waitFor({ timeout: 15_000 });
const at = (path, query = {}) => page.goto(`${base}${path}?${new URLSearchParams(query)}`);

const STEPS = {
  "a denied call is explained, with what the rule met": async () => {
    assert.match(happen("echo hi && git push --force origin main"), /deny/);
    await at("/decisions");
    await page.locator(".decision").first().click();
    await page.locator("mark").first().waitFor();
    assert.match(await page.locator("mark").first().textContent(), /git push --force origin main/);
  },
  "it is allowed in future, after the difference was shown": async () => {
    await button("Allow this in future…").click();
    await page.locator(".diff-add").first().waitFor();
    await button("Write it").click();
    await shown("From the next call on, this passes");
    assert.match(config(), /allow/);
    assert.doesNotMatch(happen("echo hi && git push --force origin main"), /"deny"/);
    assert.match(happen("git push --force origin main --tags"), /deny/);
  },
  "what no one should allow is refused with a reason": async () => {
    assert.match(happen("rm -rf ~/"), /deny/);
    await at("/decisions");
    await page.locator(".decision").first().click();
    await button("Allow this in future…").click();
    await page.locator(".dialog .failure").waitFor();
    assert.equal(await button("Write it").count(), 0);
    await page.keyboard.press("Escape");
  },
  "a stricter preset is tried on the past": async () => {
    await at("/decisions", { view: "replay" });
    await button("Run").click();
    await shown("Likely false alarms");
  },
  "a project's hook runs only after it was trusted as shown": async () => {
    assert.doesNotMatch(happen("ls"), /not today/);
    await at("/hooks", { view: "trust", project });
    await shown("not today");
    await button("Trust what is shown").click();
    await shown("are trusted as they stand");
    assert.match(happen("ls"), /not today/);
  },
  "what changed meanwhile is not trusted unseen": async () => {
    writeFileSync(join(project, "scripts", "protect.sh"), '#!/bin/sh\necho "other words" >&2\nexit 2\n');
    await page.reload();
    await shown("other words");
    writeFileSync(join(project, "scripts", "protect.sh"), '#!/bin/sh\necho "third words" >&2\nexit 2\n');
    await button("Trust what is shown").click();
    await shown("Something changed while you read");
    await shown("third words");
    await button("Trust what is shown").click();
    await shown("are trusted as they stand");
  },
  "a hook is tried": async () => {
    await at("/hooks", { project });
    await page.getByRole("link", { name: "protect" }).click();
    await page.getByLabel("Input").fill('{"command": ');
    await shown(/Line 1, column \d+/);
    assert.ok(await button("Run it").isDisabled());
    await page.getByLabel("Input").fill('{"command": "ls"}');
    await button("Run it").click();
    await page.locator(".tried .verdict").waitFor();
    await page.keyboard.press("Escape");
  },
  "a hook is switched off and on": async () => {
    await at("/hooks", { project });
    const toggle = page.getByRole("switch", { name: "Run security-guard" });
    await toggle.click();
    await page.locator('.toggle[aria-label="Run security-guard"][aria-checked="false"]').waitFor();
    assert.doesNotMatch(happen("git push --force origin main"), /push-force/);
    await toggle.click();
    await page.locator('.toggle[aria-label="Run security-guard"][aria-checked="true"]').waitFor();
  },
  "trust is taken back": async () => {
    await at("/hooks", { view: "trust", project });
    await button("Take trust back…").click();
    await button("Take it back").click();
    await shown("no longer trusted");
  },
  "a memory is added, with faults told next to the field": async () => {
    await at("/memory", { project });
    await page.locator(".lead").getByRole("button", { name: "Add a memory" }).click();
    await button("Remember it").click();
    await shown("Say what was learnt.");
    await page.getByLabel("What was learnt").fill(`Walks are done in files ${last}`);
    await button("Remember it").click();
    await page.getByRole("link", { name: `Walks are done in files ${last}` }).click();
  },
  "it is edited, pinned, resolved and forgotten": async () => {
    await button("Edit").click();
    await page.getByLabel("Importance").fill("12");
    await button("Save").click();
    await shown("A whole number from 1 to 10.");
    await page.getByLabel("Importance").fill("9");
    await button("Save").click();
    await shown("9 of 10");
    await page.getByRole("switch", { name: "Pinned" }).click();
    await shown("Pinned.");
    await button("Resolve").click();
    await shown("Make it hold again");
    await button("Forget…").click();
    await button("Forget").click();
    await shown("Forgotten");
  },
  "an agent is connected and disconnected, after the difference was shown": async () => {
    const file = join(home, ".gemini", "settings.json");
    await at("/settings");
    await page.locator("main summary").waitFor();
    if (!(await page.locator("main details").getAttribute("open")))
      await page.locator("main summary").click();
    const row = page.locator(".connection-row", { hasText: "Gemini" });
    const connect = row.getByRole("button", { name: "Connect…" });
    if (!(await connect.isVisible())) await page.locator("main summary").click();
    await connect.click();
    await page.locator(".dialog .diff-add").first().waitFor();
    assert.equal(existsSync(file), false);
    await button("Connect").click();
    await shown("Gemini CLI is connected");
    assert.match(readFileSync(file, "utf8"), /becket/);
    await row.getByRole("button", { name: "Disconnect…" }).click();
    await button("Disconnect").click();
    await shown("Becket is out of Gemini CLI");
  },
  "a wrong pattern is explained, and a right one is written": async () => {
    await at("/settings", { view: "own" });
    await page.getByLabel("New pattern").fill("acme_(");
    await page.locator(".field-error").waitFor();
    assert.ok(await button("Add…").isDisabled());
    await page.getByLabel("New pattern").fill("acme_[a-z]{8}");
    await button("Add…").click();
    await button("Write it").click();
    await shown("Written.");
    assert.match(config(), /acme_\[a-z\]\{8\}/);
  },
  "how long records are kept is changed": async () => {
    await page.getByLabel("Keep records for").fill("60d");
    await page.locator(".inline-form").first().getByRole("button", { name: "Change…" }).click();
    await button("Write it").click();
    await page.locator(".dialog").waitFor({ state: "detached" });
    assert.match(config(), /60d/);
  },
};

if (process.env.LOGIN) {
  STEPS["after logging out, nothing is shown"] = async () => {
    await at("/settings", { view: "browser" });
    await button("Log out").click();
    await shown("becket ui");
    await at("/live");
    await shown("becket ui");
  };
  const [link] = /http:\S+/.exec(becket(["ui", "--print"]).stdout) ?? [];
  base = new URL(link).origin;
  await page.goto(link);
  await page.waitForURL("**/live");
}
let failed = 0;
for (const [name, step] of Object.entries(STEPS)) {
  try {
    await step();
    console.log(`ok    ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}\n${String(error).slice(0, 900)}`);
    mkdirSync(join(here, "..", "shots"), { recursive: true });
    await page.screenshot({ path: join(here, "..", "shots", `walk-setup-${failed}.png`) });
  }
}
await browser.close();
for (const fault of faults) console.log(`error on the page: ${fault}`);
process.exitCode = failed + faults.length > 0 ? 1 : 0;
