/** What an alarm says, with its moments as they are told everywhere here. */
import type { Alarm } from "../api/types";
import { line } from "../lib/text";
import { Moments } from "./time";

export function AlarmText({ alarm }: { alarm: Alarm }) {
  return (
    <>
      <Moments text={alarm.message} />
      {alarm.about && (
        <>
          {": "}
          <code>{line(alarm.about)}</code>
        </>
      )}
    </>
  );
}
