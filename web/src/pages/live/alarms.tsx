/** Alarms that nobody has acknowledged. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, data, words } from "../../api/client";
import { useLoad } from "../../api/load";
import type { Alarm } from "../../api/types";
import { AlarmText } from "../../parts/alarm";
import { Ago } from "../../parts/time";
import { toast } from "../../parts/toast";
import { marks } from "../../shell/navigation";

const turn = signal(0);

/** Alarms that were shown or told; nothing until the list was there. */
let known: Set<string> | undefined;

/** Says that one came. A stream begins with those that are open, which the list shows already. */
export function heardAlarm(alarm: Alarm): void {
  if (known?.has(alarm.id)) return;
  if (known) toast(alarm.message, "deny");
  known?.add(alarm.id);
  reloadAlarms();
}

/** Asks for them again. */
function reloadAlarms(): void {
  turn.value++;
}

const MOST_SHOWN = 3;

export function Alarms() {
  const alarms = useLoad(`alarms ${turn.value}`, () =>
    data(api.GET("/api/v1/alarms", { params: { query: { limit: 100 } } })),
  );
  const items = alarms.data?.items ?? [];
  useEffect(() => {
    if (alarms.data) known = new Set([...(known ?? []), ...items.map(({ id }) => id)]);
  }, [alarms.data]);
  useEffect(() => {
    marks.value = { ...marks.value, "/live": items.length };
  }, [items.length]);
  const acknowledge = async (id: string) => {
    try {
      await data(api.POST("/api/v1/alarms/{id}/acknowledge", { params: { path: { id } } }));
      reloadAlarms();
    } catch (error) {
      toast(words(error), "deny");
    }
  };
  if (items.length === 0) return null;
  return (
    <section class="alarms" aria-label="Alarms">
      {items.slice(0, MOST_SHOWN).map((alarm) => (
        <div key={alarm.id} class="alarm">
          <b>Alarm</b>
          <span class="alarm-text">
            <AlarmText alarm={alarm} />
          </span>
          <span class="quiet">
            <Ago at={alarm.at} />
          </span>
          {alarm.session && (
            <a
              href={`/sessions/${encodeURIComponent(alarm.session)}?at=${encodeURIComponent(alarm.event_id ?? "")}`}
            >
              Session
            </a>
          )}
          <button type="button" class="button" onClick={() => acknowledge(alarm.id)}>
            Seen
          </button>
        </div>
      ))}
      {items.length > MOST_SHOWN && <p class="quiet">and {items.length - MOST_SHOWN} more</p>}
    </section>
  );
}
