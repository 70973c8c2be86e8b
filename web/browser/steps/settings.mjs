// Agents, the daemon, the person's own settings, and this browser.
import { strict as assert } from "node:assert";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const STEPS = {
  "Claude Code is connected, and was heard of": async (world) => {
    await world.at("/settings");
    const row = world.page.locator(".connection-row", { hasText: "Claude" }).first();
    await row.waitFor();
    assert.match(await row.textContent(), /connected.*last heard of/);
  },
  "an agent is connected and disconnected, after the difference was shown": async (world) => {
    const { page } = world;
    const file = join(process.env.HOME, ".gemini", "settings.json");
    assert.equal(existsSync(file), false);
    await world.at("/settings");
    const row = page.locator(".connection-row", { hasText: "Gemini" });
    await page.locator("main summary").click();
    await row.getByRole("button", { name: "Connect…" }).click();
    await page.locator(".dialog .diff-add").first().waitFor();
    assert.equal(existsSync(file), false, "nothing is written before it is confirmed");
    await world.button("Connect").click();
    await world.shown("Gemini CLI is connected");
    assert.match(readFileSync(file, "utf8"), /becket/);
    await row.getByRole("button", { name: "Disconnect…" }).click();
    await world.button("Disconnect").click();
    await world.shown("Becket is out of Gemini CLI");
  },
  "the doctor tells what it looked at": async (world) => {
    await world.at("/settings", { view: "health" });
    await world.shown("Running for");
    await world.page.getByText("fine", { exact: true }).first().waitFor();
  },
  "a wrong pattern is explained, and a right one is written": async (world) => {
    const { page } = world;
    world.tolerate(/400/);
    await world.at("/settings", { view: "own" });
    await page.getByLabel("New pattern").fill("acme_(");
    await page.locator(".field-error", { hasText: "redact" }).waitFor();
    assert.ok(await world.button("Add…").isDisabled());
    await page.getByLabel("New pattern").fill("acme_[a-z]{8}");
    await world.button("Add…").click();
    await world.button("Write it").click();
    await world.shown("Written.");
    assert.match(world.config(), /acme_\[a-z\]\{8\}/);
    world.happen("echo acme_abcdefgh");
    await world.at("/live");
    await page.locator(".event").first().waitFor();
    assert.equal(await page.getByText("acme_abcdefgh").count(), 0);
  },
  "how long records are kept is changed": async (world) => {
    const { page } = world;
    await world.at("/settings", { view: "own" });
    await page.getByLabel("Keep records for").fill("60d");
    await page.locator(".inline-form").first().getByRole("button", { name: "Change…" }).click();
    await world.button("Write it").click();
    await page.locator(".dialog").waitFor({ state: "detached" });
    assert.match(world.config(), /60d/);
  },
  "the theme is chosen, and kept": async (world) => {
    const { page } = world;
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await world.at("/settings", { view: "browser" });
    await page.getByText("dark", { exact: true }).click();
    assert.equal(await theme(), "dark");
    await page.reload();
    await page.locator("nav").first().waitFor();
    assert.equal(await theme(), "dark");
    await page.getByText("as the system says", { exact: true }).click();
  },
};
