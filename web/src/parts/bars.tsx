/**
 * Bars for shares and totals.
 *
 *     <ShareBar value={0.83} tone="allow" label="83 %" />                              one share
 *     <StackedBar label="Then" parts={[["deny", 3, "deny"], ["ask", 5, "ask"]]} />     the parts of a total
 */
import { formatCount } from "../lib/format";
import type { Tone } from "./badge";

export function ShareBar({ value, tone = "accent", label }: { value: number; tone?: Tone; label: string }) {
  const percent = Math.round(Math.max(0, Math.min(1, value)) * 100);
  return (
    <span class={`share tone-${tone}`}>
      <span class="share-bar" aria-hidden="true">
        <i style={{ width: `${percent}%` }} />
      </span>
      <span class="share-label">{label}</span>
    </span>
  );
}

export function StackedBar({
  label,
  parts,
}: {
  label: string;
  parts: readonly (readonly [name: string, amount: number, tone: Tone])[];
}) {
  const shown = parts.filter(([, amount]) => amount > 0);
  return (
    <div class="stack">
      <span class="stack-label">{label}</span>
      <span class="stack-bar" aria-hidden="true">
        {shown.map(([name, amount, tone]) => (
          <i key={name} class={`tone-${tone}`} style={{ flexGrow: amount }} />
        ))}
      </span>
      <span class="stack-legend">
        {shown.length === 0 && <span class="quiet">none</span>}
        {shown.map(([name, amount, tone]) => (
          <span key={name} class={`tone-${tone}`}>
            <b>{formatCount(amount)}</b> {name}
          </span>
        ))}
      </span>
    </div>
  );
}
