/** `<DetailList items={[["Time", "08:41"], ["Session", undefined]]} />`: labels and values; rows without a value are omitted. */
import type { ComponentChildren } from "preact";

export function DetailList({ items }: { items: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {items
        .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== "")
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
