/**
 * A small table. Use a `VirtualList` for long lists.
 *
 *     <Table label="Hooks" rows={hooks} id={(hook) => hook.name}
 *       columns={[["Hook", (hook) => hook.name], ["Runs", (hook) => formatCount(hook.runs), "number"]]} />
 */
import type { ComponentChildren } from "preact";

export type Column<T> = readonly [
  head: string,
  cell: (row: T) => ComponentChildren,
  kind?: "number" | "wide",
];

export function Table<T>({
  label,
  rows,
  columns,
  id,
}: {
  label: string;
  rows: readonly T[];
  columns: readonly Column<T>[];
  id: (row: T) => string;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section class="tablebox" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map(([head, , kind]) => (
              <th key={head} scope="col" class={kind}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={id(row)}>
              {columns.map(([head, cell, kind]) => (
                <td key={head} class={kind}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
