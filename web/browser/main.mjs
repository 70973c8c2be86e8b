// Browser test of the dashboard: runs steps against a daemon with recorded sessions of real agents.
//
//   node browser/main.mjs --list     prints the names of the steps
//   node browser/main.mjs            reads step names from stdin, one per line, and prints one JSON result per step
//
// `cargo test -p becket-cli --test browser` records the sessions, sets the variables of `world.mjs` and runs the steps.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as decisions from "./steps/decisions.mjs";
import * as hooks from "./steps/hooks.mjs";
import * as insight from "./steps/insight.mjs";
import * as live from "./steps/live.mjs";
import * as login from "./steps/login.mjs";
import * as memory from "./steps/memory.mjs";
import * as pages from "./steps/pages.mjs";
import * as sessions from "./steps/sessions.mjs";
import * as settings from "./steps/settings.mjs";
import { openWorld } from "./world.mjs";

const PARTS = { login, live, sessions, decisions, hooks, memory, insight, settings, pages };
const STEPS = new Map(
  Object.entries(PARTS).flatMap(([part, { STEPS }]) =>
    Object.entries(STEPS).map(([name, step]) => [`${part}: ${name}`, step]),
  ),
);

/** Runs a step. Returns `{ error }` if it failed. */
async function runStep(name, world) {
  world.beginStep();
  try {
    await STEPS.get(name)(world);
    await world.assertNoErrors();
    return {};
  } catch (error) {
    const shots = process.env.SHOTS ?? "shots";
    mkdirSync(shots, { recursive: true });
    const path = join(shots, `${name.replaceAll(/[^a-z0-9]+/gi, "-")}.png`);
    await world.screenshot(path).catch(() => {});
    return { error: `${String(error.stack ?? error).slice(0, 2500)}\nscreenshot: ${path}` };
  }
}

if (process.argv.includes("--list")) {
  for (const name of STEPS.keys()) console.log(name);
} else {
  const world = await openWorld();
  for await (const name of createInterface({ input: process.stdin }))
    console.log(JSON.stringify(await runStep(name, world)));
  await world.close();
}
