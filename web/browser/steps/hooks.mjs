// The hooks page: enable, disable, test, trust.
import { strict as assert } from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const toggled = (page, name, on) =>
  page.locator(`.toggle[aria-label="Run ${name}"][aria-checked="${on}"]`).waitFor();

const script = (words) => `#!/bin/sh\ngrep -q 'deploy now' || exit 0\necho '${words}' >&2\nexit 2\n`;

export const STEPS = {
  "an enabled hook runs from the next call on": async (world) => {
    const { page } = world;
    assert.doesNotMatch(world.sendEvent("fetch-it"), /nothing is fetched here/);
    await world.goto("/hooks", { project: world.project });
    await toggled(page, "no-downloads", false);
    await page.getByRole("switch", { name: "Run no-downloads" }).click();
    await toggled(page, "no-downloads", true);
    assert.match(world.sendEvent("fetch-it"), /nothing is fetched here/);
  },
  "a disabled hook does not run": async (world) => {
    const { page } = world;
    assert.match(world.sendEvent("unexpand file"), /this house uses spaces/);
    await world.goto("/hooks", { project: world.project });
    await page.getByRole("switch", { name: "Run no-tabs" }).click();
    await toggled(page, "no-tabs", false);
    assert.doesNotMatch(world.sendEvent("unexpand file"), /this house uses spaces/);
    await page.getByRole("switch", { name: "Run no-tabs" }).click();
    await toggled(page, "no-tabs", true);
  },
  "a hook is tested with a sample, with syntax errors while typing": async (world) => {
    const { page } = world;
    await world.goto("/hooks", { project: world.project });
    await page.getByRole("link", { name: "no-tabs" }).click();
    await page.getByLabel("Input").fill('{"command": ');
    await world.waitForText(/Line 1, column \d+/);
    assert.ok(await world.button("Run test").isDisabled());
    await page.getByLabel("Input").fill('{"command": "unexpand file"}');
    await world.button("Run test").click();
    await page.locator(".tried", { hasText: "this house uses spaces" }).waitFor();
  },
  "a project's hook runs only after it is trusted": async (world) => {
    assert.doesNotMatch(world.sendEvent("deploy now"), /not on a Friday/);
    await world.goto("/hooks", { view: "trust", project: world.project });
    await world.waitForText(/1 hook of work is not trusted yet/);
    await world.page.locator(".diff-add", { hasText: "not on a Friday" }).waitFor();
    await world.button("Trust these hooks").click();
    await world.waitForText(/hooks? of work (is|are) trusted/);
    assert.match(world.sendEvent("deploy now"), /not on a Friday/);
  },
  "a hook that changed during the review is not trusted": async (world) => {
    world.tolerate(/409/);
    const file = join(world.project, "scripts", "protect.sh");
    writeFileSync(file, script("other words"));
    assert.doesNotMatch(world.sendEvent("deploy now"), /other words/);
    await world.goto("/hooks", { view: "trust", project: world.project });
    await world.page.locator(".diff-add", { hasText: "other words" }).waitFor();
    writeFileSync(file, script("third words"));
    await world.button("Trust these hooks").click();
    await world.waitForText("A hook changed while you were reading");
    await world.page.locator(".diff-add", { hasText: "third words" }).waitFor();
    assert.doesNotMatch(world.sendEvent("deploy now"), /third words/);
    await world.button("Trust these hooks").click();
    await world.waitForText(/hooks? of work (is|are) trusted/);
    assert.match(world.sendEvent("deploy now"), /third words/);
  },
  "trust is revoked": async (world) => {
    await world.goto("/hooks", { view: "trust", project: world.project });
    await world.button("Revoke trust…").click();
    await world.button("Revoke").click();
    await world.waitForText("Revoked trust in");
    assert.doesNotMatch(world.sendEvent("deploy now"), /third words/);
  },
};
