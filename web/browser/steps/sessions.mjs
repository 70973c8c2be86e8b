// The sessions page and the timeline of a session.
import { strict as assert } from "node:assert";
import { readFileSync } from "node:fs";

async function open(world, agent) {
  await world.goto("/sessions", { agent });
  await world.page
    .locator(".session-row", { hasText: `Mend the parser of ${agent}` })
    .first()
    .click();
  await world.page.waitForURL("**/sessions/*");
}

/** Checks the timeline of a session with one blocked, one failed and one successful command. */
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
  "Claude Code's session shows prompt, blocked call, failure and response": timeline("claude", true),
  // Codex does not report the exit status of a command.
  "Codex's session shows prompt, blocked call and response": timeline("codex", false),
  "j and Enter open the first session and skip the day heading": async (world) => {
    const { page } = world;
    await world.goto("/sessions");
    const first = page.locator(".session-row").first();
    await first.waitFor();
    const href = await first.getAttribute("href");
    await page.keyboard.press("j");
    await page.locator(".vrow.selected .session-row").waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL(`**${href}`);
  },
  "a tool call expands and collapses": async (world) => {
    await open(world, "claude");
    const call = world.page.locator(".callbox .call").first();
    await call.click();
    await world.page.locator(".inside .code").first().waitFor();
    await call.click();
    await world.page.locator(".inside").waitFor({ state: "detached" });
  },
  "a plan expands": async (world) => {
    await open(world, "claude");
    const plan = world.page.locator(".said.plan");
    await plan.getByRole("button").click();
    await plan.locator(".prose-heading", { hasText: "How the parser is mended" }).waitFor();
    await plan.locator(".prose-item", { hasText: "Read it" }).waitFor();
  },
  "a subagent's calls are nested and collapse with it": async (world) => {
    await open(world, "claude");
    const head = world.page.locator(".subagent-head");
    await head.waitFor();
    assert.match(await head.textContent(), /general-purpose.*subagent · 1 tool call/);
    const inner = world.page.locator(".callbox.depth-1", { hasText: "nested.txt" });
    await inner.waitFor();
    assert.equal(await world.page.locator(".callbox.depth-0", { hasText: "nested.txt" }).count(), 0);
    await head.click();
    await inner.waitFor({ state: "detached" });
    await head.click();
    await inner.waitFor();
  },
  "a to-do list is rendered": async (world) => {
    const { page } = world;
    const todos = [
      { content: "count the walruses", status: "completed", activeForm: "Counting the walruses" },
      { content: "feed them", status: "in_progress", activeForm: "Feeding them" },
    ];
    const call = { tool_name: "TodoWrite", tool_input: { todos }, tool_use_id: `todo${Date.now()}` };
    world.sendEvent("", "PreToolUse", call);
    world.sendEvent("", "PostToolUse", { ...call, tool_response: "ok" });
    await world.goto("/live");
    await page.locator(".event", { hasText: "1 of 2 done: Feeding them" }).first().click();
    await page.getByRole("link", { name: /at this event/ }).click();
    await page
      .locator(".callbox", { hasText: "1 of 2 done: Feeding them" })
      .last()
      .getByRole("button")
      .first()
      .click();
    await page.locator(".todos li", { hasText: "count the walruses" }).waitFor();
  },
  "a session shows its resume command and can be exported": async (world) => {
    await open(world, "claude");
    await world.waitForText(/claude --resume/);
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
  "search finds a response and opens it": async (world) => {
    const { page } = world;
    await world.goto("/sessions");
    await world.button("Search").first().click();
    await page.getByRole("searchbox").last().fill("nothing was overwritten");
    assert.match(await page.locator(".hits a").first().textContent(), /nothing was overwritten/);
    await page.locator(".hits a").first().click();
    await page.waitForURL("**/sessions/*at=*");
    await page.locator(".vrow.selected").waitFor();
  },
};
