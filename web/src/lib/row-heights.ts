/**
 * Row positions of a virtual list.
 *
 * A row has an estimated height until it is measured. A Fenwick tree over the differences answers "where does row n
 * start" and "which row is at y" in logarithmic time, so that 100 000 measured rows still scroll smoothly.
 */
export class RowHeights {
  // Allocated when the first row is measured; lists with a fixed row height never need it.
  private tree: Float64Array | undefined;
  private readonly measured = new Map<number, number>();

  constructor(
    readonly length: number,
    readonly estimate: number,
  ) {}

  /** Stores the measured height of a row and returns the change. */
  set(row: number, height: number): number {
    const by = height - (this.measured.get(row) ?? this.estimate);
    if (by === 0 || row < 0 || row >= this.length) return 0;
    this.measured.set(row, height);
    this.tree ??= new Float64Array(this.length + 1);
    for (let i = row + 1; i <= this.length; i += i & -i) this.tree[i] = (this.tree[i] ?? 0) + by;
    return by;
  }

  /** The offset of a row; for `length`, the end of the last row. */
  top(row: number): number {
    const before = Math.max(0, Math.min(row, this.length));
    let sum = before * this.estimate;
    for (let i = before; i > 0; i -= i & -i) sum += this.tree?.[i] ?? 0;
    return sum;
  }

  get total(): number {
    return this.top(this.length);
  }

  /** The row at an offset, or the nearest row. */
  at(y: number): number {
    let row = 0;
    let rest = y;
    let step = 1;
    while (step * 2 <= this.length) step *= 2;
    for (; step > 0; step >>= 1) {
      const next = row + step;
      if (next > this.length) continue;
      const size = step * this.estimate + (this.tree?.[next] ?? 0);
      if (size <= rest) {
        row = next;
        rest -= size;
      }
    }
    return Math.max(0, Math.min(row, this.length - 1));
  }
}

/** The rows to render for a viewport: the first, and one past the last. */
export function visibleRange(
  heights: RowHeights,
  top: number,
  height: number,
  spare: number,
): [from: number, to: number] {
  if (heights.length === 0) return [0, 0];
  return [
    heights.at(Math.max(0, top - spare)),
    Math.min(heights.length, heights.at(top + height + spare) + 1),
  ];
}
