// Hooks: switched, tried, trusted.
import { strict as assert } from "node:assert";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const toggled = (page, name, on) =>
  page.locator(`.toggle[aria-label="Run ${name}"][aria-checked="${on}"]`).waitFor();

const script = (words) => `#!/bin/sh\ngrep -q 'deploy now' || exit 0\necho '${words}' >&2\nexit 2\n`;

export const STEPS = {
  "a hook that is switched on acts from the next call on": async (world) => {
    const { page } = world;
    assert.doesNotMatch(world.happen("fetch-it"), /nothing is fetched here/);
    await world.at("/hooks", { project: world.project });
    await toggled(page, "no-downloads", false);
    await page.getByRole("switch", { name: "Run no-downloads" }).click();
    await toggled(page, "no-downloads", true);
    assert.match(world.happen("fetch-it"), /nothing is fetched here/);
  },
  "a hook that is switched off rests": async (world) => {
    const { page } = world;
    assert.match(world.happen("unexpand file"), /this house uses spaces/);
    await world.at("/hooks", { project: world.project });
    await page.getByRole("switch", { name: "Run no-tabs" }).click();
    await toggled(page, "no-tabs", false);
    assert.doesNotMatch(world.happen("unexpand file"), /this house uses spaces/);
    await page.getByRole("switch", { name: "Run no-tabs" }).click();
    await toggled(page, "no-tabs", true);
  },
  "a hook is tried with a sample, whose faults are told while it is typed": async (world) => {
    const { page } = world;
    await world.at("/hooks", { project: world.project });
    await page.getByRole("link", { name: "no-tabs" }).click();
    await page.getByLabel("Input").fill('{"command": ');
    await world.shown(/Line 1, column \d+/);
    assert.ok(await world.button("Run it").isDisabled());
    await page.getByLabel("Input").fill('{"command": "unexpand file"}');
    await world.button("Run it").click();
    await page.locator(".tried", { hasText: "this house uses spaces" }).waitFor();
  },
  "a project's hook runs only after it was trusted as shown": async (world) => {
    assert.doesNotMatch(world.happen("deploy now"), /not on a Friday/);
    await world.at("/hooks", { view: "trust", project: world.project });
    await world.shown(/1 hook of work waits/);
    await world.page.locator(".diff-add", { hasText: "not on a Friday" }).waitFor();
    await world.button("Trust what is shown").click();
    await world.shown("are trusted as they stand");
    assert.match(world.happen("deploy now"), /not on a Friday/);
  },
  "what changed while somebody read is not trusted unseen": async (world) => {
    world.tolerate(/409/);
    const file = join(world.project, "scripts", "protect.sh");
    writeFileSync(file, script("other words"));
    assert.doesNotMatch(world.happen("deploy now"), /other words/);
    await world.at("/hooks", { view: "trust", project: world.project });
    await world.page.locator(".diff-add", { hasText: "other words" }).waitFor();
    writeFileSync(file, script("third words"));
    await world.button("Trust what is shown").click();
    await world.shown("Something changed while you read");
    await world.page.locator(".diff-add", { hasText: "third words" }).waitFor();
    assert.doesNotMatch(world.happen("deploy now"), /third words/);
    await world.button("Trust what is shown").click();
    await world.shown("are trusted as they stand");
    assert.match(world.happen("deploy now"), /third words/);
  },
  "trust is taken back": async (world) => {
    await world.at("/hooks", { view: "trust", project: world.project });
    await world.button("Take trust back…").click();
    await world.button("Take it back").click();
    await world.shown("no longer trusted");
    assert.doesNotMatch(world.happen("deploy now"), /third words/);
  },
};
