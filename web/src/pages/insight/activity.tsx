/** Activity over time: totals, events by agent, failures. */
import { useMemo } from "preact/hooks";
import type { EventBucket } from "../../api/types";
import { formatCompact, formatCount } from "../../lib/format";
import { bucketStarts, fillBuckets } from "../../lib/series";
import { agentClass, agentName } from "../../parts/badge";
import { Chart } from "../../parts/chart";
import { Panel } from "../../parts/page";

export interface ActivityData {
  from: number;
  until: number;
  step: number;
  series: { agent: string; buckets: EventBucket[] }[];
}

const COUNTERS = [
  ["events", "events", "accent"],
  ["prompts", "prompts", "accent"],
  ["tool_calls", "tool calls", "accent"],
  ["failures", "failed", "ask"],
  ["denied", "blocked", "deny"],
] as const;

type CounterName = (typeof COUNTERS)[number][0];

/** The sum of one counter over all agents, per bucket. */
function total(work: ActivityData, counter: CounterName): number[] {
  const each = work.series.map(({ buckets }) =>
    fillBuckets(buckets, work.from, work.until, work.step, (bucket) => bucket[counter]),
  );
  return bucketStarts(work.from, work.until, work.step).map((_, i) =>
    each.reduce((sum, one) => sum + (one[i] ?? 0), 0),
  );
}

/** Five totals for the range, each with a sparkline. */
export function TotalsPanel({ work }: { work: ActivityData }) {
  return (
    <section class="figures" aria-label="Totals">
      {COUNTERS.map(([counter, name, tone]) => {
        const values = total(work, counter);
        const sum = values.reduce((all, value) => all + value, 0);
        return (
          <div key={counter} class={`figure tone-${tone}`}>
            <span class="figure-name">{name}</span>
            <b title={formatCount(sum)}>{sum < 100_000 ? formatCount(sum) : formatCompact(sum)}</b>
            <Sparkline values={values} />
          </div>
        );
      })}
    </section>
  );
}

function Sparkline({ values }: { values: number[] }) {
  const max = Math.max(1, ...values);
  const points = values.map(
    (value, i) => `${(100 * i) / Math.max(1, values.length - 1)},${23 - (20 * value) / max}`,
  );
  return (
    <svg class="sparkline" viewBox="0 0 100 24" preserveAspectRatio="none" aria-hidden="true">
      <polygon points={`0,24 ${points.join(" ")} 100,24`} />
      <polyline points={points.join(" ")} />
    </svg>
  );
}

export function ActivityPanel({ work }: { work: ActivityData }) {
  const times = useMemo(() => bucketStarts(work.from, work.until, work.step), [work]);
  const series = useMemo(
    () =>
      work.series.map(({ agent, buckets }) => ({
        name: agentName(agent),
        class: agentClass(agent),
        values: fillBuckets(buckets, work.from, work.until, work.step, ({ events }) => events),
      })),
    [work],
  );
  return (
    <Panel title="Activity" note="events by agent" wide>
      <Chart label="Events over time, by agent" times={times} series={series} stacked height={260} />
    </Panel>
  );
}

export function FailuresPanel({ work }: { work: ActivityData }) {
  const times = useMemo(() => bucketStarts(work.from, work.until, work.step), [work]);
  const series = useMemo(
    () => [
      { name: "failed", class: "tone-ask", values: total(work, "failures") },
      { name: "blocked", class: "tone-deny", values: total(work, "denied") },
    ],
    [work],
  );
  return (
    <Panel title="Failed and blocked" note="tool calls">
      <Chart
        label="Failed and blocked tool calls over time"
        times={times}
        series={series}
        stacked
        height={200}
      />
    </Panel>
  );
}
