// What happens, as it happens.
import { strict as assert } from "node:assert";

const path = (page) => new URL(page.url()).pathname + new URL(page.url()).search;

async function open({ page, at }) {
  await at("/live");
  await page.locator(".event").first().waitFor();
}

/** Shows a page to somebody, or hides it from them: browsers without windows hide none. */
const see = (page, is) =>
  page.evaluate((is) => {
    Object.defineProperty(document, "hidden", { value: !is, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, is);

export const STEPS = {
  "what both agents did is there": async (world) => {
    await open(world);
    for (const agent of ["claude", "codex"]) {
      await world.at("/live", { agent });
      await world.shown(`Mend the parser of ${agent}, please.`);
    }
  },
  "keys go to pages, and are explained": async (world) => {
    const { page } = world;
    await open(world);
    const keys = {
      s: "sessions",
      d: "decisions",
      h: "hooks",
      m: "memory",
      i: "insight",
      ",": "settings",
      l: "live",
    };
    for (const [key, where] of Object.entries(keys)) {
      await page.keyboard.press("g");
      await page.keyboard.press(key);
      await page.waitForURL(`**/${where}`);
    }
    await page.keyboard.press("?");
    await world.shown("go to Sessions");
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
  },
  "an event appears without a reload": async (world) => {
    await open(world);
    world.happen("echo appears-at-once");
    await world.shown("echo appears-at-once");
  },
  "a pause holds events back, and counts them": async (world) => {
    const { page } = world;
    await open(world);
    await world.button("Pause").click();
    world.happen("echo held-back");
    await world.button(/Resume · [1-9]/).waitFor();
    assert.equal(await page.getByText("echo held-back").count(), 0);
    await page.keyboard.press("p");
    await world.shown("echo held-back");
  },
  "j, Enter and Escape open and close an event": async (world) => {
    const { page } = world;
    await open(world);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.locator(".vrow.selected").waitFor();
    await page.keyboard.press("Enter");
    await page.locator(".drawer .code").first().waitFor();
    assert.match(path(page), /event-at=\d+/);
    await page.keyboard.press("Escape");
    await page.locator(".drawer").waitFor({ state: "detached" });
  },
  "filters are in the address, and hold after a reload": async (world) => {
    const { page } = world;
    await open(world);
    await page.getByLabel("Verdict").selectOption("deny");
    await page.waitForURL("**verdict=deny");
    await page.locator(".event.strict").first().waitFor();
    await page.reload();
    await page.locator(".event.strict").first().waitFor();
    assert.equal(await page.locator(".event:not(.strict)").count(), 0);
    await world.button("Clear").click();
    await page.waitForURL("**/live");
  },
  "a filter that is chosen while it is paused leaves it paused": async (world) => {
    const { page } = world;
    await open(world);
    await world.button("Pause").click();
    // What happens before the page follows along is in the list that it begins with.
    const follows = page.waitForRequest((asked) => /stream.*PreToolUse/.test(asked.url()));
    await page.getByRole("combobox", { name: "Event" }).selectOption("PreToolUse");
    await follows;
    world.happen("echo paused-still");
    await world.button(/Resume · [1-9]/).waitFor();
    assert.equal(await page.getByText("echo paused-still").count(), 0);
  },
  "events and projects narrow it down, and what nobody did is said not to be there": async (world) => {
    const { page } = world;
    world.happen("echo narrowed");
    await world.at("/live", { event: "PreToolUse", project: world.project });
    await world.shown("echo narrowed");
    const kinds = await page.locator(".event-kind").allTextContents();
    assert.deepEqual([...new Set(kinds.map((kind) => kind.replace(/[^A-Za-z]/g, "")))], ["PreToolUse"]);
    await world.at("/live", { event: "PreCompact" });
    await world.shown("Nothing like that was recorded");
  },
  "eight tabs that nobody looks at leave the ninth its connection": async (world) => {
    const tabs = [];
    for (let i = 0; i < 8; i++) {
      const page = await world.context.newPage();
      tabs.push(page);
      world.look(page);
      await page.goto(`${world.base}/live`);
      await page.locator(".event").first().waitFor();
      await page.locator(".connection", { hasText: "live" }).waitFor();
      await see(page, false);
      await page.locator(".connection", { hasText: "resting" }).waitFor();
    }
    world.happen("echo behind-my-back");
    await open(world);
    await world.shown("echo behind-my-back");
    const [first] = tabs;
    world.look(first);
    assert.equal(await first.getByText("echo behind-my-back").count(), 0);
    await see(first, true);
    await first.getByText("echo behind-my-back").first().waitFor();
    const rows = await first.locator(".event-about").allTextContents();
    assert.equal(rows.filter((text) => text.includes("behind-my-back")).length, 1);
    for (const page of tabs) await page.close();
  },
  "an alarm is shown once, and is gone when it was seen": async (world) => {
    const { page } = world;
    await open(world);
    const call = { tool_use_id: `alarm${Date.now()}` };
    assert.match(world.happen("git push --force origin master", "PreToolUse", call), /deny/);
    world.happen("git push --force origin master", "PostToolUse", { ...call, tool_response: { stdout: "" } });
    const alarm = page.locator(".alarm", { hasText: "git push --force origin master" });
    await alarm.waitFor();
    await page.reload();
    await alarm.waitFor();
    assert.equal(await alarm.count(), 1);
    assert.doesNotMatch(await alarm.textContent(), /\d{4}-\d\d-\d\dT/);
    await alarm.getByRole("link", { name: "Session" }).click();
    await page
      .locator(".callbox", { hasText: "git push --force origin master" })
      .getByText("ran all the same")
      .waitFor();
    await open(world);
    await alarm.getByRole("button", { name: "Seen" }).click();
    await alarm.waitFor({ state: "detached" });
  },
  "who looks at the page answers what an agent wants to know": async (world) => {
    const { page } = world;
    assert.equal(world.becket(["hooks", "enable", "ask-editor"]).status, 0);
    for (const word of ["Allow", "Deny"]) {
      await world.at("/live");
      await page.waitForResponse("**/api/v1/permissions");
      const command = `make ${word.toLowerCase()}-it`;
      const answer = world.wait(command);
      const card = page.locator(".permission", { hasText: command });
      await card.waitFor();
      await card.getByRole("button", { name: word }).click();
      assert.match(await answer, new RegExp(`"behavior": ?"${word.toLowerCase()}"`));
      await card.waitFor({ state: "detached" });
    }
  },
  "on a phone, the back button closes an event, and nothing behind it can be reached": async (world) => {
    const storageState = await world.context.storageState();
    const context = await world.fresh({ storageState, viewport: { width: 390, height: 860 } });
    const page = await context.newPage();
    world.look(page);
    await page.goto(`${world.base}/live`);
    await page.locator(".event").first().click();
    await page.locator(".drawer .code").first().waitFor();
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press("Tab");
      const isInside = await page.evaluate(() => {
        const at = document.activeElement;
        return at === document.body || at?.closest(".drawer") !== null;
      });
      assert.ok(isInside, `after ${i + 1} times Tab`);
    }
    await page.goBack();
    await page.locator(".drawer").waitFor({ state: "detached" });
    await page.locator(".event").first().click();
    await page.locator(".drawer").waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".drawer").waitFor({ state: "detached" });
    assert.equal(path(page), "/live");
    await context.close();
  },
  "what is read stays in place while more comes": async (world) => {
    const { page } = world;
    for (let i = 0; i < 60; i++) world.happen(`echo filler-${i}`);
    await open(world);
    const main = page.locator("main");
    await main.evaluate((main) => main.scrollTo(0, 800));
    const under = () =>
      page.evaluate(() => document.elementFromPoint(700, 500)?.closest(".event")?.textContent);
    await page.waitForFunction(() => document.elementFromPoint(700, 500)?.closest(".event"));
    const height = await main.evaluate((main) => main.scrollHeight);
    // The time of a row may be told anew; what it is about may not move.
    const about = (text) => /echo filler-\d+/.exec(text ?? "")?.[0];
    const before = about(await under());
    assert.ok(before);
    for (let i = 0; i < 5; i++) world.happen(`echo more-comes-${i}`);
    await page.waitForFunction((height) => document.querySelector("main").scrollHeight > height, height);
    assert.equal(about(await under()), before);
  },
};
