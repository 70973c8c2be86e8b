/** Hook latency: a line from the median to the maximum, on a logarithmic scale. */
import type { HookLatency } from "../../api/types";
import { formatDuration, plural } from "../../lib/format";
import { logPosition } from "../../lib/series";
import { Panel } from "../../parts/page";

export function LatencyPanel({ hooks }: { hooks: HookLatency[] }) {
  const rows = hooks.toSorted((a, b) => b.p95 - a.p95).slice(0, 12);
  const axisMax = Math.max(10, ...rows.map(({ max }) => max));
  const ticks = [1, 10, 100, 1000, 10_000, 100_000].filter((tick) => tick <= axisMax);
  const at = (ms: number) => `${100 * logPosition(ms, axisMax)}%`;
  return (
    <Panel
      title="Hook latency"
      note={
        <span class="key">
          <i class="dot-p50" /> p50 <i class="dot-p95" /> p95 <i class="dot-p99" /> p99
        </span>
      }
    >
      {rows.length === 0 && <p class="quiet">No hook runs.</p>}
      <ul class="latencies">
        {rows.map((hook) => (
          <li key={hook.hook}>
            <span class="latency-name">
              <span class="cut" title={hook.hook}>
                {hook.hook}
              </span>
              <span class="quiet">
                {plural(hook.runs, "run")}
                {hook.errors > 0 && <span class="tone-deny"> · {plural(hook.errors, "error")}</span>}
              </span>
            </span>
            <span class="latency-line" aria-hidden="true">
              {ticks.map((tick) => (
                <s key={tick} style={{ left: at(tick) }} />
              ))}
              <b style={{ left: at(hook.p50), right: `calc(100% - ${at(hook.max)})` }} />
              <i class="dot-p50" style={{ left: at(hook.p50) }} />
              <i class="dot-p95" style={{ left: at(hook.p95) }} />
              <i class="dot-p99" style={{ left: at(hook.p99) }} />
            </span>
            <span class="latency-words">
              <span>{formatDuration(hook.p50)}</span>
              <span>{formatDuration(hook.p95)}</span>
              <span>{formatDuration(hook.p99)}</span>
            </span>
          </li>
        ))}
      </ul>
      {rows.length > 0 && (
        <div class="latency-axis" aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick} style={{ left: at(tick) }}>
              {formatDuration(tick)}
            </span>
          ))}
        </div>
      )}
    </Panel>
  );
}
