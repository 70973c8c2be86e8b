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
  "j and Enter open the first session, past the day that stands above it": async (world) => {
    const { page } = world;
    await world.at("/sessions");
    const first = page.locator(".session-row").first();
    await first.waitFor();
    const href = await first.getAttribute("href");
    await page.keyboard.press("j");
    await page.locator(".vrow.selected .session-row").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**${href}`);
  },
  "a call unfolds and folds": async (world) => {
    await open(world, "claude");
    const call = world.page.locator(".callbox .call").first();
    await call.click();
    await world.page.locator(".inside .code").first().waitFor();
    await call.click();
    await world.page.locator(".inside").waitFor({ state: "detached" });
  },
  "a plan unfolds, with what it says": async (world) => {
    await open(world, "claude");
    const plan = world.page.locator(".said.plan");
    await plan.getByRole("button").click();
    await plan.locator(".prose-heading", { hasText: "How the parser is mended" }).waitFor();
    await plan.locator(".prose-item", { hasText: "Read it" }).waitFor();
  },
  "a subagent's calls stand below it, and fold away with it": async (world) => {
    await open(world, "claude");
    const head = world.page.locator(".subagent-head");
    await head.waitFor();
    assert.match(await head.textContent(), /general-purpose.*subagent · 1 call/);
    const inner = world.page.locator(".callbox.depth-1", { hasText: "nested.txt" });
    await inner.waitFor();
    assert.equal(await world.page.locator(".callbox.depth-0", { hasText: "nested.txt" }).count(), 0);
    await head.click();
    await inner.waitFor({ state: "detached" });
    await head.click();
    await inner.waitFor();
  },
  "steps that an agent keeps are a list": async (world) => {
    const { page } = world;
    const todos = [
      { content: "count the walruses", status: "completed", activeForm: "Counting the walruses" },
      { content: "feed them", status: "in_progress", activeForm: "Feeding them" },
    ];
    const call = { tool_name: "TodoWrite", tool_input: { todos }, tool_use_id: `todo${Date.now()}` };
    world.happen("", "PreToolUse", call);
    world.happen("", "PostToolUse", { ...call, tool_response: "ok" });
    await world.at("/live");
    await page.locator(".event", { hasText: "1 of 2 done: Feeding them" }).first().click();
    await page.getByRole("link", { name: /at this place/ }).click();
    await page
      .locator(".callbox", { hasText: "1 of 2 done: Feeding them" })
      .last()
      .getByRole("button")
      .first()
      .click();
    await page.locator(".todos li", { hasText: "count the walruses" }).waitFor();
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
    assert.match(await page.locator(".hits a").first().textContent(), /nothing was overwritten/);
    await page.locator(".hits a").first().click();
    await page.waitForURL("**/sessions/*at=*");
    await page.locator(".vrow.selected").waitFor();
  },
};
