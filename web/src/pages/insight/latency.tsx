/** How long hooks took: a line from the median to the slowest, on a logarithmic scale. */
import type { components } from "../../api/schema";
import { logPlace } from "../../lib/series";
import { many, took } from "../../lib/time";
import { Panel } from "../../parts/page";

type Hook = components["schemas"]["HookLatency"];

export function Latency({ hooks }: { hooks: Hook[] }) {
  const rows = hooks.toSorted((a, b) => b.p95 - a.p95).slice(0, 12);
  const most = Math.max(10, ...rows.map(({ max }) => max));
  const ticks = [1, 10, 100, 1000, 10_000, 100_000].filter((tick) => tick <= most);
  const at = (ms: number) => `${100 * logPlace(ms, most)}%`;
  return (
    <Panel
      title="How long hooks took"
      note={
        <span class="key">
          <i class="dot-p50" /> p50 <i class="dot-p95" /> p95 <i class="dot-p99" /> p99
        </span>
      }
    >
      {rows.length === 0 && <p class="quiet">No hook ran.</p>}
      <ul class="latencies">
        {rows.map((hook) => (
          <li key={hook.hook}>
            <span class="latency-name">
              <span class="cut" title={hook.hook}>
                {hook.hook}
              </span>
              <span class="quiet">
                {many(hook.runs, "run")}
                {hook.errors > 0 && <span class="tone-deny"> · {many(hook.errors, "error")}</span>}
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
              <span>{took(hook.p50)}</span>
              <span>{took(hook.p95)}</span>
              <span>{took(hook.p99)}</span>
            </span>
          </li>
        ))}
      </ul>
      {rows.length > 0 && (
        <div class="latency-axis" aria-hidden="true">
          {ticks.map((tick) => (
            <span key={tick} style={{ left: at(tick) }}>
              {took(tick)}
            </span>
          ))}
        </div>
      )}
    </Panel>
  );
}
