/** How long to wait before the next try, in ms: half a second at first, twice as long each time, ten seconds at most. */
export function backoff(tries: number): number {
  return Math.min(10_000, 500 * 2 ** Math.min(tries, 10));
}
