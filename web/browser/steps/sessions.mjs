// What agents worked on.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";

async function open(world, agent) {
  await world.at("/sessions", { agent });
  await world.page
    .locator(".session-row", { hasText: `Mend the parser of ${agent}` })
    .first()
    .click();
  await world.page.waitForURL("**/sessions/*");
}

/** The timeline of a session in which one command was denied, one failed, one did well. */
const timeline = (agent, failing) => async (world) => {
  const { page } = world;
  await open(world, agent);
  await page.locator(".said.prompt", { hasText: `Mend the parser of ${agent}, please.` }).waitFor();
  const denied = page.locator(".callbox.denied", { hasText: "git push --force origin main" });
  await denied.waitFor();
  assert.match(await denied.textContent(), /git\.push-force/);
  await page.locator(".callbox:not(.denied)", { hasText: "harmless.txt" }).first().waitFor();
  const failed = page.locator(".callbox", { hasText: "ls no-such-folder" }).first();
  await failed.waitFor();
  if (failing) assert.match(await failed.textContent(), /failed/);
  await page.locator(".said.answer", { hasText: "The parser is mended" }).waitFor();
};

export const STEPS = {
  "Claude Code's session tells of prompt, denial, failure and answer": timeline("claude", true),
  // Codex does not say how a command ended.
  "Codex's session tells of prompt, denial and answer": timeline("codex", false),
  "a call unfolds and folds": async (world) => {
    await open(world, "claude");
    const call = world.page.locator(".callbox .call").first();
    await call.click();
    await world.page.locator(".inside .code").first().waitFor();
    await call.click();
    await world.page.locator(".inside").waitFor({ state: "detached" });
  },
  "a session tells how to go on with it, and its records can be taken along": async (world) => {
    await open(world, "claude");
    await world.shown(/claude --resume/);
    const download = world.page.waitForEvent("download");
    await world.page
      .getByRole("link", { name: /Export|records/i })
      .first()
      .click();
    const lines = readFileSync(await (await download).path(), "utf8")
      .trim()
      .split("\n");
    assert.ok(lines.some((line) => JSON.stringify(JSON.parse(line)).includes("git push --force")));
  },
  "search finds what was said, and goes there": async (world) => {
    const { page } = world;
    await world.at("/sessions");
    await world.button("Search").first().click();
    await page.getByRole("searchbox").last().fill("nothing was overwritten");
    await page.locator(".hits a").first().click();
    await page.waitForURL("**/sessions/*at=*");
    await page.locator(".vrow.selected").waitFor();
  },
};
