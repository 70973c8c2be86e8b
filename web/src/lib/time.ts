/** Times and amounts in words. Times are milliseconds since 1970, as the API gives them. */

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago: `now`, `12 s`, `5 min`, `3 h`, `2 d`, and a date beyond a month. */
export function ago(at: number, now: number): string {
  const gone = now - at;
  if (gone < 2000) return "now";
  if (gone < MINUTE) return `${Math.floor(gone / 1000)} s ago`;
  if (gone < HOUR) return `${Math.floor(gone / MINUTE)} min ago`;
  if (gone < DAY) return `${Math.floor(gone / HOUR)} h ago`;
  if (gone < 30 * DAY) return `${Math.floor(gone / DAY)} d ago`;
  return day(at);
}

/** How long something took: `340 ms`, `4.2 s`, `3 min 5 s`, `2 h 10 min`, `3 d 4 h`. */
export function took(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / 1000)} s`;
  if (ms < HOUR) return two(ms, MINUTE, "min", 1000, "s");
  if (ms < DAY) return two(ms, HOUR, "h", MINUTE, "min");
  return two(ms, DAY, "d", HOUR, "h");
}

function two(ms: number, big: number, bigName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % big) / small);
  const whole = `${Math.floor(ms / big)} ${bigName}`;
  return rest ? `${whole} ${rest} ${smallName}` : whole;
}

const pad = (n: number) => String(n).padStart(2, "0");

/** `08:41:07`, in the person's own time zone. */
export function clock(at: number): string {
  const d = new Date(at);
  return `${pad(d.getHours())}:${pad(d.getMinutes())}:${pad(d.getSeconds())}`;
}

/** `2026-11-16`, in the person's own time zone. */
export function day(at: number): string {
  const d = new Date(at);
  return `${d.getFullYear()}-${pad(d.getMonth() + 1)}-${pad(d.getDate())}`;
}

/** `2026-11-16 08:41:07`, for titles. */
export function absolute(at: number): string {
  return `${day(at)} ${clock(at)}`;
}

/** `1 234 567`, with thin spaces that do not break. */
export function count(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

/** `950`, `1.2k`, `34k`, `5.6M`: for axes and narrow places. */
export function short(n: number): string {
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
export function many(n: number, one: string, more = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : more}`;
}
