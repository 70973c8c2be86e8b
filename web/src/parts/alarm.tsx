/** What an alarm says, with its moments as they are told everywhere here. */
import type { Alarm } from "../api/types";
import { line } from "../lib/text";
import { Ticks } from "./ticks";
import { Clock } from "./time";

const MOMENT = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/;

export function AlarmText({ alarm }: { alarm: Alarm }) {
  // A text split at moments has them at the odd places.
  const pieces = alarm.message.split(MOMENT);
  return (
    <>
      {pieces.map((piece, i) =>
        i % 2 ? <Clock key={i} at={Date.parse(piece)} /> : <Ticks key={i} text={piece} />,
      )}
      {alarm.about && (
        <>
          {": "}
          <code>{line(alarm.about)}</code>
        </>
      )}
    </>
  );
}
