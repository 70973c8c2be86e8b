/** `<MemoryCard memory={m} onOpen={…} />`: one memory at a glance. */

import type { ComponentChildren } from "preact";
import type { Memory } from "../../api/types";
import { opensDrawer, param, place, withParams } from "../../lib/router";
import { base, line } from "../../lib/text";
import { Tag } from "../../parts/badge";
import { Ticks } from "../../parts/ticks";
import { Ago } from "../../parts/time";
import { SAID_BY, statusName, TYPE_TONE, typeName } from "./words";

export function MemoryCard({ memory, children }: { memory: Memory; children?: ComponentChildren }) {
  const href = withParams(place.value, { id: memory.id });
  return (
    <article class={`memory ${param("id") === memory.id ? "open" : ""} ${memory.status}`}>
      <a class="memory-text" href={href} onClick={opensDrawer("id", memory.id)}>
        <Ticks text={line(memory.text, 400)} />
      </a>
      {memory.context && (
        <p class="quiet">
          <Ticks text={line(memory.context, 240)} />
        </p>
      )}
      <p class="memory-foot">
        <Tag tone={TYPE_TONE[memory.type]}>{typeName(memory.type)}</Tag>
        {memory.pinned && <Tag tone="accent">pinned</Tag>}
        {memory.status !== "active" && <Tag>{statusName(memory.status)}</Tag>}
        <span class="quiet">
          {base(memory.project)} · {SAID_BY[memory.trust]} · <Ago at={memory.created} />
          {memory.files.length > 0 && ` · ${memory.files.slice(0, 2).map(base).join(", ")}`}
          {memory.files.length > 2 && ` and ${memory.files.length - 2} more`}
        </span>
        <Importance of={memory.importance} />
      </p>
      {children}
    </article>
  );
}

/** Ten dots would be noise; five steps say as much. */
function Importance({ of }: { of: number }) {
  const steps = Math.max(1, Math.min(5, Math.round(of / 2)));
  return (
    <span class="importance" title={`Importance ${of} of 10`}>
      <span class="sr">Importance {of} of 10</span>
      {[1, 2, 3, 4, 5].map((step) => (
        <i key={step} class={step <= steps ? "on" : ""} aria-hidden="true" />
      ))}
    </span>
  );
}
