/** Events over time. */
import { useMemo } from "preact/hooks";
import type { Bucket } from "../../api/types";
import { filled, stretches } from "../../lib/series";
import { count, short } from "../../lib/time";
import { agentClass, agentName } from "../../parts/badge";
import { Chart } from "../../parts/chart";
import { Panel } from "../../parts/page";

export interface WorkDone {
  from: number;
  until: number;
  step: number;
  series: { agent: string; buckets: Bucket[] }[];
}

const NUMBERS = [
  ["events", "events", "accent"],
  ["prompts", "prompts", "accent"],
  ["tool_calls", "calls", "accent"],
  ["failures", "failed", "ask"],
  ["denied", "denied", "deny"],
] as const;

type Of = (typeof NUMBERS)[number][0];

/** One number of all agents, stretch by stretch. */
function total(work: WorkDone, of: Of): number[] {
  const each = work.series.map(({ buckets }) =>
    filled(buckets, work.from, work.until, work.step, (bucket) => bucket[of]),
  );
  return stretches(work.from, work.until, work.step).map((_, i) =>
    each.reduce((sum, one) => sum + (one[i] ?? 0), 0),
  );
}

/** The whole range in five numbers, each with its course. */
export function Figures({ work }: { work: WorkDone }) {
  return (
    <section class="figures" aria-label="In numbers">
      {NUMBERS.map(([of, name, tone]) => {
        const values = total(work, of);
        const sum = values.reduce((all, value) => all + value, 0);
        return (
          <div key={of} class={`figure tone-${tone}`}>
            <span class="figure-name">{name}</span>
            <b title={count(sum)}>{sum < 100_000 ? count(sum) : short(sum)}</b>
            <Course values={values} />
          </div>
        );
      })}
    </section>
  );
}

function Course({ values }: { values: number[] }) {
  const most = Math.max(1, ...values);
  const points = values.map(
    (value, i) => `${(100 * i) / Math.max(1, values.length - 1)},${23 - (20 * value) / most}`,
  );
  return (
    <svg class="course" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,24 ${points.join(" ")} 100,24`} />
      <polyline points={points.join(" ")} />
    </svg>
  );
}

export function Work({ work }: { work: WorkDone }) {
  const times = useMemo(() => stretches(work.from, work.until, work.step), [work]);
  const series = useMemo(
    () =>
      work.series.map(({ agent, buckets }) => ({
        name: agentName(agent),
        class: agentClass(agent),
        values: filled(buckets, work.from, work.until, work.step, ({ events }) => events),
      })),
    [work],
  );
  return (
    <Panel title="Who did how much" note="events, by agent" wide>
      <Chart label="Events over time, by agent" times={times} series={series} stacked height={260} />
    </Panel>
  );
}

export function Trouble({ work }: { work: WorkDone }) {
  const times = useMemo(() => stretches(work.from, work.until, work.step), [work]);
  const series = useMemo(
    () => [
      { name: "failed", class: "tone-ask", values: total(work, "failures") },
      { name: "denied", class: "tone-deny", values: total(work, "denied") },
    ],
    [work],
  );
  return (
    <Panel title="What went wrong" note="calls that failed or were denied">
      <Chart label="Failed and denied calls over time" times={times} series={series} stacked height={200} />
    </Panel>
  );
}
