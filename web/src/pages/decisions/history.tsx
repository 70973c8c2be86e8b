/** Decisions, the latest first. */

import { useAgents, useProjects } from "../../api/catalogue";
import { api, data } from "../../api/client";
import { useFresh, useLoad, usePages } from "../../api/load";
import type { Decision } from "../../api/types";
import { outcome } from "../../lib/outcome";
import { readReason } from "../../lib/reason";
import { opensDrawer, param, place, setParams, withParams } from "../../lib/router";
import { narrow } from "../../lib/screen";
import { base, line, within } from "../../lib/text";
import { Agent, Tag, Verdict } from "../../parts/badge";
import { Filters, Select } from "../../parts/form";
import { VirtualList } from "../../parts/list";
import { Command, Empty, Failure, Loading } from "../../parts/state";
import { Ticks } from "../../parts/ticks";
import { Ago } from "../../parts/time";
import { openDecision } from "./drawer";
import { find, ruleOf, type Wanted } from "./load";

const FILTERS = ["agent", "project", "verdict", "rule"] as const;
const VERDICTS = [
  ["deny", "denied"],
  ["ask", "asked"],
  ["rewrite", "rewritten"],
  ["halt", "halted"],
  ["allow", "allowed"],
  ["all", "everything"],
] as const;

function wantedNow(): Wanted {
  return Object.fromEntries(FILTERS.map((name) => [name, param(name)]));
}

export function DecisionFilters() {
  const agents = useAgents();
  const projects = useProjects();
  const rules = useRules();
  const wanted = wantedNow();
  const pick = (name: (typeof FILTERS)[number]) => (value: string | undefined) =>
    setParams({ [name]: value });
  return (
    <Filters label="Decisions">
      <Select
        label="Verdict"
        value={wanted.verdict}
        options={VERDICTS}
        any="held up, rewritten"
        onPick={pick("verdict")}
      />
      <Select label="Rule" value={wanted.rule} options={rules} onPick={pick("rule")} />
      <Select label="Agent" value={wanted.agent} options={agents} onPick={pick("agent")} />
      <Select label="Project" value={wanted.project} options={projects} onPick={pick("project")} />
      {FILTERS.some((name) => wanted[name]) && (
        <button
          type="button"
          class="link"
          onClick={() => setParams(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
        >
          Clear
        </button>
      )}
    </Filters>
  );
}

/** Rules and hooks that have decided something, the busiest first. */
function useRules(): [string, string][] {
  const said = useLoad("verdicts", () => data(api.GET("/api/v1/stats/verdicts")));
  const counts = new Map<string, number>();
  for (const { hook, rule, verdict, count } of said.data?.items ?? []) {
    if (verdict === "none" || verdict === "allow") continue;
    counts.set(rule ?? hook, (counts.get(rule ?? hook) ?? 0) + count);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([rule]) => [rule, rule]);
}

export function History() {
  const wanted = wantedNow();
  const decisions = usePages(JSON.stringify(wanted), (after) => find(wanted, after));
  useFresh(decisions.reload, "at the top");
  const isSmall = narrow.value;
  if (decisions.error) return <Failure error={decisions.error} retry={decisions.reload} />;
  if (decisions.items.length === 0) {
    if (decisions.loading) return <Loading />;
    return FILTERS.some((name) => wanted[name]) ? (
      <Empty title="Nothing like that was decided">Choose other filters, or clear them.</Empty>
    ) : (
      <Empty
        title="Nothing was denied, asked about or rewritten"
        action={<Command>becket hooks enable security-guard</Command>}
      >
        The guard that comes with Becket knows what should not run. Switch it on in the{" "}
        <a href="/settings?view=own">settings</a>, or in a terminal.
      </Empty>
    );
  }
  return (
    <VirtualList<Decision>
      label="Decisions, the latest first"
      items={decisions.items}
      id={(decision) => decision.event_id}
      height={isSmall ? 84 : 54}
      onEnd={decisions.more}
      onOpen={(decision) => openDecision(decision.event_id)}
      row={(decision) => <Row decision={decision} small={isSmall} />}
    />
  );
}

function Row({ decision, small }: { decision: Decision; small: boolean }) {
  const said = readReason(decision.reason);
  const [came, tone] = outcome(decision.verdict, decision.outcome);
  const href = withParams(place.value, { id: decision.event_id });
  const rule = ruleOf(decision);
  return (
    <a
      class={`decision ${small ? "small" : ""} ${decision.event_id === param("id") ? "open" : ""}`}
      href={href}
      onClick={opensDrawer("id", decision.event_id)}
    >
      <span class="decision-verdict">
        {decision.rewritten && decision.verdict !== "deny" && decision.verdict !== "ask" ? (
          <Verdict is="rewrite" />
        ) : (
          <Verdict is={decision.verdict} />
        )}
      </span>
      <Agent id={decision.agent} mark />
      <span class="decision-what">
        <span class="cut">
          <b>{decision.tool ?? decision.kind}</b> <code>{subjectOf(decision)}</code>
        </span>
        <span class="cut quiet">
          {said.text ? <Ticks text={line(said.text)} /> : decision.rewritten && "was given another input"}
        </span>
      </span>
      <span class="decision-rule cut">{rule && <code>{rule}</code>}</span>
      <span class={`decision-came ${tone === "halt" ? "loud" : ""}`}>
        <Tag tone={tone}>{came}</Tag>
      </span>
      <span class="decision-when quiet">
        <span class="cut">{decision.project ? base(decision.project) : ""}</span>
        <Ago at={decision.at} />
      </span>
    </a>
  );
}

/** What was decided about; once its event is gone, what the reason says of it. */
function subjectOf({ subject, reason, tool, project }: Decision): string {
  if (subject) return within(line(subject), project);
  const said = readReason(reason).subject ?? "";
  // `Read /etc/passwd` is `/etc/passwd` where the tool stands before it.
  return line(tool && said.startsWith(`${tool} `) ? said.slice(tool.length + 1) : said);
}
