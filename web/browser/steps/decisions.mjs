// What was denied, why, and what to do about it.
import { strict as assert } from "node:assert";

const FORCE = "git push --force origin main";

export const STEPS = {
  "a denial of Claude Code's is explained, with what the rule met": async (world) => {
    const { page } = world;
    await world.at("/decisions", { agent: "claude" });
    await page.locator(".decision", { hasText: FORCE }).last().click();
    await page.locator("mark").first().waitFor();
    assert.match(await page.locator("mark").first().textContent(), /git push --force origin main/);
    await page.locator(".drawer", { hasText: "git.push-force-main" }).waitFor();
    await page.locator(".drawer", { hasText: "Instead:" }).waitFor();
  },
  "it is allowed in future, after the difference was shown": async (world) => {
    const { page } = world;
    assert.match(world.happen(FORCE), /deny/);
    await world.at("/decisions", { agent: "claude" });
    await page.locator(".decision", { hasText: FORCE }).last().click();
    const before = world.config();
    await world.button("Allow this in future…").click();
    await page.locator(".diff-add").first().waitFor();
    assert.equal(world.config(), before, "nothing is written before it is confirmed");
    await world.button("Write it").click();
    await world.shown("From the next call on, this passes");
    assert.doesNotMatch(world.happen(FORCE), /deny/);
    assert.match(world.happen(`${FORCE} --tags`), /deny/, "that very call alone");
  },
  "what no one should allow is refused with a reason": async (world) => {
    const { page } = world;
    world.tolerate(/400|409|422/);
    assert.match(world.happen("rm -rf ~/"), /deny/);
    await world.decided("core.delete-home");
    await world.at("/decisions");
    await page.locator(".decision", { hasText: "core.delete-home" }).first().click();
    await world.button("Allow this in future…").click();
    await page.locator(".dialog .failure").waitFor();
    assert.equal(await world.button("Write it").count(), 0);
  },
  "decisions are narrowed down to one rule, and come while somebody looks": async (world) => {
    const { page } = world;
    assert.match(world.happen("git push --force origin main --atomic"), /deny/);
    await world.decided("--atomic");
    await world.at("/decisions");
    await page.getByLabel("Rule").selectOption("git.push-force-main");
    await page.waitForURL("**rule=git.push-force-main");
    await page.locator(".decision", { hasText: "--atomic" }).waitFor();
    const rules = await page.locator(".decision-rule").allTextContents();
    assert.deepEqual([...new Set(rules)], ["git.push-force-main"]);
    assert.match(world.happen("git push --force origin main --porcelain"), /deny/);
    await page.locator(".decision", { hasText: "--porcelain" }).waitFor();
  },
  "another preset is tried on the past": async (world) => {
    await world.at("/decisions", { view: "replay" });
    await world.button("Run").click();
    await world.shown("Likely false alarms");
  },
};
