/** The list of memories, pinned ones first. */
import { api, unwrap } from "../../api/client";
import { useLoad } from "../../api/load";
import type { Memory } from "../../api/types";
import { formatCount } from "../../lib/format";
import { openDrawer, param } from "../../lib/router";
import { EmptyState, ErrorMessage, Loading } from "../../parts/page-states";
import { VirtualList } from "../../parts/virtual-list";
import { MemoryCard } from "./card";
import type { MemoryStatus, MemoryType } from "./labels";

const MAX_MEMORIES = 1000;

export function MemoryList({ reloads, onAdd }: { reloads: number; onAdd: () => void }) {
  const project = param("project");
  const type = param("type") as MemoryType | undefined;
  const status = param("status") as MemoryStatus | "all" | undefined;
  const isPinned = param("pinned") === "yes";
  const memories = useLoad(`memories ${project} ${type} ${status} ${reloads}`, () => {
    const query = {
      limit: MAX_MEMORIES,
      ...(project ? { project } : {}),
      ...(type ? { type } : {}),
      ...(status === "all" ? { all: true } : status ? { status } : {}),
    };
    return unwrap(api.GET("/api/v1/memories", { params: { query } }));
  });
  if (memories.error) return <ErrorMessage error={memories.error} retry={memories.reload} />;
  if (!memories.data) return <Loading />;
  const items = isPinned ? memories.data.items.filter(({ pinned }) => pinned) : memories.data.items;
  if (items.length === 0)
    return <NoMemories isNarrowed={!!(project || type || status || isPinned)} onAdd={onAdd} />;
  return (
    <>
      {memories.data.items.length === MAX_MEMORIES && (
        <p class="quiet">The first {formatCount(MAX_MEMORIES)} memories. Use filters to see others.</p>
      )}
      <VirtualList<Memory>
        label="Memories, pinned first"
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

function NoMemories({ isNarrowed, onAdd }: { isNarrowed: boolean; onAdd: () => void }) {
  if (isNarrowed)
    return <EmptyState title="No matching memories">Change the filters, or add a memory.</EmptyState>;
  return (
    <EmptyState
      title="No memories yet"
      action={
        <button type="button" class="button primary" onClick={onAdd}>
          Add a memory
        </button>
      }
    >
      Becket learns memories from your agents' sessions. You can also add your own; recall injects relevant
      memories into later sessions.
    </EmptyState>
  );
}
