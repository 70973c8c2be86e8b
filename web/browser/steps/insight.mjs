// The insight page.
import { strict as assert } from "node:assert";

export const STEPS = {
  "charts are drawn and have tables for screen readers": async (world) => {
    const { page } = world;
    await world.goto("/insight", { range: "24h" });
    await page.locator(".plots canvas").first().waitFor();
    await world.waitForText("security-guard");
    await world.waitForText(/git\.push-force/);
    assert.ok((await page.locator(".plots table").count()) > 0);
  },
  "range and agent filters are in the address": async (world) => {
    const { page } = world;
    await world.goto("/insight");
    await page.getByRole("button", { name: "1h", exact: true }).click();
    await page.waitForURL("**range=1h");
    await page.getByRole("combobox", { name: "Agent" }).selectOption("codex");
    await page.waitForURL("**agent=codex**");
    await page.locator(".plots canvas").first().waitFor();
  },
};
