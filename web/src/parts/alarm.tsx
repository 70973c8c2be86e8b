/** The message of an alarm, with local times and the command it is about. */
import type { Alarm } from "../api/types";
import { oneLine } from "../lib/text";
import { TextWithTimes } from "./time";

export function AlarmText({ alarm }: { alarm: Alarm }) {
  return (
    <>
      <TextWithTimes text={alarm.message} />
      {alarm.about && (
        <>
          {": "}
          <code>{oneLine(alarm.about)}</code>
        </>
      )}
    </>
  );
}
