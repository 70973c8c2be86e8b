/** Decisions in pages, narrowed by what the daemon cannot narrow by: several verdicts at once, and rules. */
import { api, data } from "../../api/client";
import type { Page } from "../../api/load";
import type { Decision } from "../../api/types";
import { readReason } from "../../lib/reason";

export interface Wanted {
  agent?: string | undefined;
  project?: string | undefined;
  /** A verdict, `rewrite`, or `all`; what is denied, asked or rewritten unless said. */
  verdict?: string | undefined;
  rule?: string | undefined;
}

type Asked = "none" | "allow" | "ask" | "deny" | "halt";
const ASKED: readonly string[] = ["none", "allow", "ask", "deny", "halt"];

/** What is called a rule here: the guard's, or the hook itself where it has none. */
export function ruleOf(decision: Pick<Decision, "reason" | "hook">): string | undefined {
  return readReason(decision.reason).rule ?? decision.hook ?? undefined;
}

export function isWanted(decision: Decision, wanted: Wanted): boolean {
  if (wanted.rule && ruleOf(decision) !== wanted.rule && decision.hook !== wanted.rule) return false;
  switch (wanted.verdict) {
    case undefined:
      return decision.rewritten || ["deny", "ask", "halt"].includes(decision.verdict);
    case "all":
      return true;
    case "rewrite":
      return decision.rewritten;
    default:
      return decision.verdict === wanted.verdict;
  }
}

const PAGE = 200;
const ENOUGH = 60;
/** So many pages are looked through for one page of what is wanted; then the person sees how far it is. */
const MOST_PAGES = 15;

type Get = (after: string | undefined, verdict: Asked | undefined) => Promise<Page<Decision>>;

/** The next decisions that are wanted, as many pages as that takes. */
export async function find(
  wanted: Wanted,
  after: string | undefined,
  get: Get = ask(wanted),
): Promise<Page<Decision>> {
  const verdict = ASKED.includes(wanted.verdict ?? "") ? (wanted.verdict as Asked) : undefined;
  const items: Decision[] = [];
  let next: string | null | undefined = after;
  for (let page = 0; page < MOST_PAGES && items.length < ENOUGH; page++) {
    const got: Page<Decision> = await get(next ?? undefined, verdict);
    items.push(...got.items.filter((decision) => isWanted(decision, wanted)));
    next = got.next;
    if (next === null) break;
  }
  return { items, next: next ?? null };
}

function ask({ agent, project }: Wanted): Get {
  return (after, verdict) =>
    data(
      api.GET("/api/v1/decisions", {
        params: { query: { limit: PAGE, ...clean({ after, verdict, agent, project }) } },
      }),
    );
}

function clean<T extends Record<string, unknown>>(of: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value)) as {
    [K in keyof T]?: NonNullable<T[K]>;
  };
}
