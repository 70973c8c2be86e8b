/** Where a memory comes from, and what took whose place. */
import type { components } from "../../api/schema";
import { setParams } from "../../lib/router";
import { shortId } from "../../lib/text";
import { Ago } from "../../parts/time";

export type Origin = components["schemas"]["Detail"];

export function Provenance({ detail }: { detail: Origin }) {
  const { memory, sources, supersedes, session_title: title } = detail;
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
        {sources.map((source) => (
          <li key={source.id}>
            {memory.session ? (
              <a href={`/sessions/${encodeURIComponent(memory.session)}?at=${encodeURIComponent(source.id)}`}>
                {source.tool ?? "an event"}
              </a>
            ) : (
              (source.tool ?? "an event")
            )}{" "}
            {source.at ? <Ago at={source.at} /> : <span class="quiet">no longer on record</span>}
          </li>
        ))}
        {!memory.session && sources.length === 0 && supersedes.length === 0 && (
          <li>{memory.trust === "user" ? "You wrote it." : "Nothing of its origin is on record."}</li>
        )}
        {memory.superseded_by && (
          <li>
            <MemoryLink id={memory.superseded_by} /> has taken its place
          </li>
        )}
      </ol>
    </section>
  );
}

function MemoryLink({ id }: { id: string }) {
  return (
    <button type="button" class="link" onClick={() => setParams({ id })}>
      <code>{shortId(id)}</code>
    </button>
  );
}
