/** The search dialog over prompts, responses and tool calls. Every page can open it. */
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { api, unwrap } from "../api/client";
import { useLoad } from "../api/load";
import { navigate } from "../lib/router";
import { basename, oneLine, relativePaths, shortId } from "../lib/text";
import { Dialog } from "../parts/dialog";
import { SearchBox } from "../parts/form";
import { ErrorMessage, Loading } from "../parts/page-states";
import { TimeAgo } from "../parts/time";

const isOpen = signal(false);

export function openSearch(): void {
  isOpen.value = true;
}

export function SearchDialog() {
  if (!isOpen.value) return null;
  return (
    <Dialog title="Search" wide onClose={close}>
      <SearchPanel />
    </Dialog>
  );
}

function close(): void {
  isOpen.value = false;
}

const KIND_LABELS: Record<string, string> = {
  prompt: "prompt",
  response: "response",
  activity: "tool call",
  plan: "plan",
};

function SearchPanel() {
  const [q, setQ] = useState("");
  const found = useLoad(`search ${q}`, async () =>
    q.trim() ? unwrap(api.GET("/api/v1/search", { params: { query: { q, limit: 40 } } })) : undefined,
  );
  return (
    <div class="search">
      <SearchBox label="Search prompts, responses, commands, files" value={q} onSearch={setQ} />
      {found.error && <ErrorMessage error={found.error} />}
      {q && found.loading && <Loading />}
      <ul class="hits">
        {found.data?.items.map((hit) => (
          <li key={`${hit.event_id} ${hit.kind}`}>
            <a
              href={`/sessions/${encodeURIComponent(hit.session)}?at=${encodeURIComponent(hit.event_id)}`}
              onClick={(click) => {
                click.preventDefault();
                close();
                navigate(click.currentTarget.pathname + click.currentTarget.search);
              }}
            >
              <span class="hit-kind cut" title={hit.tool ?? undefined}>
                {hit.tool ?? KIND_LABELS[hit.kind] ?? hit.kind}
              </span>
              <span class="hit-text">{oneLine(relativePaths(hit.text, hit.project), 240)}</span>
              <span class="hit-where quiet">
                <span class="cut">{hit.project ? basename(hit.project) : shortId(hit.session)}</span>{" "}
                <TimeAgo at={hit.at} />
              </span>
            </a>
          </li>
        ))}
      </ul>
      {q && !found.loading && found.data?.items.length === 0 && (
        <p class="quiet">
          No results contain all of these words. Use <code>"two words"</code> for a phrase, <code>pre*</code>{" "}
          for a prefix.
        </p>
      )}
    </div>
  );
}
