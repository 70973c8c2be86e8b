// The live page: stream, filters, alarms, permissions.
import { strict as assert } from "node:assert";

const path = (page) => new URL(page.url()).pathname + new URL(page.url()).search;

async function open({ page, goto }) {
  await goto("/live");
  await page.locator(".event").first().waitFor();
}

/** Simulates a visible or hidden tab, because a headless browser never hides one. */
const setVisible = (page, visible) =>
  page.evaluate((visible) => {
    Object.defineProperty(document, "hidden", { value: !visible, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, visible);

export const STEPS = {
  "events of both agents are listed": async (world) => {
    await open(world);
    for (const agent of ["claude", "codex"]) {
      await world.goto("/live", { agent });
      await world.waitForText(`Mend the parser of ${agent}, please.`);
    }
  },
  "keyboard shortcuts open pages and are listed": async (world) => {
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
    await world.waitForText("go to Sessions");
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
  },
  "an event appears without a reload": async (world) => {
    await open(world);
    world.sendEvent("echo appears-at-once");
    await world.waitForText("echo appears-at-once");
  },
  "a pause buffers and counts new events": async (world) => {
    const { page } = world;
    await open(world);
    await world.button("Pause").click();
    world.sendEvent("echo held-back");
    await world.button(/Resume · [1-9]/).waitFor();
    assert.equal(await page.getByText("echo held-back").count(), 0);
    await page.keyboard.press("p");
    await world.waitForText("echo held-back");
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
  "filters are in the address and survive a reload": async (world) => {
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
  "changing a filter keeps the pause": async (world) => {
    const { page } = world;
    await open(world);
    await world.button("Pause").click();
    // Wait for the stream; earlier events would be part of the initial list.
    const streaming = page.waitForRequest((request) => /stream.*PreToolUse/.test(request.url()));
    await page.getByRole("combobox", { name: "Event" }).selectOption("PreToolUse");
    await streaming;
    world.sendEvent("echo paused-still");
    await world.button(/Resume · [1-9]/).waitFor();
    assert.equal(await page.getByText("echo paused-still").count(), 0);
  },
  "event and project filters apply, and an empty result says so": async (world) => {
    const { page } = world;
    world.sendEvent("echo narrowed");
    await world.goto("/live", { event: "PreToolUse", project: world.project });
    await world.waitForText("echo narrowed");
    const kinds = await page.locator(".event-kind").allTextContents();
    assert.deepEqual([...new Set(kinds.map((kind) => kind.replace(/[^A-Za-z]/g, "")))], ["PreToolUse"]);
    await world.goto("/live", { event: "PreCompact" });
    await world.waitForText("No matching events");
  },
  "eight hidden tabs leave the ninth its connection": async (world) => {
    const tabs = [];
    for (let i = 0; i < 8; i++) {
      const page = await world.context.newPage();
      tabs.push(page);
      world.setScreenshotPage(page);
      await page.goto(`${world.base}/live`);
      await page.locator(".event").first().waitFor();
      await page.locator(".connection", { hasText: "live" }).waitFor();
      await setVisible(page, false);
      await page.locator(".connection", { hasText: "suspended" }).waitFor();
    }
    world.sendEvent("echo behind-my-back");
    await open(world);
    await world.waitForText("echo behind-my-back");
    const [first] = tabs;
    world.setScreenshotPage(first);
    assert.equal(await first.getByText("echo behind-my-back").count(), 0);
    await setVisible(first, true);
    await first.getByText("echo behind-my-back").first().waitFor();
    const rows = await first.locator(".event-about").allTextContents();
    assert.equal(rows.filter((text) => text.includes("behind-my-back")).length, 1);
    for (const page of tabs) await page.close();
  },
  "an alarm is shown once and disappears when acknowledged": async (world) => {
    const { page } = world;
    await open(world);
    const call = { tool_use_id: `alarm${Date.now()}` };
    assert.match(world.sendEvent("git push --force origin master", "PreToolUse", call), /deny/);
    world.sendEvent("git push --force origin master", "PostToolUse", {
      ...call,
      tool_response: { stdout: "" },
    });
    const alarm = page.locator(".alarm", { hasText: "git push --force origin master" });
    await alarm.waitFor();
    await page.reload();
    await alarm.waitFor();
    assert.equal(await alarm.count(), 1);
    assert.doesNotMatch(await alarm.textContent(), /\d{4}-\d\d-\d\dT/);
    await alarm.getByRole("link", { name: "Session" }).click();
    await page
      .locator(".callbox", { hasText: "git push --force origin master" })
      .getByText("ran anyway")
      .waitFor();
    await open(world);
    await alarm.getByRole("button", { name: "Acknowledge" }).click();
    await alarm.waitFor({ state: "detached" });
  },
  "a permission request is answered on the page": async (world) => {
    const { page } = world;
    assert.equal(world.becket(["hooks", "enable", "ask-editor"]).status, 0);
    for (const word of ["Allow", "Deny"]) {
      await world.goto("/live");
      await page.waitForResponse("**/api/v1/permissions");
      const command = `make ${word.toLowerCase()}-it`;
      const answer = world.requestPermission(command);
      const card = page.locator(".permission", { hasText: command });
      await card.waitFor();
      await card.getByRole("button", { name: word }).click();
      assert.match(await answer, new RegExp(`"behavior": ?"${word.toLowerCase()}"`));
      await card.waitFor({ state: "detached" });
    }
  },
  "on a phone, the back button closes an event and the focus stays inside it": async (world) => {
    const storageState = await world.context.storageState();
    const context = await world.newContext({ storageState, viewport: { width: 390, height: 860 } });
    const page = await context.newPage();
    world.setScreenshotPage(page);
    await page.goto(`${world.base}/live`);
    await page.locator(".event").first().click();
    await page.locator(".drawer .code").first().waitFor();
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press("Tab");
      const isInside = await page.evaluate(() => {
        const at = document.activeElement;
        return at === document.body || at?.closest(".drawer") !== null;
      });
      assert.ok(isInside, `after pressing Tab ${i + 1} times`);
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
  "visible rows stay in place while new events arrive": async (world) => {
    const { page } = world;
    for (let i = 0; i < 60; i++) world.sendEvent(`echo filler-${i}`);
    await open(world);
    const main = page.locator("main");
    await main.evaluate((main) => main.scrollTo(0, 800));
    const under = () =>
      page.evaluate(() => document.elementFromPoint(700, 500)?.closest(".event")?.textContent);
    await page.waitForFunction(() => document.elementFromPoint(700, 500)?.closest(".event"));
    const height = await main.evaluate((main) => main.scrollHeight);
    // The time of a row may change; its subject may not move.
    const about = (text) => /echo filler-\d+/.exec(text ?? "")?.[0];
    const before = about(await under());
    assert.ok(before);
    for (let i = 0; i < 5; i++) world.sendEvent(`echo more-comes-${i}`);
    await page.waitForFunction((height) => document.querySelector("main").scrollHeight > height, height);
    assert.equal(about(await under()), before);
  },
};
