/** Prepares time series for charts. */

/** Adds each layer to the sum of the layers before it. */
export function stackLayers(layers: readonly (readonly number[])[]): number[][] {
  const sums: number[] = [];
  return layers.map((layer) => layer.map((value, i) => (sums[i] = (sums[i] ?? 0) + value)));
}

/** One value per bucket between two times; missing buckets are zero. */
export function fillBuckets<T extends { at: number }>(
  buckets: readonly T[],
  from: number,
  until: number,
  step: number,
  value: (one: T) => number,
): number[] {
  const by = new Map(buckets.map((one) => [Math.floor(one.at / step), value(one)]));
  return bucketStarts(from, until, step).map((at) => by.get(Math.floor(at / step)) ?? 0);
}

/** The start of each bucket, aligned to multiples of `step` as in the API. */
export function bucketStarts(from: number, until: number, step: number): number[] {
  const first = Math.floor(from / step);
  const last = Math.floor(until / step);
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

/** The position of a value on a logarithmic scale, from 0 to 1. Values below 1 count as 1. */
export function logPosition(value: number, max: number): number {
  const top = Math.log10(Math.max(10, max));
  return Math.min(1, Math.max(0, Math.log10(Math.max(1, value)) / top));
}
