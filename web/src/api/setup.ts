/**
 * What can be looked at and changed of this machine's set-up: decisions explained, hooks, trust, connections, settings.
 *
 * Whatever writes a file is planned first: the plan shows the difference and has a digest, and only what was shown is
 * written. A file that changed meanwhile is answered with 409.
 */
import { ask } from "./client";
import type { Decision, HookRun } from "./types";

/** A rule of the guard that a call met. */
export interface Matched {
  rule: string;
  /** `notice`, `doubtful`, `severe` or `catastrophic`. */
  severity: string;
  text: string;
  /** Where that is in the command, in bytes of UTF-8. */
  start: number | null;
  end: number | null;
  explanation: string;
  safer: string;
}

export type HookSaid = HookRun & { matched: Matched[] };

export type DecisionDetail = Decision & {
  call: { tool: string | null; input: unknown };
  hooks: HookSaid[];
};

export interface RulePlan {
  file: string;
  rule: string;
  diff: string;
  plan: string;
}

export type Preset = "permissive" | "standard" | "strict";

export type Counts = Record<"none" | "allow" | "ask" | "deny" | "halt", number>;

export interface Case {
  event_id: string;
  at: number;
  agent: string;
  session: string | null;
  project: string | null;
  tool: string;
  subject: string;
  then: string;
  now: string;
  hook: string | null;
  rule: string | null;
  reason: string | null;
  outcome: string | null;
  times: number;
}

export interface Cases {
  count: number;
  items: Case[];
}

export interface ReplayReport {
  replayed_with: string;
  complete: boolean;
  looked_at: number;
  replayed: number;
  sessions: number;
  unreadable: number;
  then: Counts;
  now: Counts;
  changed: number;
  changes: (Cases & { then: string; now: string })[];
  denied_that_ran: Cases;
  asked_that_ran: Cases;
  rules: { hook: string; rule: string | null; verdict: string; times: number }[];
  not_run: { hook: string; kind: string; times: number }[];
}

export interface Hook {
  name: string;
  event: string;
  status: string;
  component: boolean;
  trust: "own" | "trusted" | "untrusted" | "changed";
  dialect: string;
  level: string;
  file: string;
  line: number;
  key: string;
  description: string | null;
  definition: unknown;
  runs: number;
  failures: number;
  p50_ms: number | null;
  p95_ms: number | null;
}

export interface HookProblem {
  file: string;
  line: number;
  key: string;
  message: string;
  severity: string;
}

export interface HookOverview {
  mode: string;
  hooks: Hook[];
  problems: HookProblem[];
}

export interface Switched {
  changed: boolean;
  name: string;
  file: string;
  status: string | null;
  trusted: string[];
  notes: string[];
}

export interface HookTried {
  name: string;
  event: unknown;
  verdict: string;
  reason: string | null;
  updated_input: unknown;
  context: string | null;
  system_message: string | null;
  keep_going: string | null;
  failure: string | null;
  exit: number | null;
  ending: string | null;
  stdout: string;
  stderr: string;
  ms: number;
  notes: string[];
}

export type ReviewState = "new" | "changed" | "trusted";

export interface ReviewItem {
  id: string;
  hook: string;
  event: string;
  command: string;
  file: string;
  line: number;
  state: ReviewState;
  diff: string | null;
  scripts: { path: string; state: ReviewState; diff: string | null }[];
}

export interface Review {
  project: string;
  items: ReviewItem[];
  digest: string;
}

export interface Connection {
  agent: string;
  name: string;
  found: boolean;
  connected: boolean;
  version: string | null;
  last_event: number | null;
  files: string[];
  problems: string[];
}

export interface FileChange {
  path: string;
  diff: string;
  created: boolean;
  deleted: boolean;
}

export interface ConnectionPlan {
  files: FileChange[];
  warnings: string[];
  plan: string;
}

export interface Finding {
  check: string;
  state: "ok" | "warning" | "error";
  message: string;
  fix: string | null;
}

export interface Settings {
  file: string;
  port: number | null;
  daemon: boolean;
  record: boolean;
  redact: string[];
  retention: { keep: string | null };
  guard: { preset: Preset; enabled: boolean };
  problems: string[];
}

export interface SettingsWanted {
  redact?: string[];
  retention?: { keep: string | null };
  port?: number;
  daemon?: boolean;
  record?: boolean;
  guard?: { preset?: Preset; enabled?: boolean };
}

export interface SettingsPlan {
  file: string;
  diff: string;
  plan: string;
}

/** Which hook: its name, or `FILE:LINE` where several have it. */
export interface HookName {
  name: string;
  level?: string;
  project?: string;
}

export interface HookSample extends HookName {
  event?: string;
  tool?: string;
  input?: Record<string, unknown>;
}

const post = <T>(path: string, body: unknown) => ask<T>("POST", `/api/v1${path}`, { body });
const get = <T>(path: string, query: Record<string, string | undefined> = {}) =>
  ask<T>("GET", `/api/v1${path}`, { query });

export const setup = {
  decision: (id: string) => get<DecisionDetail>(`/decisions/${encodeURIComponent(id)}`),
  planRule: (decision: string) => post<RulePlan>("/rules/plan", { decision }),
  applyRule: (decision: string, plan: string) => post<{ file: string }>("/rules/apply", { decision, plan }),
  replay: (asked: { preset?: Preset; hook?: string; project?: string; since?: string }) =>
    post<ReplayReport>("/replay", asked),

  hooks: (project?: string) => get<HookOverview>("/hooks", { project }),
  switchHook: (hook: HookName, on: boolean) => post<Switched>("/hooks/switch", { ...hook, on }),
  testHook: (sample: HookSample) => post<HookTried>("/hooks/test", sample),

  review: (project: string) => get<Review>("/trust", { project }),
  grant: (project: string, digest: string) => post<{ trusted: number }>("/trust", { project, digest }),
  revoke: (project: string) => post<{ revoked: number }>("/trust/revoke", { project }),

  connections: () => get<{ items: Connection[] }>("/connections"),
  planConnection: (agent: string, remove: boolean) =>
    post<ConnectionPlan>("/connections/plan", { agent, remove }),
  applyConnection: (agent: string, remove: boolean, plan: string) =>
    post<{ files: string[] }>("/connections/apply", { agent, remove, plan }),
  doctor: (project?: string) => get<{ findings: Finding[] }>("/doctor", { project }),

  settings: () => get<Settings>("/settings"),
  planSettings: (wanted: SettingsWanted) => post<SettingsPlan>("/settings/plan", wanted),
  applySettings: (wanted: SettingsWanted, plan: string) =>
    post<{ file: string }>("/settings/apply", { ...wanted, plan }),

  logout: () => ask<void>("POST", "/api/logout"),
};
