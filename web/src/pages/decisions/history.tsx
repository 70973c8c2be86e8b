/** The list of decisions, the latest first. */

import { api, unwrap } from "../../api/client";
import { useAgentOptions, useProjectOptions } from "../../api/filter-options";
import { useLoad, usePages, usePolling } from "../../api/load";
import type { Decision } from "../../api/types";
import { outcomeLabel } from "../../lib/outcome";
import { parseReason } from "../../lib/reason";
import { currentRoute, drawerClickHandler, param, setParams, withParams } from "../../lib/router";
import { isNarrow } from "../../lib/screen";
import { basename, oneLine, relativePaths } from "../../lib/text";
import { AgentBadge, Tag, VerdictBadge } from "../../parts/badge";
import { Filters, Select } from "../../parts/form";
import { InlineCode } from "../../parts/inline-code";
import { CopyableCommand, EmptyState, ErrorMessage, Loading } from "../../parts/page-states";
import { TimeAgo } from "../../parts/time";
import { VirtualList } from "../../parts/virtual-list";
import { openDecision } from "./drawer";
import { type DecisionFilter, loadDecisions, ruleOf } from "./query";

const FILTER_NAMES = ["agent", "project", "verdict", "rule"] as const;
const VERDICT_OPTIONS = [
  ["deny", "deny"],
  ["ask", "ask"],
  ["rewrite", "rewrite"],
  ["halt", "halt"],
  ["allow", "allow"],
  ["all", "all"],
] as const;

function currentFilter(): DecisionFilter {
  return Object.fromEntries(FILTER_NAMES.map((name) => [name, param(name)]));
}

export function DecisionFilters() {
  const agents = useAgentOptions();
  const projects = useProjectOptions();
  const rules = useRuleOptions();
  const filter = currentFilter();
  const pick = (name: (typeof FILTER_NAMES)[number]) => (value: string | undefined) =>
    setParams({ [name]: value });
  return (
    <Filters label="Decisions">
      <Select
        label="Verdict"
        value={filter.verdict}
        options={VERDICT_OPTIONS}
        any="deny, ask, halt, rewrite"
        onPick={pick("verdict")}
      />
      <Select label="Rule" value={filter.rule} options={rules} onPick={pick("rule")} />
      <Select label="Agent" value={filter.agent} options={agents} onPick={pick("agent")} />
      <Select label="Project" value={filter.project} options={projects} onPick={pick("project")} />
      {FILTER_NAMES.some((name) => filter[name]) && (
        <button
          type="button"
          class="link"
          onClick={() => setParams(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))}
        >
          Clear
        </button>
      )}
    </Filters>
  );
}

/** Rules and hooks that decided something, the most frequent first. */
function useRuleOptions(): [string, string][] {
  const stats = useLoad("verdicts", () => unwrap(api.GET("/api/v1/stats/verdicts")));
  const counts = new Map<string, number>();
  for (const { hook, rule, verdict, count } of stats.data?.items ?? []) {
    if (verdict === "none" || verdict === "allow") continue;
    counts.set(rule ?? hook, (counts.get(rule ?? hook) ?? 0) + count);
  }
  return [...counts].sort((a, b) => b[1] - a[1]).map(([rule]) => [rule, rule]);
}

export function DecisionHistory() {
  const filter = currentFilter();
  const decisions = usePages(JSON.stringify(filter), (after) => loadDecisions(filter, after));
  usePolling(decisions.reload, "at the top");
  const isSmall = isNarrow.value;
  if (decisions.error) return <ErrorMessage error={decisions.error} retry={decisions.reload} />;
  if (decisions.items.length === 0) {
    if (decisions.loading) return <Loading />;
    return FILTER_NAMES.some((name) => filter[name]) ? (
      <EmptyState title="No matching decisions">Change or clear the filters.</EmptyState>
    ) : (
      <EmptyState
        title="No tool call was blocked, asked about or rewritten yet"
        action={<CopyableCommand>becket hooks enable security-guard</CopyableCommand>}
      >
        The built-in guard blocks dangerous commands. Enable it in the{" "}
        <a href="/settings?view=own">settings</a>, or in a terminal.
      </EmptyState>
    );
  }
  return (
    <VirtualList<Decision>
      label="Decisions, latest first"
      items={decisions.items}
      id={(decision) => decision.event_id}
      height={isSmall ? 84 : 54}
      onEnd={decisions.more}
      onOpen={(decision) => openDecision(decision.event_id)}
      row={(decision) => <DecisionRow decision={decision} small={isSmall} />}
    />
  );
}

function DecisionRow({ decision, small }: { decision: Decision; small: boolean }) {
  const parsed = parseReason(decision.reason);
  const [outcomeText, tone] = outcomeLabel(decision.verdict, decision.outcome);
  const href = withParams(currentRoute.value, { id: decision.event_id });
  const rule = ruleOf(decision);
  return (
    <a
      class={`decision ${small ? "small" : ""} ${decision.event_id === param("id") ? "open" : ""}`}
      href={href}
      onClick={drawerClickHandler("id", decision.event_id)}
    >
      <span class="decision-verdict">
        {decision.rewritten && decision.verdict !== "deny" && decision.verdict !== "ask" ? (
          <VerdictBadge verdict="rewrite" />
        ) : (
          <VerdictBadge verdict={decision.verdict} />
        )}
      </span>
      <AgentBadge id={decision.agent} compact />
      <span class="decision-what">
        <span class="cut">
          <b>{decision.tool ?? decision.kind}</b> <code>{subjectOf(decision)}</code>
        </span>
        <span class="cut quiet">
          {parsed.text ? <InlineCode text={oneLine(parsed.text)} /> : decision.rewritten && "input rewritten"}
        </span>
      </span>
      <span class="decision-rule cut">{rule && <code>{rule}</code>}</span>
      <span class={`decision-outcome ${tone === "halt" ? "loud" : ""}`}>
        <Tag tone={tone}>{outcomeText}</Tag>
      </span>
      <span class="decision-when quiet">
        <span class="cut">{decision.project ? basename(decision.project) : ""}</span>
        <TimeAgo at={decision.at} />
      </span>
    </a>
  );
}

/** The subject of a decision. If its event is no longer stored, it is taken from the reason. */
function subjectOf({ subject, reason, tool, project }: Decision): string {
  if (subject) return relativePaths(oneLine(subject), project);
  const parsed = parseReason(reason).subject ?? "";
  // `Read /etc/passwd` becomes `/etc/passwd`, because the tool is shown before it.
  return oneLine(tool && parsed.startsWith(`${tool} `) ? parsed.slice(tool.length + 1) : parsed);
}
