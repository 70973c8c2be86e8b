/** Queries decisions page by page. */
import { api, unwrap } from "../../api/client";
import type { ResultPage } from "../../api/load";
import type { Decision } from "../../api/types";
import { parseReason } from "../../lib/reason";

export interface DecisionFilter {
  agent?: string | undefined;
  project?: string | undefined;
  /** A verdict, `rewrite`, or `all`. Default: every verdict but `allow` and `none`. */
  verdict?: string | undefined;
  rule?: string | undefined;
}

/** The rule of a decision: the guard's rule, or the hook's name if it has none. */
export function ruleOf(decision: Pick<Decision, "reason" | "hook">): string | undefined {
  return parseReason(decision.reason).rule ?? decision.hook ?? undefined;
}

const DEFAULT_VERDICTS = "deny,ask,halt,rewrite";
const PAGE_SIZE = 100;

/** Converts the filter to query parameters. */
export function toQuery({ verdict = DEFAULT_VERDICTS, ...filter }: DecisionFilter): Record<string, string> {
  const all = { ...filter, verdict: verdict === "all" ? undefined : verdict };
  return Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}

export function loadDecisions(
  filter: DecisionFilter,
  after: string | undefined,
): Promise<ResultPage<Decision>> {
  const query = { ...toQuery(filter), limit: PAGE_SIZE, ...(after ? { after } : {}) };
  return unwrap(api.GET("/api/v1/decisions", { params: { query } }));
}
