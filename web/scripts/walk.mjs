// Uses the dashboard as people do, and complains where it does not do what it should.
//
//   node scripts/walk.mjs DIR [--becket PATH]    DIR was filled by `seed.mjs`, and `dev.mjs` serves it
//
// The daemon of DIR is stopped and started on the way.
import { strict as assert } from "node:assert";
import { spawnSync } from "node:child_process";
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
const base = process.env.BASE ?? "http://127.0.0.1:5180";
const env = { PATH: process.env.PATH, HOME: home, BECKET_HOME: join(home, "becket") };
const becket = (args, more = {}) =>
  spawnSync(resolve(given.becket), args, { env, encoding: "utf8", ...more });

/** Tells the events of this walk from those of earlier ones. */
const walk = Date.now().toString(36);
let last = 0;
/** Something happens: a tool is called by a session of its own. */
function happen(command, session = `walk-${walk}`) {
  const cwd = join(home, "projects", "shop");
  const told = {
    session_id: session,
    cwd,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command },
    tool_use_id: `walk${++last}`,
  };
  becket(["hook", "PreToolUse", "--agent", "claude"], { cwd, input: JSON.stringify(told) });
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
const faults = [];
page.on("pageerror", (error) => faults.push(error.stack));
const path = () => new URL(page.url()).pathname + new URL(page.url()).search;
const shown = (text) => page.getByText(text).first().waitFor({ timeout: 15_000 });

const STEPS = {
  "keys go to pages": async () => {
    await page.goto(`${base}/live`);
    await page.locator(".event").first().waitFor();
    for (const [key, where] of [
      ["s", "/sessions"],
      ["i", "/insight"],
      ["d", "/decisions"],
      ["l", "/live"],
    ]) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.waitForURL(`**${where}`);
    }
    await page.keyboard.press("?");
    await shown("go to Sessions");
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("dialog").count(), 0);
  },
  "what happens appears at once": async () => {
    happen(`echo appears-at-once-${walk}`);
    await shown(`echo appears-at-once-${walk}`);
  },
  "a pause holds events back, and counts them": async () => {
    await page.getByRole("button", { name: "Pause" }).click();
    happen(`echo held-back-${walk}`);
    await page.getByRole("button", { name: /Resume · [1-9]/ }).waitFor();
    assert.equal(await page.getByText(`echo held-back-${walk}`).count(), 0);
    await page.keyboard.press("p");
    await shown(`echo held-back-${walk}`);
  },
  "j, Enter and Escape open and close an event": async () => {
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.locator(".vrow.selected").waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".drawer .code").first().waitFor();
    assert.match(path(), /event-at=\d+/);
    await page.keyboard.press("Escape");
    await page.locator(".drawer").waitFor({ state: "detached" });
  },
  "filters are in the address, and hold after a reload": async () => {
    await page.getByLabel("Verdict").selectOption("deny");
    await page.waitForURL("**verdict=deny");
    happen("git push --force origin main");
    await page.locator(".event.strict").first().waitFor();
    await page.reload();
    await page.locator(".event").first().waitFor();
    assert.equal(await page.locator(".event:not(.strict)").count(), 0);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.waitForURL("**/live");
  },
  "a daemon that goes is said, and what was missed comes when it is back": async () => {
    becket(["daemon", "stop"]);
    await shown("The daemon is not running.");
    happen(`echo while-it-was-gone-${walk}`);
    becket(["daemon", "start"]);
    await shown(`echo while-it-was-gone-${walk}`);
    await page.locator(".banner").waitFor({ state: "detached" });
    const rows = await page.locator(".event-about").allTextContents();
    assert.equal(rows.filter((text) => text.includes(`while-it-was-gone-${walk}`)).length, 1);
  },
  "what is read stays in place while more comes": async () => {
    await page.locator("main").evaluate((main) => main.scrollTo(0, 1500));
    await page.waitForTimeout(300);
    const seen = await page.evaluate(() => {
      const row = document.elementFromPoint(700, 500)?.closest(".event");
      return { text: row?.textContent, top: row?.getBoundingClientRect().top };
    });
    for (let i = 0; i < 5; i++) happen(`echo more-comes-${i}`);
    await page.waitForTimeout(1500);
    const now = await page.evaluate(
      () => document.elementFromPoint(700, 500)?.closest(".event")?.textContent,
    );
    assert.equal(now, seen.text);
  },
  "a session opens, and its calls unfold": async () => {
    await page.goto(`${base}/sessions`);
    await page
      .locator(".session-row", { hasText: /[2-9] actions/ })
      .first()
      .click();
    await page.waitForURL("**/sessions/*");
    const call = page.locator(".callbox .call").first();
    await call.click();
    await page.locator(".inside .code").first().waitFor();
    await call.click();
    await page.locator(".inside").waitFor({ state: "detached" });
  },
  "search finds what was said, and goes there": async () => {
    await page.getByRole("button", { name: "Search" }).first().click();
    await page.getByRole("searchbox").fill("last field");
    await page.locator(".hits a").first().click();
    await page.waitForURL("**/sessions/*at=*");
    await page.locator(".vrow.selected").waitFor();
  },
  "the theme is kept": async () => {
    await page
      .getByRole("button", { name: /^Theme/ })
      .first()
      .click();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await page.reload();
    await page.locator("nav").waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
  },
};

let failed = 0;
for (const [name, step] of Object.entries(STEPS)) {
  try {
    await step();
    console.log(`ok    ${name}`);
  } catch (error) {
    failed++;
    console.log(`FAIL  ${name}\n${String(error).slice(0, 900)}`);
    await page.screenshot({ path: join(here, "..", "shots", `walk-${failed}.png`) });
  }
}
await browser.close();
for (const fault of faults) console.log(`error on the page: ${fault}`);
process.exitCode = failed + faults.length > 0 ? 1 : 0;
