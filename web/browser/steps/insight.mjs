// What it all comes to.
import { strict as assert } from "node:assert";

export const STEPS = {
  "plots are drawn, and tables tell the same": async (world) => {
    const { page } = world;
    await world.at("/insight", { range: "24h" });
    await page.locator(".plots canvas").first().waitFor();
    await world.shown("security-guard");
    await world.shown(/git\.push-force/);
    assert.ok((await page.locator(".plots table").count()) > 0);
  },
  "a range and an agent are chosen, and are in the address": async (world) => {
    const { page } = world;
    await world.at("/insight");
    await page.getByRole("button", { name: "1h", exact: true }).click();
    await page.waitForURL("**range=1h");
    await page.getByRole("combobox", { name: "Agent" }).selectOption("codex");
    await page.waitForURL("**agent=codex**");
    await page.locator(".plots canvas").first().waitFor();
  },
};
