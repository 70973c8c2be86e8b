/** `<MemoryCard memory={m} />`: a memory in a list. */

import type { ComponentChildren } from "preact";
import type { Memory } from "../../api/types";
import { currentRoute, drawerClickHandler, param, withParams } from "../../lib/router";
import { basename, oneLine } from "../../lib/text";
import { Tag } from "../../parts/badge";
import { InlineCode } from "../../parts/inline-code";
import { TimeAgo } from "../../parts/time";
import { SOURCE_LABELS, statusLabel, TYPE_TONE, typeLabel } from "./labels";

export function MemoryCard({ memory, children }: { memory: Memory; children?: ComponentChildren }) {
  const href = withParams(currentRoute.value, { id: memory.id });
  return (
    <article class={`memory ${param("id") === memory.id ? "open" : ""} ${memory.status}`}>
      <a class="memory-text" href={href} onClick={drawerClickHandler("id", memory.id)}>
        <InlineCode text={oneLine(memory.text, 400)} />
      </a>
      {memory.context && (
        <p class="quiet">
          <InlineCode text={oneLine(memory.context, 240)} />
        </p>
      )}
      <p class="memory-foot">
        <Tag tone={TYPE_TONE[memory.type]}>{typeLabel(memory.type)}</Tag>
        {memory.pinned && <Tag tone="accent">pinned</Tag>}
        {memory.status !== "active" && <Tag>{statusLabel(memory.status)}</Tag>}
        <span class="quiet">
          {basename(memory.project)} · {SOURCE_LABELS[memory.trust]} · <TimeAgo at={memory.created} />
          {memory.files.length > 0 && ` · ${memory.files.slice(0, 2).map(basename).join(", ")}`}
          {memory.files.length > 2 && ` and ${memory.files.length - 2} more`}
        </span>
        <Importance of={memory.importance} />
      </p>
      {children}
    </article>
  );
}

/** Shows importance 1 to 10 as five dots. */
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
