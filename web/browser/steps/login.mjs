// Who is let in, and who is not.
import { strict as assert } from "node:assert";

export const STEPS = {
  "a link lets a browser in, and its code is not left in the address": async (world) => {
    const context = await world.fresh();
    const page = await context.newPage();
    world.look(page);
    await page.goto(world.link());
    await page.waitForURL("**/live");
    assert.equal(new URL(page.url()).hash, "");
    await page.locator(".event").first().waitFor();
    const [cookie] = await context.cookies();
    assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Strict"]);
    await context.close();
  },
  "a link that was used is refused": async (world) => {
    world.tolerate(/403/);
    const link = world.link();
    for (const answer of [204, 403]) {
      const context = await world.fresh();
      const page = await context.newPage();
      world.look(page);
      const login = page.waitForResponse("**/api/login");
      await page.goto(link);
      assert.equal((await login).status(), answer);
      if (answer === 403) await page.getByText("This link was used before").waitFor();
      await context.close();
    }
  },
  "a browser that was not let in is shown nothing": async (world) => {
    world.tolerate(/401/);
    const context = await world.fresh();
    const page = await context.newPage();
    world.look(page);
    for (const path of ["/live", "/sessions", "/memory", "/settings"]) {
      await page.goto(world.base + path);
      await page.getByText("this browser has to be let in").waitFor();
    }
    await context.close();
  },
  "after logging out, nothing is shown": async (world) => {
    world.tolerate(/401/);
    const context = await world.fresh();
    const page = await context.newPage();
    world.look(page);
    await page.goto(world.link());
    await page.waitForURL("**/live");
    const kept = await context.cookies();
    await page.goto(`${world.base}/settings?view=browser`);
    await page.getByRole("button", { name: "Log out" }).click();
    await page.getByText("In a terminal, run").waitFor();
    // The cookie is worth nothing, even to somebody who kept it.
    await context.addCookies(kept);
    await page.goto(`${world.base}/live`);
    await page.getByText("In a terminal, run").waitFor();
    await context.close();
  },
};
