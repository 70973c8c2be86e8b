/**
 * The arithmetic of a list of which only the visible part exists.
 *
 * Rows have an estimated height until they are measured. A Fenwick tree over the differences answers "where does row
 * n begin" and "which row is at y" in logarithmic time, so that a hundred thousand measured rows stay smooth.
 */
export class Heights {
  // Made when the first row is measured: lists of equal rows need neither.
  private tree: Float64Array | undefined;
  private readonly known = new Map<number, number>();

  constructor(
    readonly length: number,
    readonly estimate: number,
  ) {}

  /** Notes the measured height of a row, and tells by how much it differs from before. */
  set(row: number, height: number): number {
    const by = height - (this.known.get(row) ?? this.estimate);
    if (by === 0 || row < 0 || row >= this.length) return 0;
    this.known.set(row, height);
    this.tree ??= new Float64Array(this.length + 1);
    for (let i = row + 1; i <= this.length; i += i & -i) this.tree[i] = (this.tree[i] ?? 0) + by;
    return by;
  }

  /** Where a row begins; for `length`, where the last one ends. */
  top(row: number): number {
    const before = Math.max(0, Math.min(row, this.length));
    let sum = before * this.estimate;
    for (let i = before; i > 0; i -= i & -i) sum += this.tree?.[i] ?? 0;
    return sum;
  }

  get total(): number {
    return this.top(this.length);
  }

  /** The row that covers a place; the nearest one for places outside. */
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

/** The rows to draw for a window onto the list: the first, and the one after the last. */
export function visible(
  heights: Heights,
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
