/** What went otherwise than decided, such as a denied call that ran. It stays on top until somebody has seen it. */
import { useEffect, useState } from "preact/hooks";
import { api, data } from "../../api/client";
import { useFresh, useLoad } from "../../api/load";
import { AlarmText } from "../../parts/alarm";
import { tried } from "../../parts/do";
import { Ago } from "../../parts/time";
import { marks } from "../../shell/navigation";
import { openDecision } from "./drawer";

const FEW = 3;

export function OpenAlarms() {
  const alarms = useLoad("alarms", () =>
    data(api.GET("/api/v1/alarms", { params: { query: { limit: 200 } } })),
  );
  useFresh(alarms.reload, "always");
  const [all, showAll] = useState(false);
  const items = alarms.data?.items ?? [];
  useEffect(() => {
    if (alarms.data) marks.value = { ...marks.value, "/live": items.length };
  }, [items.length]);
  const acknowledge = async (ids: readonly string[]) => {
    const one = (id: string) =>
      data(api.POST("/api/v1/alarms/{id}/acknowledge", { params: { path: { id } } }));
    await tried(() => Promise.all(ids.map(one)));
    alarms.reload();
  };
  if (items.length === 0) return null;
  return (
    <section class="alarms" aria-label="Alarms">
      {(all ? items : items.slice(0, FEW)).map((alarm) => (
        <div key={alarm.id} class="alarm">
          <b>Alarm</b>
          <span class="alarm-text">
            <AlarmText alarm={alarm} />
          </span>
          <span class="quiet">
            <Ago at={alarm.at} />
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
            Seen
          </button>
        </div>
      ))}
      {items.length > FEW && (
        <p class="buttons">
          <button type="button" class="link" onClick={() => showAll(!all)}>
            {all ? "Show fewer" : `Show ${items.length - FEW} more`}
          </button>
          <button type="button" class="link" onClick={() => acknowledge(items.map(({ id }) => id))}>
            All seen
          </button>
        </p>
      )}
    </section>
  );
}
