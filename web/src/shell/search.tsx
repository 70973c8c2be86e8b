/** Search in everything that was said and done, from anywhere. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { api, data } from "../api/client";
import { useLoad } from "../api/load";
import { go } from "../lib/router";
import { base, line, shortId, within } from "../lib/text";
import { Dialog } from "../parts/dialog";
import { SearchBox } from "../parts/form";
import { Failure, Loading } from "../parts/state";
import { Ago } from "../parts/time";

const shown = signal(false);

export function openSearch(): void {
  shown.value = true;
}

export function Search() {
  if (!shown.value) return null;
  return (
    <Dialog title="Search" wide onClose={close}>
      <Found />
    </Dialog>
  );
}

function close(): void {
  shown.value = false;
}

const KINDS: Record<string, string> = {
  prompt: "asked",
  response: "answered",
  activity: "did",
  plan: "planned",
};

function Found() {
  const [q, setQ] = useState("");
  const found = useLoad(`search ${q}`, async () =>
    q.trim() ? data(api.GET("/api/v1/search", { params: { query: { q, limit: 40 } } })) : undefined,
  );
  return (
    <div class="search">
      <SearchBox label="Prompts, answers, commands, files" value={q} onSearch={setQ} />
      {found.error && <Failure error={found.error} />}
      {q && found.loading && <Loading />}
      <ul class="hits">
        {found.data?.items.map((hit) => (
          <li key={`${hit.event_id} ${hit.kind}`}>
            <a
              href={`/sessions/${encodeURIComponent(hit.session)}?at=${encodeURIComponent(hit.event_id)}`}
              onClick={(click) => {
                click.preventDefault();
                close();
                go(click.currentTarget.pathname + click.currentTarget.search);
              }}
            >
              <span class="hit-kind cut" title={hit.tool ?? undefined}>
                {hit.tool ?? KINDS[hit.kind] ?? hit.kind}
              </span>
              <span class="hit-text">{line(within(hit.text, hit.project), 240)}</span>
              <span class="hit-where quiet">
                <span class="cut">{hit.project ? base(hit.project) : shortId(hit.session)}</span>{" "}
                <Ago at={hit.at} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {q && !found.loading && found.data?.items.length === 0 && (
        <p class="quiet">
          Nothing has all of these words. <code>"two words"</code> is a phrase, <code>pre*</code> a beginning.
        </p>
      )}
    </div>
  );
}
