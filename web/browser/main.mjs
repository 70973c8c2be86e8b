// Walks through the dashboard as people do, step by step, with a daemon whose records real agents left.
//
//   node browser/main.mjs --list     the names of the steps
//   node browser/main.mjs            takes the steps whose names it is told, one on a line, and answers each with a line
//
// `cargo test -p becket-cli --test browser` tells it; that records the sessions and sets what `world.mjs` reads.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import * as decisions from "./steps/decisions.mjs";
import * as hooks from "./steps/hooks.mjs";
import * as insight from "./steps/insight.mjs";
import * as live from "./steps/live.mjs";
import * as login from "./steps/login.mjs";
import * as looks from "./steps/looks.mjs";
import * as memory from "./steps/memory.mjs";
import * as sessions from "./steps/sessions.mjs";
import * as settings from "./steps/settings.mjs";
import { openWorld } from "./world.mjs";

const PARTS = { login, live, sessions, decisions, hooks, memory, insight, settings, looks };
const STEPS = new Map(
  Object.entries(PARTS).flatMap(([part, { STEPS }]) =>
    Object.entries(STEPS).map(([name, step]) => [`${part}: ${name}`, step]),
  ),
);

/** Takes a step; what is wrong, if anything. */
async function take(name, world) {
  world.begin();
  try {
    await STEPS.get(name)(world);
    await world.settle();
    return {};
  } catch (error) {
    const shots = process.env.SHOTS ?? "shots";
    mkdirSync(shots, { recursive: true });
    const path = join(shots, `${name.replaceAll(/[^a-z0-9]+/gi, "-")}.png`);
    await world.shoot(path).catch(() => {});
    return { error: `${String(error.stack ?? error).slice(0, 2500)}\npicture: ${path}` };
  }
}

if (process.argv.includes("--list")) {
  for (const name of STEPS.keys()) console.log(name);
} else {
  const world = await openWorld();
  for await (const name of createInterface({ input: process.stdin }))
    console.log(JSON.stringify(await take(name, world)));
  await world.close();
}
