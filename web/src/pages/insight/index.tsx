/** The insight page: charts of agent activity and hook verdicts. */
import { useEffect, useRef } from "preact/hooks";
import { api, unwrap } from "../../api/client";
import { useAgentOptions, useProjectOptions } from "../../api/filter-options";
import { useLoad } from "../../api/load";
import { param, setParams } from "../../lib/router";
import { Filters, Select } from "../../parts/form";
import { PageLayout } from "../../parts/page";
import { CopyableCommand, EmptyState, ErrorMessage, Loading } from "../../parts/page-states";
import { ActivityPanel, FailuresPanel, TotalsPanel } from "./activity";
import { FilesPanel, TokensPanel, ToolsPanel, VerdictsPanel } from "./bars";
import { LatencyPanel } from "./latency";

const HOUR = 3_600_000;

/** The length of each range and its bucket size. */
const RANGES = {
  "1h": { name: "1 hour", length: HOUR, step: 60_000 },
  "24h": { name: "24 hours", length: 24 * HOUR, step: HOUR / 2 },
  "7d": { name: "7 days", length: 168 * HOUR, step: 3 * HOUR },
  "14d": { name: "14 days", length: 336 * HOUR, step: 6 * HOUR },
  "30d": { name: "30 days", length: 720 * HOUR, step: 24 * HOUR },
  "90d": { name: "90 days", length: 2160 * HOUR, step: 24 * HOUR },
} as const;

type RangeName = keyof typeof RANGES;
const isRange = (text: string | undefined): text is RangeName => text !== undefined && text in RANGES;

export function InsightPage() {
  const given = param("range");
  const range = isRange(given) ? given : "7d";
  const project = param("project");
  const agent = param("agent");
  const agents = useAgentOptions();
  const projects = useProjectOptions();
  return (
    <PageLayout
      title="Insight"
      tools={
        <Filters label="Insight">
          <RangePicker at={range} />
          <Select label="Agent" value={agent} options={agents} onPick={(agent) => setParams({ agent })} />
          <Select
            label="Project"
            value={project}
            options={projects}
            onPick={(project) => setParams({ project })}
          />
        </Filters>
      }
    >
      <InsightPanels range={range} project={project} agent={agent} />
    </PageLayout>
  );
}

function RangePicker({ at }: { at: RangeName }) {
  return (
    <fieldset class="segments">
      <legend class="sr">Range</legend>
      {Object.entries(RANGES).map(([range, { name }]) => (
        <button
          key={range}
          type="button"
          aria-pressed={range === at}
          title={`The last ${name}`}
          onClick={() => setParams({ range })}
        >
          {range}
        </button>
      ))}
    </fieldset>
  );
}

interface InsightFilter {
  range: RangeName;
  project: string | undefined;
  agent: string | undefined;
}

const POLL_MS = 60_000;

/** Each panel loads its own data and appears when it is there. */
function InsightPanels({ range, project, agent }: InsightFilter) {
  const { length, step } = RANGES[range];
  const key = `${range} ${project} ${agent}`;
  const statsQuery = () => ({
    since: String(Date.now() - length),
    ...(project ? { project } : {}),
    ...(agent ? { agent } : {}),
  });
  const work = useLoad(`events ${key}`, async () => {
    const until = Date.now();
    const query = { ...statsQuery(), step: step / 1000, by: "agent" as const };
    const { items } = await unwrap(api.GET("/api/v1/stats/events", { params: { query } }));
    const by = Map.groupBy(items, (bucket) => bucket.agent ?? "");
    const series = [...by].map(([agent, buckets]) => ({ agent, buckets }));
    series.sort((a, b) => a.agent.localeCompare(b.agent));
    return { from: until - length, until, step, series };
  });
  const tools = useLoad(`tools ${key}`, () =>
    unwrap(api.GET("/api/v1/stats/tools", { params: { query: statsQuery() } })),
  );
  const verdicts = useLoad(`verdicts ${key}`, () =>
    unwrap(api.GET("/api/v1/stats/verdicts", { params: { query: statsQuery() } })),
  );
  const hooks = useLoad(`hooks ${key}`, () =>
    unwrap(api.GET("/api/v1/stats/hooks", { params: { query: statsQuery() } })),
  );
  const files = useLoad(`files ${key}`, () =>
    unwrap(api.GET("/api/v1/stats/files", { params: { query: { ...statsQuery(), limit: 12 } } })),
  );
  const tokens = useLoad(`tokens ${key}`, () =>
    unwrap(api.GET("/api/v1/stats/tokens", { params: { query: statsQuery() } })),
  );
  const all = [work, tools, verdicts, hooks, files, tokens];
  const reload = () => {
    for (const one of all) one.reload();
  };
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && latest.current(), POLL_MS);
    return () => clearInterval(timer);
  }, []);
  const failed = all.find(({ error }) => error);
  if (failed?.error) return <ErrorMessage error={failed.error} retry={reload} />;
  if (work.data?.series.length === 0) {
    return (
      <EmptyState
        title={`No activity in the last ${RANGES[range].name}`}
        action={<CopyableCommand>becket doctor</CopyableCommand>}
      >
        Choose a longer range, or check that your agents are connected.
      </EmptyState>
    );
  }
  return (
    <div class={all.some(({ loading }) => loading) ? "plots stale" : "plots"}>
      {work.data ? <TotalsPanel work={work.data} /> : <Loading />}
      {work.data && <ActivityPanel work={work.data} />}
      {tools.data && <ToolsPanel tools={tools.data.items} />}
      {hooks.data && <LatencyPanel hooks={hooks.data.items} />}
      {verdicts.data && <VerdictsPanel verdicts={verdicts.data.items} />}
      {files.data && <FilesPanel files={files.data.items} />}
      {work.data && <FailuresPanel work={work.data} />}
      {tokens.data && <TokensPanel tokens={tokens.data.items} />}
    </div>
  );
}
