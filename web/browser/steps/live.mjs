// What happens, as it happens.
import { strict as assert } from "node:assert";

const path = (page) => new URL(page.url()).pathname + new URL(page.url()).search;

async function open({ page, at }) {
  await at("/live");
  await page.locator(".event").first().waitFor();
}

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
    assert.equal(await page.locator("dialog").count(), 0);
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
