/** What was set aside because it reads like an instruction to an agent. A person decides. */
import { api, data } from "../../api/client";
import { type Loaded, useLoad } from "../../api/load";
import type { Memory } from "../../api/types";
import { tried } from "../../parts/do";
import { Empty, Failure, Loading } from "../../parts/state";
import { Ticks } from "../../parts/ticks";
import { MemoryCard } from "./card";
import { forget } from "./forget";

/** Why it was set aside: the list does not say so. */
function Why({ id }: { id: string }) {
  const told = useLoad(`why ${id}`, () =>
    data(api.GET("/api/v1/memories/{id}", { params: { path: { id } } })),
  );
  if (!told.data?.suspect) return null;
  return (
    <p class="notice tone-ask">
      <Ticks text={told.data.suspect} />
    </p>
  );
}

export function SetAside({
  loaded,
  onChange,
}: {
  loaded: Loaded<{ items: Memory[] }>;
  onChange: () => void;
}) {
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />;
  if (!loaded.data) return <Loading />;
  if (loaded.data.items.length === 0)
    return (
      <Empty title="Nothing waits for you">
        What tools print and what reads like an instruction to an agent is set aside here, and told to nobody
        until you approve it.
      </Empty>
    );
  const approve = async (id: string) => {
    const body = { status: "active" as const };
    const done = await tried(
      () => data(api.PATCH("/api/v1/memories/{id}", { params: { path: { id } }, body })),
      "Approved: agents may be told of it.",
    );
    if (done) onChange();
  };
  return (
    <ul class="memories">
      {loaded.data.items.map((memory) => (
        <li key={memory.id}>
          <MemoryCard memory={memory}>
            <Why id={memory.id} />
            <div class="buttons">
              <button type="button" class="button" onClick={() => approve(memory.id)}>
                Approve
              </button>
              <button
                type="button"
                class="button"
                onClick={async () => {
                  if (await forget(memory)) onChange();
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
