/** Unacknowledged alarms on the live page. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { api, errorMessage, unwrap } from "../../api/client";
import { useLoad } from "../../api/load";
import type { Alarm } from "../../api/types";
import { AlarmText } from "../../parts/alarm";
import { TimeAgo } from "../../parts/time";
import { toast } from "../../parts/toast";
import { pageBadges } from "../../shell/navigation";

const reloadCount = signal(0);

/** Ids of the alarms already shown; `undefined` until the list is loaded. */
let knownAlarms: Set<string> | undefined;

/** Shows a toast for a new alarm. A stream starts with all open alarms, which the list shows already. */
export function notifyAlarm(alarm: Alarm): void {
  if (knownAlarms?.has(alarm.id)) return;
  if (knownAlarms) toast(alarm.message, "deny");
  knownAlarms?.add(alarm.id);
  reloadAlarms();
}

function reloadAlarms(): void {
  reloadCount.value++;
}

const MAX_SHOWN = 3;

export function LiveAlarms() {
  const alarms = useLoad(`alarms ${reloadCount.value}`, () =>
    unwrap(api.GET("/api/v1/alarms", { params: { query: { limit: 100 } } })),
  );
  const items = alarms.data?.items ?? [];
  useEffect(() => {
    if (alarms.data) knownAlarms = new Set([...(knownAlarms ?? []), ...items.map(({ id }) => id)]);
  }, [alarms.data]);
  useEffect(() => {
    pageBadges.value = { ...pageBadges.value, "/live": items.length };
  }, [items.length]);
  const acknowledge = async (id: string) => {
    try {
      await unwrap(api.POST("/api/v1/alarms/{id}/acknowledge", { params: { path: { id } } }));
      reloadAlarms();
    } catch (error) {
      toast(errorMessage(error), "deny");
    }
  };
  if (items.length === 0) return null;
  return (
    <section class="alarms" aria-label="Alarms">
      {items.slice(0, MAX_SHOWN).map((alarm) => (
        <div key={alarm.id} class="alarm">
          <b>Alarm</b>
          <span class="alarm-text">
            <AlarmText alarm={alarm} />
          </span>
          <span class="quiet">
            <TimeAgo at={alarm.at} />
          </span>
          {alarm.session && (
            <a
              href={`/sessions/${encodeURIComponent(alarm.session)}?at=${encodeURIComponent(alarm.event_id ?? "")}`}
            >
              Session
            </a>
          )}
          <button type="button" class="button" onClick={() => acknowledge(alarm.id)}>
            Acknowledge
          </button>
        </div>
      ))}
      {items.length > MAX_SHOWN && <p class="quiet">and {items.length - MAX_SHOWN} more</p>}
    </section>
  );
}
