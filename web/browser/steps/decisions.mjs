// The decisions page: explain, allow, filter, replay.
import { strict as assert } from "node:assert";

const FORCE = "git push --force origin main";

export const STEPS = {
  "a denial of Claude Code is explained with the matched part": async (world) => {
    const { page } = world;
    await world.goto("/decisions", { agent: "claude" });
    await page.locator(".decision", { hasText: FORCE }).last().click();
    await page.locator("mark").first().waitFor();
    assert.match(await page.locator("mark").first().textContent(), /git push --force origin main/);
    await page.locator(".drawer", { hasText: "git.push-force-main" }).waitFor();
    await page.locator(".drawer", { hasText: "Instead:" }).waitFor();
  },
  "a blocked call is allowed in future after its diff was shown": async (world) => {
    const { page } = world;
    assert.match(world.sendEvent(FORCE), /deny/);
    await world.goto("/decisions", { agent: "claude" });
    await page.locator(".decision", { hasText: FORCE }).last().click();
    const before = world.config();
    await world.button("Allow this in future…").click();
    await page.locator(".diff-add").first().waitFor();
    assert.equal(world.config(), before, "nothing is written before it is confirmed");
    await world.button("Save").click();
    await world.waitForText("The guard allows this from the next tool call on");
    assert.doesNotMatch(world.sendEvent(FORCE), /deny/);
    assert.match(world.sendEvent(`${FORCE} --tags`), /deny/, "only that exact call is allowed");
  },
  "a catastrophic command cannot be allowed": async (world) => {
    const { page } = world;
    world.tolerate(/400|409|422/);
    assert.match(world.sendEvent("rm -rf ~/"), /deny/);
    await world.waitForDecision("core.delete-home");
    await world.goto("/decisions");
    await page.locator(".decision", { hasText: "core.delete-home" }).first().click();
    await world.button("Allow this in future…").click();
    await page.locator(".dialog .failure").waitFor();
    assert.equal(await world.button("Save").count(), 0);
  },
  "decisions are filtered by rule and update live": async (world) => {
    const { page } = world;
    assert.match(world.sendEvent("git push --force origin main --atomic"), /deny/);
    await world.waitForDecision("--atomic");
    await world.goto("/decisions");
    await page.getByLabel("Rule").selectOption("git.push-force-main");
    await page.waitForURL("**rule=git.push-force-main");
    await page.locator(".decision", { hasText: "--atomic" }).waitFor();
    const rules = await page.locator(".decision-rule").allTextContents();
    assert.deepEqual([...new Set(rules)], ["git.push-force-main"]);
    assert.match(world.sendEvent("git push --force origin main --porcelain"), /deny/);
    await page.locator(".decision", { hasText: "--porcelain" }).waitFor();
  },
  "history is replayed with another preset": async (world) => {
    await world.goto("/decisions", { view: "replay" });
    await world.button("Run").click();
    await world.waitForText("Likely false positives");
  },
};
