/** `<Ago at={session.last_at} />`: how long ago, kept up to date; the title has the exact time. */
import { signal } from "@preact/signals";
import { absolute, ago, clock, day } from "../lib/time";
import { Ticks } from "./ticks";

/** The time in steps of some seconds: all relative times on the page move on together. */
export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 5000);

export function Ago({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={absolute(at)}>
      {ago(at, Math.max(now.value, at))}
    </time>
  );
}

/** `<Clock at={…} />`: the time of day; the title has the date, too. */
export function Clock({ at }: { at: number }) {
  return (
    <time class="mono" dateTime={new Date(at).toISOString()} title={absolute(at)}>
      {clock(at)}
    </time>
  );
}

/** `<Moment at={…} />`: the time of day if it is of today, else month, day and time. */
export function Moment({ at }: { at: number }) {
  const isToday = day(at) === day(now.value);
  return (
    <time class="mono" dateTime={new Date(at).toISOString()} title={absolute(at)}>
      {isToday ? clock(at) : `${day(at).slice(5)} ${clock(at).slice(0, 5)}`}
    </time>
  );
}

const MOMENT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** `<Moments text={alarm.message} />`: a text of the daemon's, its times told as here, and code where it has backticks. */
export function Moments({ text }: { text: string }) {
  // A text split at moments has them at the odd places.
  return (
    <>
      {text
        .split(MOMENT)
        .map((piece, i) =>
          i % 2 ? <Moment key={i} at={Date.parse(piece)} /> : <Ticks key={i} text={piece} />,
        )}
    </>
  );
}
