// Fills a scratch home with sample sessions of several agents.
//
//   node scripts/seed.mjs DIR [--events 3000] [--days 14] [--becket PATH] [--live]
//
// The history is generated as records and imported with `becket import`. With `--live`, it then sends about one event per
// second through `becket hook`, with the real guard, until it is interrupted.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { eventName, payload } from "./payloads.mjs";
import { SAMPLE_TURNS } from "./sample-turns.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    events: { type: "string", default: "3000" },
    days: { type: "string", default: "14" },
    becket: { type: "string", default: join(here, "../../target/debug/becket") },
    live: { type: "boolean", default: false },
  },
});
if (!positionals[0]) {
  console.error("usage: seed.mjs DIR [--events N] [--days N] [--becket PATH] [--live]");
  process.exit(2);
}
const home = resolve(positionals[0]);
const becket = resolve(given.becket);
const projects = join(home, "projects");
// Everything stays inside the given directory; the user's own home is not used.
const env = { PATH: process.env.PATH, HOME: home, BECKET_HOME: join(home, "becket") };

const AGENTS = ["claude", "claude", "claude", "codex", "codex", "gemini", "cursor", "copilot"];

/** A fixed seed, so that every run generates the same data. */
let seed = 20261116;
function random() {
  seed = (seed * 1664525 + 1013904223) % 2 ** 32;
  return seed / 2 ** 32;
}
const pick = (list) => list[Math.floor(random() * list.length)];
const between = (low, high) => Math.round(low + random() * (high - low));
const hex = (n) => Array.from({ length: n }, () => Math.floor(random() * 16).toString(16)).join("");
const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;

/** The events of a session in order, each with the pause before it. */
function* acts(agent, turns) {
  yield {
    event: "SessionStart",
    source: "startup",
    pause: 0,
    context: random() < 0.3 ? "This repository uses tabs. Tests run with `npm test`." : undefined,
  };
  for (const scene of turns) {
    yield { event: "UserPromptSubmit", prompt: scene.prompt, pause: between(4000, 90_000) };
    if (scene.plan && agent === "claude")
      yield* call({ tool: "ExitPlanMode", input: { plan: scene.plan }, output: "The plan was approved." });
    for (const step of scene.steps) yield* step.steps ? subagent(agent, step) : call(step);
    if (random() < 0.2)
      yield { event: "Notification", message: "Waiting for your input", pause: between(1000, 8000) };
    yield { event: "Stop", answer: scene.answer, tokens: between(8000, 90_000), pause: between(1500, 9000) };
  }
}

function* subagent(agent, step) {
  if (agent !== "claude") return yield* step.steps.flatMap((one) => [...call(one)]);
  const who = { subagent: `a${hex(8)}`, subagentType: step.subagent };
  yield* call({
    tool: "Task",
    input: { description: step.about, subagent_type: step.subagent, prompt: step.about },
    output: "Found it.",
  });
  yield { event: "SubagentStart", ...who, pause: 300 };
  for (const one of step.steps) for (const act of call(one)) yield { ...act, ...who };
  yield { event: "SubagentStop", ...who, pause: 600 };
}

function* call(step) {
  const id = `toolu_${hex(10)}`;
  yield {
    ...step,
    event: "PreToolUse",
    call: id,
    pause: between(900, 9000),
    ms: undefined,
    output: undefined,
  };
  if (step.verdict === "deny") return;
  const ms = Math.round((step.ms ?? between(4, 260)) * (0.6 + random()));
  yield {
    ...step,
    event: step.failed ? "PostToolUseFailure" : "PostToolUse",
    call: id,
    pause: ms,
    ms,
    rewritten: undefined,
    verdict: undefined,
    reason: undefined,
  };
}

/** The hooks' decision for an event. */
function decisionFor(act) {
  const hooks = [];
  if (act.event === "PreToolUse") {
    const isGuard = act.verdict === "deny" || act.verdict === "ask";
    hooks.push({
      hook: "security-guard",
      verdict: isGuard ? act.verdict : "none",
      ms: between(0, 3),
      ...(isGuard ? { reason: act.reason } : {}),
    });
    if (act.rewritten) hooks.push({ hook: "quiet-tests", verdict: "allow", ms: between(8, 40) });
    if (act.tool === "Write" || act.tool === "Edit")
      hooks.push({ hook: "protect-migrations", verdict: "none", ms: between(6, 60) });
  }
  if (act.event === "PostToolUse" && act.tool === "Edit") {
    const isBroken = random() < 0.03;
    hooks.push({
      hook: "auto-format",
      verdict: "none",
      ms: between(40, 900),
      ...(isBroken ? { error: "timed out after 5 s" } : {}),
    });
  }
  if (act.event === "SessionStart" && act.context)
    hooks.push({ hook: "briefing", verdict: "none", ms: between(5, 30) });
  return {
    verdict: act.verdict ?? (act.rewritten ? "allow" : "none"),
    ...(act.reason && act.event === "PreToolUse" ? { reason: act.reason } : {}),
    ...(act.rewritten ? { updated_input: act.rewritten } : {}),
    ...(act.context ? { context: act.context } : {}),
    ...(hooks.length > 0 ? { hooks } : {}),
  };
}

/** Makes file paths absolute, as agents report them. */
function withAbsolutePath(act, cwd) {
  const path = act.input?.file_path;
  return path ? { ...act, input: { ...act.input, file_path: `${cwd}/${path}` } } : act;
}

function past(most, days) {
  const lines = [];
  const now = Date.now();
  let number = 0;
  while (lines.length < most) {
    const agent = pick(AGENTS);
    const scene = pick(SAMPLE_TURNS);
    const cwd = join(projects, scene.project);
    const session = { id: uuid(), cwd, turn: uuid() };
    const turns = [
      scene,
      ...SAMPLE_TURNS.filter((one) => one.project === scene.project && one !== scene).slice(0, between(0, 2)),
    ];
    // Most sessions are during the day, and more of them recent.
    let at = now - Math.floor(random() ** 1.6 * days * 86_400_000) - between(0, 3_600_000);
    const hour = new Date(at).getHours();
    if (hour < 7 && random() < 0.8) at -= 9 * 3_600_000;
    const all = [...acts(agent, turns)];
    all.push({ event: "SessionEnd", reason: "prompt_input_exit", pause: between(1000, 60_000) });
    for (const raw of all) {
      at += raw.pause;
      if (at > now) break;
      const act = withAbsolutePath({ ...raw, ts: new Date(at).toISOString() }, cwd);
      const id = `seed${String(number++).padStart(9, "0")}`;
      const record = {
        v: 1,
        id,
        ts: act.ts,
        agent,
        event: act.event,
        session: session.id,
        project: cwd,
        decision: decisionFor(act),
        payload: payload(agent, session, act),
      };
      lines.push({ ts: act.ts, line: JSON.stringify({ type: "event", record }) });
    }
  }
  // Sessions overlap; records are sorted by time.
  lines.sort((a, b) => (a.ts < b.ts ? -1 : 1));
  return [JSON.stringify({ type: "becket_export", version: 1 }), ...lines.map(({ line }) => line)].join("\n");
}

function command(args, more = {}) {
  const done = spawnSync(becket, args, { env, encoding: "utf8", ...more });
  if (done.error) throw done.error;
  return done;
}

const sleep = (ms) => new Promise((wake) => setTimeout(wake, ms));

/** Runs live sessions, three at a time, until interrupted. */
async function live() {
  const one = async () => {
    for (;;) {
      const agent = pick(AGENTS);
      const scene = pick(SAMPLE_TURNS);
      const cwd = join(projects, scene.project);
      const session = { id: uuid(), cwd, turn: uuid() };
      for (const act of acts(agent, [scene])) {
        await sleep(Math.min(act.pause, 2500) + between(100, 900));
        const input = payload(
          agent,
          session,
          withAbsolutePath({ ...act, ts: new Date().toISOString() }, cwd),
        );
        command(["hook", eventName(agent, act.event), "--agent", agent], {
          cwd,
          input: JSON.stringify(input),
        });
      }
    }
  };
  await Promise.all([one(), one(), one()]);
}

// Stop the daemon of an earlier run; its files are about to be deleted.
command(["daemon", "stop"]);
rmSync(env.BECKET_HOME, { recursive: true, force: true });
mkdirSync(env.BECKET_HOME, { recursive: true });
for (const { project } of SAMPLE_TURNS) mkdirSync(join(projects, project, ".git"), { recursive: true });
command(["hooks", "enable", "security-guard"]);
const file = join(home, "seed.jsonl");
writeFileSync(file, past(Number(given.events), Number(given.days)));
const taken = command(["import", file]);
console.log((taken.stdout + taken.stderr).trim());
rmSync(file);
console.log(command(["daemon", "start"]).stdout.trim());
console.log(`BECKET_HOME=${env.BECKET_HOME}`);
if (given.live) await live();
