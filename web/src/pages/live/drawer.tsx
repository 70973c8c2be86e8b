/** One event with everything that was recorded of it. */
import { api, data } from "../../api/client";
import { useLoad } from "../../api/load";
import type { EventDetail } from "../../api/types";
import { bag } from "../../lib/bag";
import { closeDrawer } from "../../lib/router";
import { pretty, shortId } from "../../lib/text";
import { absolute } from "../../lib/time";
import { Agent, Tag, Verdict } from "../../parts/badge";
import { Code } from "../../parts/code";
import { Drawer } from "../../parts/dialog";
import { Facts } from "../../parts/facts";
import { Failure, Loading } from "../../parts/state";
import { Ticks } from "../../parts/ticks";
import { ToolInput } from "../../parts/tool";

/** The parameter that says which event is open: its place in the stream. */
export const AT = "event-at";
const close = () => closeDrawer(AT);

export function EventDrawer({ seq }: { seq: number }) {
  const loaded = useLoad(`event ${seq}`, async () => {
    // Somebody may have typed the address.
    if (!Number.isSafeInteger(seq)) return undefined;
    const query = { since: seq - 1, limit: 1 };
    const { events } = await data(api.GET("/api/v1/events", { params: { query } }));
    const [found] = events;
    if (found?.seq !== seq) return undefined;
    const params = { path: { id: found.id } };
    return data(api.GET("/api/v1/events/{id}", { params }));
  });
  const event = loaded.data;
  return (
    <Drawer title={event ? <Title event={event} /> : "Event"} onClose={close}>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {loaded.loading && <Loading />}
      {!loaded.loading && !loaded.error && !event && <p>This event is no longer on record.</p>}
      {event && <Whole event={event} />}
    </Drawer>
  );
}

function Title({ event }: { event: EventDetail }) {
  return (
    <span class="drawer-title">
      <Agent id={event.agent} mark /> {event.kind} {event.tool && <span class="quiet">{event.tool}</span>}
    </span>
  );
}

function Whole({ event }: { event: EventDetail }) {
  const record = bag(event.record);
  const decision = bag(record.decision);
  return (
    <>
      <Facts
        facts={[
          ["When", absolute(event.at)],
          ["Verdict", event.verdict && <Verdict is={event.verdict} />],
          ["Project", event.project && <code>{event.project}</code>],
          [
            "Session",
            event.session && (
              <a href={`/sessions/${encodeURIComponent(event.session)}?at=${encodeURIComponent(event.id)}`}>
                <code>{shortId(event.session)}</code>, at this place
              </a>
            ),
          ],
          ["Subagent", event.subagent && <code>{event.subagent}</code>],
          ["Call", event.call_id && <code>{event.call_id}</code>],
          ["Reported before", event.duplicate_of && <Tag>the same action, told twice</Tag>],
          ["Problem", event.problem],
        ]}
      />
      {typeof decision.reason === "string" && (
        <p class="reason">
          <Ticks text={decision.reason} />
        </p>
      )}
      {event.input !== null && <ToolInput tool={event.tool} input={event.input} />}
      {event.input === null && event.about && <p class="as-said">{event.about}</p>}
      {decision.updated_input !== undefined && (
        <Code label="Rewritten to" text={pretty(decision.updated_input)} lang="json" />
      )}
      {typeof decision.context === "string" && (
        <Code label="Context that was added" text={decision.context} />
      )}
      <Code label="What was recorded" text={pretty(event.record)} lang="json" />
    </>
  );
}
