/** What it all comes to: plots of what agents did and what hooks said about it. */
import { useEffect } from "preact/hooks";
import { useAgents, useProjects } from "../../api/catalogue";
import { api, data } from "../../api/client";
import { useLoad } from "../../api/load";
import { param, setParams } from "../../lib/router";
import { Filters, Select } from "../../parts/form";
import { Page } from "../../parts/page";
import { Command, Empty, Failure, Loading } from "../../parts/state";
import { Files, Tokens, Tools, Verdicts } from "./bars";
import { Latency } from "./latency";
import { Figures, Trouble, Work } from "./work";

const HOUR = 3_600_000;

/** How far back, and how long a stretch is then. */
const RANGES = {
  "1h": { name: "1 hour", length: HOUR, step: 60_000 },
  "24h": { name: "24 hours", length: 24 * HOUR, step: HOUR / 2 },
  "7d": { name: "7 days", length: 168 * HOUR, step: 3 * HOUR },
  "14d": { name: "14 days", length: 336 * HOUR, step: 6 * HOUR },
  "30d": { name: "30 days", length: 720 * HOUR, step: 24 * HOUR },
  "90d": { name: "90 days", length: 2160 * HOUR, step: 24 * HOUR },
} as const;

type Range = keyof typeof RANGES;
const isRange = (text: string | undefined): text is Range => text !== undefined && text in RANGES;

export function Insight() {
  const given = param("range");
  const range = isRange(given) ? given : "7d";
  const project = param("project");
  const agent = param("agent");
  const agents = useAgents();
  const projects = useProjects();
  return (
    <Page
      title="Insight"
      tools={
        <Filters label="Numbers">
          <Ranges at={range} />
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
      <Plots range={range} project={project} agent={agent} />
    </Page>
  );
}

function Ranges({ at }: { at: Range }) {
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

interface Wanted {
  range: Range;
  project: string | undefined;
  agent: string | undefined;
}

const EVERY_MS = 60_000;

function Plots({ range, project, agent }: Wanted) {
  const all = useLoad(`insight ${range} ${project} ${agent}`, () => load(range, project, agent));
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && all.reload(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  if (all.error) return <Failure error={all.error} retry={all.reload} />;
  if (!all.data) return <Loading />;
  const { work, tools, verdicts, hooks, files, tokens } = all.data;
  if (work.series.every(({ buckets }) => buckets.length === 0)) {
    return (
      <Empty
        title={`Nothing happened in the last ${RANGES[range].name}`}
        action={<Command>becket doctor</Command>}
      >
        A longer range may show more. If agents were at work, check that they are connected.
      </Empty>
    );
  }
  return (
    <div class={all.loading ? "plots stale" : "plots"}>
      <Figures work={work} />
      <Work work={work} />
      <Tools tools={tools} />
      <Latency hooks={hooks} />
      <Verdicts verdicts={verdicts} />
      <Files files={files} />
      <Trouble work={work} />
      <Tokens tokens={tokens} />
    </div>
  );
}

async function load(range: Range, project: string | undefined, agent: string | undefined) {
  const { length, step } = RANGES[range];
  const until = Date.now();
  const from = until - length;
  const since = String(from);
  const query = { since, ...(project ? { project } : {}), ...(agent ? { agent } : {}) };
  const params = { query };
  const known = agent
    ? [agent]
    : (await data(api.GET("/api/v1/agents"))).items.map(({ name }) => name).sort();
  const series = known.map(async (id) => {
    const own = { ...query, agent: id, step: step / 1000 };
    const { items } = await data(api.GET("/api/v1/stats/events", { params: { query: own } }));
    return { agent: id, buckets: items };
  });
  const [events, tools, verdicts, hooks, files, tokens] = await Promise.all([
    Promise.all(series),
    data(api.GET("/api/v1/stats/tools", { params })),
    data(api.GET("/api/v1/stats/verdicts", { params })),
    data(api.GET("/api/v1/stats/hooks", { params })),
    data(api.GET("/api/v1/stats/files", { params: { query: { ...query, limit: 12 } } })),
    data(api.GET("/api/v1/stats/tokens", { params })),
  ]);
  return {
    work: { from, until, step, series: events.filter(({ buckets }) => buckets.length > 0) },
    tools: tools.items,
    verdicts: verdicts.items,
    hooks: hooks.items,
    files: files.items,
    tokens: tokens.items,
  };
}
