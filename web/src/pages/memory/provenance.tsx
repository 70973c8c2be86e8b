/** The origin of a memory, and the memories that it replaced or that replaced it. */
import type { ComponentChildren } from "preact";
import type { MemoryDetail } from "../../api/types";
import { setParams } from "../../lib/router";
import { oneLine, shortId } from "../../lib/text";
import { TimeAgo } from "../../parts/time";

export function Provenance({ detail }: { detail: MemoryDetail }) {
  const { memory, sources, supersedes, session_title: title } = detail;
  const turns = detail.turns ?? [];
  const turnIds = new Set(turns.map(({ id }) => id));
  // A turn has the id of its first event, which is shown as the prompt.
  const others = sources.filter(({ id }) => !turnIds.has(id));
  return (
    <section>
      <h3>Origin</h3>
      <ol class="chain">
        {supersedes.map((id) => (
          <li key={id}>
            replaces <MemoryLink id={id} />
          </li>
        ))}
        {memory.session && (
          <li>
            session{" "}
            <a href={`/sessions/${encodeURIComponent(memory.session)}`}>
              {title ?? <code>{shortId(memory.session)}</code>}
            </a>
          </li>
        )}
        {turns.map((turn) => (
          <li key={turn.id}>
            <SessionLink session={memory.session} event={turn.id}>
              prompt {turn.number}
            </SessionLink>{" "}
            <q class="quiet">{oneLine(turn.prompt ?? "", 140)}</q>
          </li>
        ))}
        {others.map((source) => (
          <li key={source.id}>
            <SessionLink session={memory.session} event={source.id}>
              {source.tool ?? "an event"}
            </SessionLink>{" "}
            {source.at ? <TimeAgo at={source.at} /> : <span class="quiet">no longer stored</span>}
          </li>
        ))}
        {!memory.session && sources.length === 0 && supersedes.length === 0 && (
          <li>{memory.trust === "user" ? "Added by you." : "The origin is not recorded."}</li>
        )}
        {(detail.contradicts ?? []).map((id) => (
          <li key={id}>
            contradicts <MemoryLink id={id} />
          </li>
        ))}
        {memory.superseded_by && (
          <li>
            replaced by <MemoryLink id={memory.superseded_by} />
          </li>
        )}
      </ol>
    </section>
  );
}

/** A link to an event in a session, if the session is known. */
function SessionLink({
  session,
  event,
  children,
}: {
  session: string | null;
  event: string;
  children: ComponentChildren;
}) {
  if (!session) return <>{children}</>;
  return <a href={`/sessions/${encodeURIComponent(session)}?at=${encodeURIComponent(event)}`}>{children}</a>;
}

function MemoryLink({ id }: { id: string }) {
  return (
    <button type="button" class="link" onClick={() => setParams({ id })}>
      <code>{shortId(id)}</code>
    </button>
  );
}
