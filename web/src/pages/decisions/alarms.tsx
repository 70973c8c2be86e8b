/** Unacknowledged alarms, such as a blocked tool call that ran anyway. */
import { useEffect, useState } from "preact/hooks";
import { api, unwrap } from "../../api/client";
import { useLoad, usePolling } from "../../api/load";
import { AlarmText } from "../../parts/alarm";
import { runWithToast } from "../../parts/run-with-toast";
import { TimeAgo } from "../../parts/time";
import { pageBadges } from "../../shell/navigation";
import { openDecision } from "./drawer";

const SHOWN_FIRST = 3;

export function DecisionAlarms() {
  const alarms = useLoad("alarms", () =>
    unwrap(api.GET("/api/v1/alarms", { params: { query: { limit: 200 } } })),
  );
  usePolling(alarms.reload, "always");
  const [all, showAll] = useState(false);
  const items = alarms.data?.items ?? [];
  useEffect(() => {
    if (alarms.data) pageBadges.value = { ...pageBadges.value, "/live": items.length };
  }, [items.length]);
  const acknowledge = async (ids: readonly string[]) => {
    const one = (id: string) =>
      unwrap(api.POST("/api/v1/alarms/{id}/acknowledge", { params: { path: { id } } }));
    await runWithToast(() => Promise.all(ids.map(one)));
    alarms.reload();
  };
  if (items.length === 0) return null;
  return (
    <section class="alarms" aria-label="Alarms">
      {(all ? items : items.slice(0, SHOWN_FIRST)).map((alarm) => (
        <div key={alarm.id} class="alarm">
          <b>Alarm</b>
          <span class="alarm-text">
            <AlarmText alarm={alarm} />
          </span>
          <span class="quiet">
            <TimeAgo at={alarm.at} />
          </span>
          {alarm.event_id && (
            <button type="button" class="link" onClick={() => openDecision(alarm.event_id ?? "")}>
              Explain
            </button>
          )}
          {alarm.session && (
            <a
              href={`/sessions/${encodeURIComponent(alarm.session)}?at=${encodeURIComponent(alarm.event_id ?? "")}`}
            >
              Session
            </a>
          )}
          <button type="button" class="button" onClick={() => acknowledge([alarm.id])}>
            Acknowledge
          </button>
        </div>
      ))}
      {items.length > SHOWN_FIRST && (
        <p class="buttons">
          <button type="button" class="link" onClick={() => showAll(!all)}>
            {all ? "Show fewer" : `Show ${items.length - SHOWN_FIRST} more`}
          </button>
          <button type="button" class="link" onClick={() => acknowledge(items.map(({ id }) => id))}>
            Acknowledge all
          </button>
        </p>
      )}
    </section>
  );
}
