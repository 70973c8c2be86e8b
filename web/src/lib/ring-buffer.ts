/**
 * A ring buffer of rows with a growing sequence number, the latest last. It holds about `capacity` rows. When it is full,
 * it drops the oldest rows in batches, so that a busy stream does not copy the array for every row.
 */
export class RingBuffer<T extends { seq: number }> {
  private items: T[] = [];

  constructor(readonly capacity: number) {}

  get rows(): readonly T[] {
    return this.items;
  }

  /** The first and the last sequence number in the buffer. */
  get first(): number | undefined {
    return this.items[0]?.seq;
  }

  get last(): number | undefined {
    return this.items.at(-1)?.seq;
  }

  /** Appends new rows, skips those already in the buffer, and returns how many it added. */
  append(rows: readonly T[]): number {
    const last = this.last ?? Number.NEGATIVE_INFINITY;
    const fresh = rows.filter((row) => row.seq > last);
    this.items = this.items.concat(fresh);
    if (this.items.length > this.capacity * 1.05) this.items = this.items.slice(-this.capacity);
    return fresh.length;
  }

  /** Prepends older rows while there is capacity, and returns how many it added. */
  prepend(rows: readonly T[]): number {
    const first = this.first ?? Number.POSITIVE_INFINITY;
    const room = Math.max(0, this.capacity - this.items.length);
    const older = room > 0 ? rows.filter((row) => row.seq < first).slice(-room) : [];
    this.items = [...older, ...this.items];
    return older.length;
  }

  clear(): void {
    this.items = [];
  }
}
