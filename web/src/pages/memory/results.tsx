/** Search results: memories and code by relevance with an explanation, then session history by words. */

import { api, unwrap } from "../../api/client";
import { useLoad } from "../../api/load";
import type { SearchResult } from "../../api/types";
import { param } from "../../lib/router";
import { oneLine, shortId } from "../../lib/text";
import { Tag, type Tone } from "../../parts/badge";
import { ShareBar } from "../../parts/bars";
import { CodeBlock } from "../../parts/code";
import { InlineCode } from "../../parts/inline-code";
import { EmptyState, ErrorMessage, Loading } from "../../parts/page-states";
import { TimeAgo } from "../../parts/time";
import { MemoryCard } from "./card";
import type { MemoryType } from "./labels";

const BAND_TONES: Record<SearchResult["band"], Tone> = {
  high: "allow",
  medium: "accent",
  low: "ask",
  weak: "none",
};

export function SearchResults({ q }: { q: string }) {
  const project = param("project");
  const type = param("type") as MemoryType | undefined;
  const kind = param("kind") as SearchResult["kind"] | undefined;
  const search = useLoad(`search ${q} ${project} ${type} ${kind}`, () => {
    const query = {
      q,
      limit: 30,
      ...(project ? { project } : {}),
      ...(type ? { type } : {}),
      ...(kind ? { kind } : {}),
    };
    return unwrap(api.GET("/api/v1/search", { params: { query } }));
  });
  if (search.error) return <ErrorMessage error={search.error} retry={search.reload} />;
  if (!search.data) return <Loading label="Searching" />;
  const { found: relevant, items } = search.data;
  return (
    <div class="results">
      {!project && <p class="notice tone-accent">Choose a project to search its memories and code too.</p>}
      {relevant.length > 0 && (
        <ul class="memories" aria-label="Memories and code">
          {relevant.map((item, i) => (
            <li key={item.memory?.id ?? `${item.code?.path}:${item.code?.start}:${i}`}>
              <SearchResultCard item={item} />
            </li>
          ))}
        </ul>
      )}
      {!kind && !type && items.length > 0 && (
        <section>
          <h2>Sessions</h2>
          <ul class="hits">
            {items.map((hit) => (
              <li key={`${hit.event_id} ${hit.kind}`}>
                <a
                  href={`/sessions/${encodeURIComponent(hit.session)}?at=${encodeURIComponent(hit.event_id)}`}
                >
                  <span class="hit-kind">{hit.tool ?? hit.kind}</span>
                  <span class="hit-text">{oneLine(hit.text, 240)}</span>
                  <span class="quiet">
                    <code>{shortId(hit.session)}</code> <TimeAgo at={hit.at} />
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {relevant.length === 0 && (items.length === 0 || kind || type) && !search.loading && (
        <EmptyState title="No results">
          Try fewer or other words. Code is searchable after it is indexed: see “Code index”.
        </EmptyState>
      )}
    </div>
  );
}

function SearchResultCard({ item }: { item: SearchResult }) {
  const percent = Math.round(item.score * 100);
  const explanation = (
    <p class="why">
      <ShareBar value={item.score} tone={BAND_TONES[item.band]} label={`${percent} %`} />
      <Tag tone={BAND_TONES[item.band]}>{item.band}</Tag>
      <span class="quiet">
        <InlineCode text={item.why} />
      </span>
    </p>
  );
  if (item.memory) return <MemoryCard memory={item.memory}>{explanation}</MemoryCard>;
  if (!item.code) return null;
  const { path, start, end, name, text } = item.code;
  return (
    <article class="memory">
      <p>
        <code>
          {path}:{start}–{end}
        </code>{" "}
        {name && <b>{name}</b>}
      </p>
      <CodeBlock text={text} />
      {explanation}
    </article>
  );
}
