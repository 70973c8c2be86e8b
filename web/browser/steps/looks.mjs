// How every page is in both themes, on a desk and on a phone; and what the dashboard does without a daemon.
import { strict as assert } from "node:assert";
import { look, PAGES } from "../look.mjs";

async function everyLook(world, path) {
  const storageState = await world.context.storageState();
  for (const theme of ["dark", "light"]) {
    for (const width of [1280, 390]) {
      const context = await world.fresh({
        storageState,
        colorScheme: theme,
        viewport: { width, height: 860 },
      });
      const page = await context.newPage();
      world.look(page);
      await page.goto(world.base + path);
      const found = await look(page);
      assert.deepEqual(found, [], `${theme}, ${width} px`);
      await context.close();
    }
  }
}

const pages = Object.entries(PAGES).map(([name, path]) => [
  `${name} fits a phone, and axe minds nothing in either theme`,
  async (world) => everyLook(world, await path(world)),
]);

const GONE = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/;

function stop(world) {
  const stopped = world.becket(["daemon", "stop"]);
  assert.equal(stopped.status, 0, stopped.stderr);
}

/** Something happens, and the daemon is back: an event starts it only if none did so shortly before. */
function back(world, command) {
  world.happen(command);
  const started = world.becket(["daemon", "start"]);
  assert.equal(started.status, 0, started.stderr);
}

export const STEPS = {
  ...Object.fromEntries(pages),
  "a daemon that goes is said, and what was missed comes when it is back": async (world) => {
    const { page } = world;
    world.tolerate(GONE);
    await world.at("/live");
    await page.locator(".event").first().waitFor();
    stop(world);
    await world.shown("The daemon is not running.");
    // The next event starts it, on the port that the page knows.
    world.happen("echo while-it-was-gone");
    await world.shown("echo while-it-was-gone");
    await page.locator(".banner").waitFor({ state: "detached" });
    const rows = await page.locator(".event-about").allTextContents();
    assert.equal(rows.filter((text) => text.includes("while-it-was-gone")).length, 1);
  },
  "live that is opened or narrowed down while the daemon is gone comes when it is back": async (world) => {
    const { page } = world;
    world.tolerate(GONE);
    await world.at("/sessions");
    await page.locator(".session-row").first().waitFor();
    stop(world);
    await page.locator('a[href="/live"]').last().click();
    await world.shown("The daemon is not running.");
    assert.equal(await page.locator("main .failure").count(), 0);
    back(world, "echo opened-while-gone");
    await world.shown("echo opened-while-gone");
    stop(world);
    await world.shown("The daemon is not running.");
    await page.getByRole("combobox", { name: "Event" }).selectOption("PreToolUse");
    assert.equal(await page.locator("main .failure").count(), 0);
    back(world, "echo narrowed-while-gone");
    await world.shown("echo narrowed-while-gone");
    await page.locator(".banner").waitFor({ state: "detached" });
  },
  "a page that asks for nothing notices that the daemon went": async (world) => {
    const { page } = world;
    world.tolerate(GONE);
    await world.at("/settings", { view: "browser" });
    await world.shown("Log out");
    stop(world);
    await page.locator(".banner").waitFor({ timeout: 12_000 });
    back(world, "echo back-again");
    await page.locator(".banner").waitFor({ state: "detached" });
  },
  "a home in which nothing happened says how to begin": async (world) => {
    const home = world.elsewhere();
    const context = await world.fresh();
    try {
      const page = await context.newPage();
      world.look(page);
      const link = home.link();
      world.admit(new URL(link).origin);
      const at = (path) => page.goto(new URL(path, link).href);
      await page.goto(link);
      await page.getByText("Nothing has happened yet").waitFor();
      await at("/sessions");
      await page.getByText("No sessions yet").waitFor();
      await at("/decisions");
      await page.getByRole("link", { name: "settings", exact: true }).click();
      await page.waitForURL("**/settings?view=own");
      await page.getByText("Guard", { exact: true }).first().waitFor();
      await at("/memory");
      await page.locator(".empty").getByRole("button", { name: "Add a memory" }).click();
      await page.getByText("Projects appear once a connected agent").waitFor();
      await at("/insight");
      await page.getByText("Nothing happened in the last").waitFor();
    } finally {
      await context.close();
      home.close();
    }
  },
  "a mistyped address is said to be none": async (world) => {
    world.tolerate(/404/);
    await world.at("/sesions");
    await world.shown("There is no such page");
    await world.at("/memory", { view: "nope" });
    await world.page.getByRole("tab", { name: "Memories" }).waitFor();
    assert.equal(
      await world.page.getByRole("tab", { name: "Memories" }).getAttribute("aria-selected"),
      "true",
    );
    await world.at("/live", { "event-at": "abc" });
    await world.shown("This event is no longer on record.");
  },
};
