/** Exponential backoff in ms: starts at 500, doubles with each attempt, at most 10 000. */
export function backoff(attempts: number): number {
  return Math.min(10_000, 500 * 2 ** Math.min(attempts, 10));
}
