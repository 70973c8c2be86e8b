/** Decisions in pages. */
import { api, data } from "../../api/client";
import type { Page } from "../../api/load";
import type { Decision } from "../../api/types";
import { readReason } from "../../lib/reason";

export interface Wanted {
  agent?: string | undefined;
  project?: string | undefined;
  /** A verdict, `rewrite`, or `all`; what held something up or changed it unless said. */
  verdict?: string | undefined;
  rule?: string | undefined;
}

/** What is called a rule here: the guard's, or the hook itself where it has none. */
export function ruleOf(decision: Pick<Decision, "reason" | "hook">): string | undefined {
  return readReason(decision.reason).rule ?? decision.hook ?? undefined;
}

const UNLESS_SAID = "deny,ask,halt,rewrite";
const PAGE = 100;

/** What the daemon is asked for. */
export function asked({ verdict = UNLESS_SAID, ...wanted }: Wanted): Record<string, string> {
  const all = { ...wanted, verdict: verdict === "all" ? undefined : verdict };
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

export function find(wanted: Wanted, after: string | undefined): Promise<Page<Decision>> {
  const query = { ...asked(wanted), limit: PAGE, ...(after ? { after } : {}) };
  return data(api.GET("/api/v1/decisions", { params: { query } }));
}
