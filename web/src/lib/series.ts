/** Numbers over time, made ready to be drawn. */

/** Each layer on top of those before it. */
export function stack(layers: readonly (readonly number[])[]): number[][] {
  const sums: number[] = [];
  return layers.map((layer) => layer.map((value, i) => (sums[i] = (sums[i] ?? 0) + value)));
}

/** A value for every stretch between two times, with zero where nothing is told. */
export function filled<T extends { at: number }>(
  told: readonly T[],
  from: number,
  until: number,
  step: number,
  value: (one: T) => number,
): number[] {
  const by = new Map(told.map((one) => [Math.floor(one.at / step), value(one)]));
  return stretches(from, until, step).map((at) => by.get(Math.floor(at / step)) ?? 0);
}

/** Where each stretch begins; they are aligned to whole steps, as the API's are. */
export function stretches(from: number, until: number, step: number): number[] {
  const first = Math.floor(from / step);
  const last = Math.floor(until / step);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** Where a value lies between two others on a logarithmic scale, from 0 to 1; values below one count as one. */
export function logPlace(value: number, most: number): number {
  const top = Math.log10(Math.max(10, most));
  return Math.min(1, Math.max(0, Math.log10(Math.max(1, value)) / top));
}
