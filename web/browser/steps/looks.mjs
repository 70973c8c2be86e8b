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

export const STEPS = {
  ...Object.fromEntries(pages),
  "a daemon that goes is said, and what was missed comes when it is back": async (world) => {
    const { page } = world;
    world.tolerate(
      /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/,
    );
    await world.at("/live");
    await page.locator(".event").first().waitFor();
    const stopped = world.becket(["daemon", "stop"]);
    assert.equal(stopped.status, 0, stopped.stderr);
    await world.shown("The daemon is not running.");
    // The next event starts it, on the port that the page knows.
    world.happen("echo while-it-was-gone");
    await world.shown("echo while-it-was-gone");
    await page.locator(".banner").waitFor({ state: "detached" });
    const rows = await page.locator(".event-about").allTextContents();
    assert.equal(rows.filter((text) => text.includes("while-it-was-gone")).length, 1);
  },
};
