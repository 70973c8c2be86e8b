/** What it all comes to: plots of what agents did and what hooks said about it. */
import { useEffect, useRef } from "preact/hooks";
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

/** Each panel asks for its own numbers and is drawn when they are there. */
function Plots({ range, project, agent }: Wanted) {
  const { length, step } = RANGES[range];
  const key = `${range} ${project} ${agent}`;
  const asked = () => ({
    since: String(Date.now() - length),
    ...(project ? { project } : {}),
    ...(agent ? { agent } : {}),
  });
  const work = useLoad(`events ${key}`, async () => {
    const until = Date.now();
    const query = { ...asked(), step: step / 1000, by: "agent" as const };
    const { items } = await data(api.GET("/api/v1/stats/events", { params: { query } }));
    const by = Map.groupBy(items, (bucket) => bucket.agent ?? "");
    const series = [...by].map(([agent, buckets]) => ({ agent, buckets }));
    series.sort((a, b) => a.agent.localeCompare(b.agent));
    return { from: until - length, until, step, series };
  });
  const tools = useLoad(`tools ${key}`, () =>
    data(api.GET("/api/v1/stats/tools", { params: { query: asked() } })),
  );
  const verdicts = useLoad(`verdicts ${key}`, () =>
    data(api.GET("/api/v1/stats/verdicts", { params: { query: asked() } })),
  );
  const hooks = useLoad(`hooks ${key}`, () =>
    data(api.GET("/api/v1/stats/hooks", { params: { query: asked() } })),
  );
  const files = useLoad(`files ${key}`, () =>
    data(api.GET("/api/v1/stats/files", { params: { query: { ...asked(), limit: 12 } } })),
  );
  const tokens = useLoad(`tokens ${key}`, () =>
    data(api.GET("/api/v1/stats/tokens", { params: { query: asked() } })),
  );
  const all = [work, tools, verdicts, hooks, files, tokens];
  const reload = () => {
    for (const one of all) one.reload();
  };
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && latest.current(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const failed = all.find(({ error }) => error);
  if (failed?.error) return <Failure error={failed.error} retry={reload} />;
  if (work.data?.series.length === 0) {
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
    <div class={all.some(({ loading }) => loading) ? "plots stale" : "plots"}>
      {work.data ? <Figures work={work.data} /> : <Loading />}
      {work.data && <Work work={work.data} />}
      {tools.data && <Tools tools={tools.data.items} />}
      {hooks.data && <Latency hooks={hooks.data.items} />}
      {verdicts.data && <Verdicts verdicts={verdicts.data.items} />}
      {files.data && <Files files={files.data.items} />}
      {work.data && <Trouble work={work.data} />}
      {tokens.data && <Tokens tokens={tokens.data.items} />}
    </div>
  );
}
