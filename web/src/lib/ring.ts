/**
 * Rows with a place (`seq`) that grows, the latest last, and never more than `most` of them. When it is full, the
 * oldest go, some at a time, so that a busy stream does not move everything for each row.
 */
export class Ring<T extends { seq: number }> {
  private kept: T[] = [];

  constructor(readonly most: number) {}

  get rows(): readonly T[] {
    return this.kept;
  }

  /** The first and the last place that are held. */
  get first(): number | undefined {
    return this.kept[0]?.seq;
  }

  get last(): number | undefined {
    return this.kept.at(-1)?.seq;
  }

  /** Takes rows that came; what was held already is left out. */
  append(rows: readonly T[]): number {
    const last = this.last ?? Number.NEGATIVE_INFINITY;
    const fresh = rows.filter((row) => row.seq > last);
    this.kept = this.kept.concat(fresh);
    if (this.kept.length > this.most * 1.05) this.kept = this.kept.slice(-this.most);
    return fresh.length;
  }

  /** Takes older rows, as many as there is room for. */
  prepend(rows: readonly T[]): number {
    const first = this.first ?? Number.POSITIVE_INFINITY;
    const room = Math.max(0, this.most - this.kept.length);
    const older = room > 0 ? rows.filter((row) => row.seq < first).slice(-room) : [];
    this.kept = [...older, ...this.kept];
    return older.length;
  }

  clear(): void {
    this.kept = [];
  }
}
