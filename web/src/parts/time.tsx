/** `<TimeAgo at={session.last_at} />`: relative time, updated every few seconds; the tooltip has the exact time. */
import { signal } from "@preact/signals";
import { formatAgo, formatDateTime, formatDay, formatTime } from "../lib/format";
import { InlineCode } from "./inline-code";

/** The current time. All relative times on the page update together. */
export const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, 5000);

export function TimeAgo({ at }: { at: number }) {
  return (
    <time dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
      {formatAgo(at, Math.max(now.value, at))}
    </time>
  );
}

/** `<TimeOfDay at={…} />`: the time of day; the tooltip has the date too. */
export function TimeOfDay({ at }: { at: number }) {
  return (
    <time class="mono" dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
      {formatTime(at)}
    </time>
  );
}

/** `<Timestamp at={…} />`: the time of day today, otherwise month, day and time. */
export function Timestamp({ at }: { at: number }) {
  const isToday = formatDay(at) === formatDay(now.value);
  return (
    <time class="mono" dateTime={new Date(at).toISOString()} title={formatDateTime(at)}>
      {isToday ? formatTime(at) : `${formatDay(at).slice(5)} ${formatTime(at).slice(0, 5)}`}
    </time>
  );
}

const ISO_TIME = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

/** `<TextWithTimes text={alarm.message} />`: a message of the daemon with local times and inline code. */
export function TextWithTimes({ text }: { text: string }) {
  // The odd pieces are timestamps.
  return (
    <>
      {text
        .split(ISO_TIME)
        .map((piece, i) =>
          i % 2 ? <Timestamp key={i} at={Date.parse(piece)} /> : <InlineCode key={i} text={piece} />,
        )}
    </>
  );
}
