/** Formats times, durations, counts and sizes. Times are milliseconds since 1970, as in the API. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Relative time: `now`, `12 s ago`, `5 min ago`, `3 h ago`, `2 d ago`, and a date after a month. */
export function formatAgo(at: number, now: number): string {
  const elapsed = now - at;
  if (elapsed < 2000) return "now";
  if (elapsed < MINUTE) return `${Math.floor(elapsed / 1000)} s ago`;
  if (elapsed < HOUR) return `${Math.floor(elapsed / MINUTE)} min ago`;
  if (elapsed < DAY) return `${Math.floor(elapsed / HOUR)} h ago`;
  if (elapsed < 30 * DAY) return `${Math.floor(elapsed / DAY)} d ago`;
  return formatDay(at);
}

/** A duration: `340 ms`, `4.2 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / 1000)} s`;
  if (ms < HOUR) return twoUnits(ms, MINUTE, "min", 1000, "s");
  if (ms < DAY) return twoUnits(ms, HOUR, "h", MINUTE, "min");
  return twoUnits(ms, DAY, "d", HOUR, "h");
}

function twoUnits(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % big) / small);
  const bigPart = `${Math.floor(ms / big)} ${bigName}`;
  return rest ? `${bigPart} ${rest} ${smallName}` : bigPart;
}

const pad = (n: number) => String(n).padStart(2, "0");

/** `08:41:07`, in local time. */
export function formatTime(at: number): string {
  const d = new Date(at);
  return `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}`;
}

/** `2026-11-16`, in local time. */
export function formatDay(at: number): string {
  const d = new Date(at);
  return `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`;
}

/** `2026-11-16 08:41:07`, for tooltips. */
export function formatDateTime(at: number): string {
  return `${formatDay(at)} ${formatTime(at)}`;
}

/** `1 234 567`, with narrow no-break spaces. */
export function formatCount(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** `950`, `1.2k`, `34k`, `5.6M`: for axes and narrow columns. */
export function formatCompact(n: number): string {
  for (const [size, name] of [
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ] as const) {
    if (n >= size) return `${(n / size).toFixed(n / size < 10 ? 1 : 0).replace(/\.0$/, "")}${name}`;
  }
  return String(Math.round(n));
}

/** `1 file`, `2 files`. */
export function plural(n: number, one: string, more = `${one}s`): string {
  return `${formatCount(n)} ${n === 1 ? one : more}`;
}

/** Formats bytes in decimal units, such as `356 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 10_000) return `${bytes} bytes`;
  if (bytes < 10_000_000) return `${Math.floor(bytes / 1000)} kB`;
  return `${Math.floor(bytes / 1_000_000)} MB`;
}
