/** Quarantined memories: possible prompt injection, until the user approves them. */
import { api, unwrap } from "../../api/client";
import { type LoadState, useLoad } from "../../api/load";
import type { Memory } from "../../api/types";
import { InlineCode } from "../../parts/inline-code";
import { EmptyState, ErrorMessage, Loading } from "../../parts/page-states";
import { runWithToast } from "../../parts/run-with-toast";
import { MemoryCard } from "./card";
import { confirmForget } from "./forget";

/** Why a memory is quarantined. The list does not contain the reason, so it is loaded. */
function QuarantineReason({ id }: { id: string }) {
  const detail = useLoad(`quarantine reason ${id}`, () =>
    unwrap(api.GET("/api/v1/memories/{id}", { params: { path: { id } } })),
  );
  if (!detail.data?.suspect) return null;
  return (
    <p class="notice tone-ask">
      <InlineCode text={detail.data.suspect} />
    </p>
  );
}

export function QuarantineList({
  loaded,
  onChange,
}: {
  loaded: LoadState<{ items: Memory[] }>;
  onChange: () => void;
}) {
  if (loaded.error) return <ErrorMessage error={loaded.error} retry={loaded.reload} />;
  if (!loaded.data) return <Loading />;
  if (loaded.data.items.length === 0)
    return (
      <EmptyState title="No quarantined memories">
        Memories from tool output and memories that look like prompt injection are quarantined. Recall does
        not inject them until you approve them.
      </EmptyState>
    );
  const approve = async (id: string) => {
    const body = { status: "active" as const };
    const done = await runWithToast(
      () => unwrap(api.PATCH("/api/v1/memories/{id}", { params: { path: { id } }, body })),
      "Approved. Recall may now inject it.",
    );
    if (done) onChange();
  };
  return (
    <ul class="memories">
      {loaded.data.items.map((memory) => (
        <li key={memory.id}>
          <MemoryCard memory={memory}>
            <QuarantineReason id={memory.id} />
            <div class="buttons">
              <button type="button" class="button" onClick={() => approve(memory.id)}>
                Approve
              </button>
              <button
                type="button"
                class="button"
                onClick={async () => {
                  if (await confirmForget(memory)) onChange();
                }}
              >
                Forget…
              </button>
            </div>
          </MemoryCard>
        </li>
      ))}
    </ul>
  );
}
