/** One event with its full record. */
import { api, unwrap } from "../../api/client";
import { useLoad } from "../../api/load";
import type { EventDetail } from "../../api/types";
import { formatDateTime } from "../../lib/format";
import { asObject } from "../../lib/object";
import { closeDrawer } from "../../lib/router";
import { prettyJson, shortId } from "../../lib/text";
import { AgentBadge, Tag, VerdictBadge } from "../../parts/badge";
import { CodeBlock } from "../../parts/code";
import { DetailList } from "../../parts/detail-list";
import { Drawer } from "../../parts/dialog";
import { InlineCode } from "../../parts/inline-code";
import { ErrorMessage, Loading } from "../../parts/page-states";
import { ToolInput } from "../../parts/tool-input";

/** The query parameter of the open event: its sequence number. */
export const EVENT_PARAM = "event-at";
const close = () => closeDrawer(EVENT_PARAM);

export function EventDrawer({ seq }: { seq: number }) {
  const loaded = useLoad(`event ${seq}`, async () => {
    // The user may have typed the address.
    if (!Number.isSafeInteger(seq)) return undefined;
    const query = { since: seq - 1, limit: 1 };
    const { events } = await unwrap(api.GET("/api/v1/events", { params: { query } }));
    const [event] = events;
    if (event?.seq !== seq) return undefined;
    const params = { path: { id: event.id } };
    return unwrap(api.GET("/api/v1/events/{id}", { params }));
  });
  const event = loaded.data;
  return (
    <Drawer title={event ? <EventTitle event={event} /> : "Event"} onClose={close}>
      {loaded.error && <ErrorMessage error={loaded.error} retry={loaded.reload} />}
      {loaded.loading && <Loading />}
      {!loaded.loading && !loaded.error && !event && <p>This event is no longer stored.</p>}
      {event && <EventDetails event={event} />}
    </Drawer>
  );
}

function EventTitle({ event }: { event: EventDetail }) {
  return (
    <span class="drawer-title">
      <AgentBadge id={event.agent} /> {event.kind} {event.tool && <span class="quiet">{event.tool}</span>}
    </span>
  );
}

function EventDetails({ event }: { event: EventDetail }) {
  const record = asObject(event.record);
  const decision = asObject(record.decision);
  return (
    <>
      <DetailList
        items={[
          ["Time", formatDateTime(event.at)],
          ["Verdict", event.verdict && <VerdictBadge verdict={event.verdict} />],
          ["Project", event.project && <code>{event.project}</code>],
          [
            "Session",
            event.session && (
              <a href={`/sessions/${encodeURIComponent(event.session)}?at=${encodeURIComponent(event.id)}`}>
                <code>{shortId(event.session)}</code>, at this event
              </a>
            ),
          ],
          ["Subagent", event.subagent && <code>{event.subagent}</code>],
          ["Call id", event.call_id && <code>{event.call_id}</code>],
          ["Duplicate", event.duplicate_of && <Tag>another report of the same tool call</Tag>],
          ["Problem", event.problem],
        ]}
      />
      {typeof decision.reason === "string" && (
        <p class="reason">
          <InlineCode text={decision.reason} />
        </p>
      )}
      {event.input !== null && <ToolInput tool={event.tool} input={event.input} />}
      {event.input === null && event.about && <p class="verbatim">{event.about}</p>}
      {decision.updated_input !== undefined && (
        <CodeBlock label="Rewritten to" text={prettyJson(decision.updated_input)} lang="json" />
      )}
      {typeof decision.context === "string" && <CodeBlock label="Injected context" text={decision.context} />}
      <CodeBlock label="Full record" text={prettyJson(event.record)} lang="json" />
    </>
  );
}
