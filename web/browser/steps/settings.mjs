// The settings page: agents, doctor, user settings, this browser.
import { strict as assert } from "node:assert";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const STEPS = {
  "Claude Code is connected and has sent events": async (world) => {
    await world.goto("/settings");
    const row = world.page.locator(".connection-row", { hasText: "Claude" }).first();
    await row.waitFor();
    assert.match(await row.textContent(), /connected.*last event/);
  },
  "an agent is connected and disconnected after the diff was shown": async (world) => {
    const { page } = world;
    const file = join(process.env.HOME, ".gemini", "settings.json");
    assert.equal(existsSync(file), false);
    await world.goto("/settings");
    const row = page.locator(".connection-row", { hasText: "Gemini" });
    await page.locator("main summary").click();
    await row.getByRole("button", { name: "Connect…" }).click();
    await page.locator(".dialog .diff-add").first().waitFor();
    assert.equal(existsSync(file), false, "nothing is written before it is confirmed");
    await world.button("Connect").click();
    await world.waitForText("Gemini CLI is connected");
    assert.match(readFileSync(file, "utf8"), /becket/);
    await row.getByRole("button", { name: "Disconnect…" }).click();
    await world.button("Disconnect").click();
    await world.waitForText("Gemini CLI is disconnected");
  },
  "the doctor lists its findings": async (world) => {
    await world.goto("/settings", { view: "health" });
    await world.waitForText("Uptime");
    await world.page.getByText("ok", { exact: true }).first().waitFor();
  },
  "an invalid pattern is rejected and a valid one is saved": async (world) => {
    const { page } = world;
    world.tolerate(/400/);
    await world.goto("/settings", { view: "own" });
    await page.getByLabel("New pattern").fill("acme_(");
    await page.locator(".field-error", { hasText: "redact" }).waitFor();
    assert.ok(await world.button("Add…").isDisabled());
    await page.getByLabel("New pattern").fill("acme_[a-z]{8}");
    await world.button("Add…").click();
    await world.button("Save").click();
    await world.waitForText("Saved.");
    assert.match(world.config(), /acme_\[a-z\]\{8\}/);
    world.sendEvent("echo acme_abcdefgh");
    await world.goto("/live");
    await page.locator(".event").first().waitFor();
    assert.equal(await page.getByText("acme_abcdefgh").count(), 0);
  },
  "retention is changed": async (world) => {
    const { page } = world;
    await world.goto("/settings", { view: "own" });
    await page.getByLabel("Retention").fill("60d");
    await page.locator(".inline-form").first().getByRole("button", { name: "Change…" }).click();
    await world.button("Save").click();
    await page.locator(".dialog").waitFor({ state: "detached" });
    assert.match(world.config(), /60d/);
  },
  "the theme is chosen and stored": async (world) => {
    const { page } = world;
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await world.goto("/settings", { view: "browser" });
    await page.getByText("dark", { exact: true }).click();
    assert.equal(await theme(), "dark");
    await page.reload();
    await page.locator("nav").first().waitFor();
    assert.equal(await theme(), "dark");
    await page.getByText("system", { exact: true }).click();
  },
};
