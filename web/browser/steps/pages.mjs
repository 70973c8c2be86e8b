// Every page in both themes, on wide and small screens; and the dashboard without a daemon.
import { strict as assert } from "node:assert";
import { checkPage, PAGES } from "../page-checks.mjs";

async function checkAllVariants(world, path) {
  const storageState = await world.context.storageState();
  for (const theme of ["dark", "light"]) {
    for (const width of [1280, 390]) {
      const context = await world.newContext({
        storageState,
        colorScheme: theme,
        viewport: { width, height: 860 },
      });
      const page = await context.newPage();
      world.setScreenshotPage(page);
      await page.goto(world.base + path);
      const problems = await checkPage(page);
      assert.deepEqual(problems, [], `${theme}, ${width} px`);
      await context.close();
    }
  }
}

const pages = Object.entries(PAGES).map(([name, path]) => [
  `${name} fits a phone and has no axe violations in either theme`,
  async (world) => checkAllVariants(world, await path(world)),
]);

const UNREACHABLE =
  /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET/;

function stop(world) {
  const stopped = world.becket(["daemon", "stop"]);
  assert.equal(stopped.status, 0, stopped.stderr);
}

/** Sends an event and starts the daemon: an event starts it only if none did so shortly before. */
function restart(world, command) {
  world.sendEvent(command);
  const started = world.becket(["daemon", "start"]);
  assert.equal(started.status, 0, started.stderr);
}

export const STEPS = {
  ...Object.fromEntries(pages),
  "a stopped daemon is reported, and missed events appear when it is back": async (world) => {
    const { page } = world;
    world.tolerate(UNREACHABLE);
    await world.goto("/live");
    await page.locator(".event").first().waitFor();
    stop(world);
    await world.waitForText("The daemon is not running.");
    // The next event starts it, on the port that the page knows.
    world.sendEvent("echo while-it-was-gone");
    await world.waitForText("echo while-it-was-gone");
    await page.locator(".banner").waitFor({ state: "detached" });
    const rows = await page.locator(".event-about").allTextContents();
    assert.equal(rows.filter((text) => text.includes("while-it-was-gone")).length, 1);
  },
  "a live page opened or filtered without a daemon loads when it is back": async (world) => {
    const { page } = world;
    world.tolerate(UNREACHABLE);
    await world.goto("/sessions");
    await page.locator(".session-row").first().waitFor();
    stop(world);
    await page.locator('a[href="/live"]').last().click();
    await world.waitForText("The daemon is not running.");
    assert.equal(await page.locator("main .failure").count(), 0);
    restart(world, "echo opened-while-gone");
    await world.waitForText("echo opened-while-gone");
    stop(world);
    await world.waitForText("The daemon is not running.");
    await page.getByRole("combobox", { name: "Event" }).selectOption("PreToolUse");
    assert.equal(await page.locator("main .failure").count(), 0);
    restart(world, "echo narrowed-while-gone");
    await world.waitForText("echo narrowed-while-gone");
    await page.locator(".banner").waitFor({ state: "detached" });
  },
  "a page without requests notices a stopped daemon": async (world) => {
    const { page } = world;
    world.tolerate(UNREACHABLE);
    await world.goto("/settings", { view: "browser" });
    await world.waitForText("Log out");
    stop(world);
    await page.locator(".banner").waitFor({ timeout: 12_000 });
    restart(world, "echo back-again");
    await page.locator(".banner").waitFor({ state: "detached" });
  },
  "empty states explain how to start": async (world) => {
    const home = world.emptyHome();
    const context = await world.newContext();
    try {
      const page = await context.newPage();
      world.setScreenshotPage(page);
      const link = home.link();
      world.allowOrigin(new URL(link).origin);
      const at = (path) => page.goto(new URL(path, link).href);
      await page.goto(link);
      await page.getByText("No events yet").waitFor();
      await at("/sessions");
      await page.getByText("No sessions yet").waitFor();
      await at("/decisions");
      await page.getByRole("link", { name: "settings", exact: true }).click();
      await page.waitForURL("**/settings?view=own");
      await page.getByText("Guard", { exact: true }).first().waitFor();
      await at("/memory");
      await page.locator(".empty").getByRole("button", { name: "Add a memory" }).click();
      await page.getByText("Projects appear after a connected agent").waitFor();
      await at("/insight");
      await page.getByText("No activity in the last").waitFor();
    } finally {
      await context.close();
      home.close();
    }
  },
  "an unknown address shows an error": async (world) => {
    world.tolerate(/404/);
    await world.goto("/sesions");
    await world.waitForText("Page not found");
    await world.goto("/memory", { view: "nope" });
    await world.page.getByRole("tab", { name: "Memories" }).waitFor();
    assert.equal(
      await world.page.getByRole("tab", { name: "Memories" }).getAttribute("aria-selected"),
      "true",
    );
    await world.goto("/live", { "event-at": "abc" });
    await world.waitForText("This event is no longer stored.");
  },
};
