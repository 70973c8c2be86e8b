/** What is remembered, pinned ones first. */
import { api, data } from "../../api/client";
import { useLoad } from "../../api/load";
import type { Memory } from "../../api/types";
import { openDrawer, param } from "../../lib/router";
import { count } from "../../lib/time";
import { VirtualList } from "../../parts/list";
import { Empty, Failure, Loading } from "../../parts/state";
import { MemoryCard } from "./card";
import type { Kind, Status } from "./words";

const MOST = 1000;

export function Memories({ turn, onAdd }: { turn: number; onAdd: () => void }) {
  const project = param("project");
  const type = param("type") as Kind | undefined;
  const status = param("status") as Status | "all" | undefined;
  const isPinned = param("pinned") === "yes";
  const memories = useLoad(`memories ${project} ${type} ${status} ${turn}`, () => {
    const query = {
      limit: MOST,
      ...(project ? { project } : {}),
      ...(type ? { type } : {}),
      ...(status === "all" ? { all: true } : status ? { status } : {}),
    };
    return data(api.GET("/api/v1/memories", { params: { query } }));
  });
  if (memories.error) return <Failure error={memories.error} retry={memories.reload} />;
  if (!memories.data) return <Loading />;
  const items = isPinned ? memories.data.items.filter(({ pinned }) => pinned) : memories.data.items;
  if (items.length === 0)
    return <None isNarrowed={!!(project || type || status || isPinned)} onAdd={onAdd} />;
  return (
    <>
      {memories.data.items.length === MOST && (
        <p class="quiet">The first {count(MOST)}. Narrow them down to see others.</p>
      )}
      <VirtualList<Memory>
        label="Memories, pinned ones first"
        items={items}
        id={(memory) => memory.id}
        height={92}
        measured
        onOpen={(memory) => openDrawer("id", memory.id)}
        row={(memory) => <MemoryCard memory={memory} />}
      />
    </>
  );
}

function None({ isNarrowed, onAdd }: { isNarrowed: boolean; onAdd: () => void }) {
  if (isNarrowed)
    return <Empty title="Nothing of the kind is remembered">Choose other filters, or add it.</Empty>;
  return (
    <Empty
      title="Nothing is remembered yet"
      action={
        <button type="button" class="button primary" onClick={onAdd}>
          Add a memory
        </button>
      }
    >
      What is worth knowing next time is learnt from your agents' sessions as they end. What you know already,
      add yourself: the next session is told of it where it matters.
    </Empty>
  );
}
