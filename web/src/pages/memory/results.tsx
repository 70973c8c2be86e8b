/** What a search found: memories and code by relevance, with the reason, and what was said and done by its words. */

import { api, data } from "../../api/client";
import { useLoad } from "../../api/load";
import type { components } from "../../api/schema";
import { param } from "../../lib/router";
import { line, shortId } from "../../lib/text";
import { Tag, type Tone } from "../../parts/badge";
import { Share } from "../../parts/bars";
import { Code } from "../../parts/code";
import { Empty, Failure, Loading } from "../../parts/state";
import { Ticks } from "../../parts/ticks";
import { Ago } from "../../parts/time";
import { MemoryCard } from "./card";
import type { Kind } from "./words";

type Item = components["schemas"]["Item"];
const BANDS: Record<Item["band"], Tone> = { high: "allow", medium: "accent", low: "ask", weak: "none" };

export function Results({ q }: { q: string }) {
  const project = param("project");
  const type = param("type") as Kind | undefined;
  const kind = param("kind") as Item["kind"] | undefined;
  const found = useLoad(`search ${q} ${project} ${type} ${kind}`, () => {
    const query = {
      q,
      limit: 30,
      ...(project ? { project } : {}),
      ...(type ? { type } : {}),
      ...(kind ? { kind } : {}),
    };
    return data(api.GET("/api/v1/search", { params: { query } }));
  });
  if (found.error) return <Failure error={found.error} retry={found.reload} />;
  if (!found.data) return <Loading what="Searching" />;
  const { found: relevant, items } = found.data;
  return (
    <div class="results">
      {!project && (
        <p class="notice tone-accent">Choose a project to search its memories and its code, too.</p>
      )}
      {relevant.length > 0 && (
        <ul class="memories" aria-label="Relevant">
          {relevant.map((item, i) => (
            <li key={item.memory?.id ?? `${item.code?.path}:${item.code?.start}:${i}`}>
              <Relevant item={item} />
            </li>
          ))}
        </ul>
      )}
      {!kind && !type && items.length > 0 && (
        <section>
          <h2>Said and done</h2>
          <ul class="hits">
            {items.map((hit) => (
              <li key={`${hit.event_id} ${hit.kind}`}>
                <a
                  href={`/sessions/${encodeURIComponent(hit.session)}?at=${encodeURIComponent(hit.event_id)}`}
                >
                  <span class="hit-kind">{hit.tool ?? hit.kind}</span>
                  <span class="hit-text">{line(hit.text, 240)}</span>
                  <span class="quiet">
                    <code>{shortId(hit.session)}</code> <Ago at={hit.at} />
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {relevant.length === 0 && (items.length === 0 || kind || type) && !found.loading && (
        <Empty title="Nothing was found">
          Try fewer or other words. Code is found once it is indexed: see “Code index”.
        </Empty>
      )}
    </div>
  );
}

function Relevant({ item }: { item: Item }) {
  const percent = Math.round(item.score * 100);
  const why = (
    <p class="why">
      <Share value={item.score} tone={BANDS[item.band]} label={`${percent} %`} />
      <Tag tone={BANDS[item.band]}>{item.band}</Tag>
      <span class="quiet">
        <Ticks text={item.why} />
      </span>
    </p>
  );
  if (item.memory) return <MemoryCard memory={item.memory}>{why}</MemoryCard>;
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
      <Code text={text} />
      {why}
    </article>
  );
}
