/** Where a memory comes from, and what took whose place. */
import type { ComponentChildren } from "preact";
import type { components } from "../../api/schema";
import { setParams } from "../../lib/router";
import { line, shortId } from "../../lib/text";
import { Ago } from "../../parts/time";

export type Origin = components["schemas"]["Detail"];

export function Provenance({ detail }: { detail: Origin }) {
  const { memory, sources, supersedes, session_title: title } = detail;
  const turns = detail.turns ?? [];
  const asked = new Set(turns.map(({ id }) => id));
  // A turn is called like the event that began it; that one is told by what was asked.
  const others = sources.filter(({ id }) => !asked.has(id));
  return (
    <section>
      <h3>Where it comes from</h3>
      <ol class="chain">
        {supersedes.map((id) => (
          <li key={id}>
            took the place of <MemoryLink id={id} />
          </li>
        ))}
        {memory.session && (
          <li>
            the session{" "}
            <a href={`/sessions/${encodeURIComponent(memory.session)}`}>
              {title ?? <code>{shortId(memory.session)}</code>}
            </a>
          </li>
        )}
        {turns.map((turn) => (
          <li key={turn.id}>
            <At session={memory.session} event={turn.id}>
              prompt {turn.number}
            </At>{" "}
            <q class="quiet">{line(turn.prompt ?? "", 140)}</q>
          </li>
        ))}
        {others.map((source) => (
          <li key={source.id}>
            <At session={memory.session} event={source.id}>
              {source.tool ?? "an event"}
            </At>{" "}
            {source.at ? <Ago at={source.at} /> : <span class="quiet">no longer on record</span>}
          </li>
        ))}
        {!memory.session && sources.length === 0 && supersedes.length === 0 && (
          <li>{memory.trust === "user" ? "You wrote it." : "Nothing of its origin is on record."}</li>
        )}
        {(detail.contradicts ?? []).map((id) => (
          <li key={id}>
            speaks against <MemoryLink id={id} />
          </li>
        ))}
        {memory.superseded_by && (
          <li>
            <MemoryLink id={memory.superseded_by} /> has taken its place
          </li>
        )}
      </ol>
    </section>
  );
}

/** A place in a session, where it is known which. */
function At({
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
