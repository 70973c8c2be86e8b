// Login and logout.
import { strict as assert } from "node:assert";

export const STEPS = {
  "a link logs in and its code is removed from the address": async (world) => {
    const context = await world.newContext();
    const page = await context.newPage();
    world.setScreenshotPage(page);
    await page.goto(world.loginLink());
    await page.waitForURL("**/live");
    assert.equal(new URL(page.url()).hash, "");
    await page.locator(".event").first().waitFor();
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Strict"]);
    await context.close();
  },
  "a used link is rejected": async (world) => {
    world.tolerate(/403/);
    const link = world.loginLink();
    for (const answer of [204, 403]) {
      const context = await world.newContext();
      const page = await context.newPage();
      world.setScreenshotPage(page);
      const login = page.waitForResponse("**/api/login");
      await page.goto(link);
      assert.equal((await login).status(), answer);
      if (answer === 403) await page.getByText("This link was already used").waitFor();
      await context.close();
    }
  },
  "a browser that is not logged in sees no data": async (world) => {
    world.tolerate(/401/);
    const context = await world.newContext();
    const page = await context.newPage();
    world.setScreenshotPage(page);
    for (const path of ["/live", "/sessions", "/memory", "/settings"]) {
      await page.goto(world.base + path);
      await page.getByText("This browser is not logged in").waitFor();
    }
    await context.close();
  },
  "after logout no data is shown": async (world) => {
    world.tolerate(/401/);
    const context = await world.newContext();
    const page = await context.newPage();
    world.setScreenshotPage(page);
    await page.goto(world.loginLink());
    await page.waitForURL("**/live");
    const kept = await context.cookies();
    await page.goto(`${world.base}/settings?view=browser`);
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("In a terminal, run").waitFor();
    // The old cookie is no longer valid.
    await context.addCookies(kept);
    await page.goto(`${world.base}/live`);
    await page.getByText("In a terminal, run").waitFor();
    await context.close();
  },
};
