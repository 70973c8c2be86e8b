/** `356 kB`: bytes as people say them, in steps of a thousand. */
export function size(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`;
  if (bytes < 10_000_000) return `${Math.floor(bytes / 1000)} kB`;
  return `${Math.floor(bytes / 1_000_000)} MB`;
}
