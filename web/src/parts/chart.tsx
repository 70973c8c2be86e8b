/**
 * A time series chart, drawn by uPlot, with the same numbers as a table for screen readers.
 *
 *     <Chart label="Events" times={[…ms]} series={[{ name: "Claude Code", class: "agent-claude", values: […] }]} stacked />
 *
 * A series takes its colour from its CSS class: `--agent` or `--tone`. The chart is redrawn when the theme changes.
 */
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { formatCompact, formatCount, formatDateTime } from "../lib/format";
import { stackLayers } from "../lib/series";
import { themeVersion } from "../lib/theme";

export interface ChartSeries {
  name: string;
  /** A CSS class that sets `--agent` or `--tone`. */
  class: string;
  values: readonly number[];
}

interface ChartProps {
  label: string;
  times: readonly number[];
  series: readonly ChartSeries[];
  stacked?: boolean;
  height?: number;
}

export function Chart(props: ChartProps) {
  const { label, times, series, height = 240 } = props;
  const box = useRef<HTMLDivElement>(null);
  const tip = useRef<HTMLDivElement>(null);
  const themeTurn = themeVersion.value;
  useEffect(() => {
    const element = box.current;
    if (!element || !tip.current) return;
    const plot = drawChart(element, tip.current, props, height);
    const watch = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    watch.observe(element);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [times, series, themeTurn, height]);
  return (
    <figure class="chart" aria-label={label}>
      <ul class="legend" aria-hidden="true">
        {series.map((one) => (
          <li key={one.name} class={one.class}>
            <i /> {one.name}
          </li>
        ))}
      </ul>
      <div class="plot">
        <div ref={box} aria-hidden="true" style={{ height: `${height}px` }} />
        <div ref={tip} class="tip" aria-hidden="true" hidden />
      </div>
      <ChartTable {...props} />
    </figure>
  );
}

/** The numbers as a table for screen readers, without empty buckets. */
function ChartTable({ label, times, series }: ChartProps) {
  const rows = times
    .map((at, i) => [at, series.map(({ values }) => values[i] ?? 0)] as const)
    .filter(([, values]) => values.some((value) => value > 0));
  return (
    <table class="sr">
      <caption>{label}</caption>
      <thead>
        <tr>
          <th scope="col">From</th>
          {series.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(-60).map(([at, values]) => (
          <tr key={at}>
            <th scope="row">{formatDateTime(at)}</th>
            {values.map((value, i) => (
              <td key={series[i]?.name}>{value}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The current colour of a CSS class. A canvas cannot use custom properties. */
function colourOf(box: Element, name: string): string {
  const probe = document.createElement("span");
  probe.className = `colour-probe ${name}`;
  box.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function drawChart(box: HTMLElement, tip: HTMLElement, props: ChartProps, height: number): uPlot {
  const { times, series, stacked = false } = props;
  const colours = series.map((one) => colourOf(box, one.class));
  const ink = colourOf(box, "probe-faint");
  const grid = colourOf(box, "probe-line");
  const axis = {
    stroke: ink,
    grid: { stroke: grid, width: 1 },
    ticks: { show: false },
    font: "11px system-ui, sans-serif",
  };
  const layers = stacked
    ? stackLayers(series.map(({ values }) => values))
    : series.map(({ values }) => [...values]);
  const bars = uPlot.paths.bars?.({ size: [0.82, 44], radius: 0.12 });
  const line = uPlot.paths.spline?.();
  // Half a bucket on either side, so that the first and the last bar are complete.
  const step = times.length > 1 && stacked ? ((times[1] ?? 0) - (times[0] ?? 0)) / 1000 : 0;
  const seconds = times.map((at) => at / 1000);
  const options: uPlot.Options = {
    width: box.clientWidth,
    height,
    // The right padding leaves room for half of the last date.
    padding: [10, 22, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: !stacked }, drag: { x: false, y: false } },
    scales: {
      x: { range: (_, min, max) => [min - step / 2, max + step / 2] },
      y: { range: (_, __, max) => [0, Math.max(4, max * 1.08)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        space: 64,
        values: (_, splits, __, ___, step) => splits.map((at) => tickLabel(at, step)),
      },
      {
        ...axis,
        size: 40,
        space: 36,
        values: (_, splits) => splits.map((n) => (Number.isInteger(n) ? formatCompact(n) : "")),
      },
    ],
    series: [
      {},
      ...series.map((one, i) => {
        const colour = colours[i] ?? ink;
        const paths = stacked ? bars : line;
        return {
          label: one.name,
          stroke: colour,
          width: stacked ? 0 : 2,
          points: { show: false },
          ...(stacked ? { fill: colour } : {}),
          ...(paths ? { paths } : {}),
        };
      }),
    ],
    hooks: { setCursor: [(plot) => showTooltip(plot, tip, props)] },
  };
  // Draw the tallest layer first; otherwise it would cover the others.
  const order = layers.map((_, i) => i).reverse();
  const sorted = stacked ? order : order.toReversed();
  options.series = [options.series[0] ?? {}, ...sorted.map((i) => options.series[i + 1] ?? {})];
  return new uPlot(options, [seconds, ...sorted.map((i) => layers[i] ?? [])], box);
}

const pad = (n: number) => String(n).padStart(2, "0");

function tickLabel(at: number, step: number): string {
  const date = new Date(at * 1000);
  if (step >= 86_400 || (date.getHours() === 0 && date.getMinutes() === 0))
    return date.toLocaleDateString("en", { month: "short", day: "numeric" });
  return `${pad(date.getHours())}:${pad(date.getMinutes())}`;
}

/** Shows every series with its value at the pointer, on the side that has room. */
function showTooltip(plot: uPlot, tip: HTMLElement, { times, series }: ChartProps): void {
  const { idx, left = -1 } = plot.cursor;
  if (idx === null || idx === undefined || left < 0) {
    tip.hidden = true;
    return;
  }
  const rows = series
    .map((one) => ({ ...one, value: one.values[idx] ?? 0 }))
    .filter(({ value }) => value > 0)
    .sort((a, b) => b.value - a.value);
  const head = document.createElement("b");
  head.textContent = formatDateTime(times[idx] ?? 0).slice(0, 16);
  tip.replaceChildren(head, ...rows.map(tooltipRow));
  if (rows.length === 0) tip.append(Object.assign(document.createElement("span"), { textContent: "none" }));
  tip.hidden = false;
  const isRight = left > plot.over.clientWidth / 2;
  const x = plot.over.offsetLeft + left + (isRight ? -tip.offsetWidth - 14 : 14);
  tip.style.transform = `translate(${Math.round(x)}px, 8px)`;
}

function tooltipRow(row: ChartSeries & { value: number }): HTMLElement {
  const line = document.createElement("span");
  line.className = `tip-row ${row.class}`;
  const mark = document.createElement("i");
  const name = document.createElement("span");
  name.textContent = row.name;
  const value = document.createElement("b");
  value.textContent = formatCount(row.value);
  line.append(mark, name, value);
  return line;
}
