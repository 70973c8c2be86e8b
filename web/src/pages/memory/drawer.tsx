/** One memory: what it says, where it comes from, and what can be done with it. */

import { useState } from "preact/hooks";
import { api, data, words } from "../../api/client";
import { useLoad } from "../../api/load";
import type { Memory } from "../../api/types";
import { faultsByField } from "../../lib/fault";
import { closeDrawer } from "../../lib/router";
import { absolute } from "../../lib/time";
import { Agent, Tag } from "../../parts/badge";
import { Drawer } from "../../parts/dialog";
import { tried } from "../../parts/do";
import { Facts } from "../../parts/facts";
import { Toggle } from "../../parts/form";
import { Failure, Loading } from "../../parts/state";
import { Ticks } from "../../parts/ticks";
import { forget } from "./forget";
import { asBody, type Draft, type Faults, faults, MemoryFields } from "./form";
import { type Origin, Provenance } from "./provenance";
import { SAID_BY, statusName, TYPE_TONE, typeName } from "./words";

const close = () => closeDrawer("id");

export function MemoryDrawer({ id, onChange }: { id: string; onChange: () => void }) {
  const loaded = useLoad(`memory ${id}`, () =>
    data(api.GET("/api/v1/memories/{id}", { params: { path: { id } } })),
  );
  const [isEditing, edit] = useState(false);
  const detail = loaded.data as Origin | undefined;
  const changed = () => {
    loaded.reload();
    onChange();
  };
  return (
    <Drawer
      title={detail ? <Title memory={detail.memory} /> : "Memory"}
      onClose={close}
      foot={
        detail &&
        !isEditing && (
          <Actions
            memory={detail.memory}
            onEdit={() => edit(true)}
            onChange={changed}
            onForgotten={() => {
              close();
              onChange();
            }}
          />
        )
      }
    >
      {loaded.error && (
        <Failure error={loaded.status === 404 ? "This memory was forgotten." : loaded.error} />
      )}
      {!detail && !loaded.error && <Loading />}
      {detail && isEditing && (
        <Edit
          memory={detail.memory}
          onClose={() => edit(false)}
          onDone={() => {
            edit(false);
            changed();
          }}
        />
      )}
      {detail && !isEditing && <Shown detail={detail} />}
    </Drawer>
  );
}

function Title({ memory }: { memory: Memory }) {
  return (
    <span class="drawer-title">
      <Tag tone={TYPE_TONE[memory.type]}>{typeName(memory.type)}</Tag>
    </span>
  );
}

function Shown({ detail }: { detail: Origin }) {
  const { memory, suspect } = detail;
  return (
    <>
      {suspect && <p class="notice tone-ask">It is set aside: {suspect}</p>}
      <p class="as-said memory-whole">
        <Ticks text={memory.text} />
      </p>
      {memory.context && (
        <p class="as-said quiet">
          <Ticks text={memory.context} />
        </p>
      )}
      <Facts
        facts={[
          ["Status", statusName(memory.status)],
          ["Importance", `${memory.importance} of 10`],
          ["Project", <code>{memory.project}</code>],
          ["Said by", SAID_BY[memory.trust]],
          ["Agent", memory.agent && <Agent id={memory.agent} />],
          ["Since", absolute(memory.created)],
          ["Until", memory.expires && absolute(memory.expires)],
          ["Files", memory.files.length > 0 && memory.files.map((file) => <code class="block">{file}</code>)],
          ["Commit", memory.commit && <code>{memory.commit.slice(0, 12)}</code>],
          ["Id", <code>{memory.id}</code>],
        ]}
      />
      <Provenance detail={detail} />
    </>
  );
}

type Change = { status?: Memory["status"]; pinned?: boolean };

function Actions({
  memory,
  onEdit,
  onChange,
  onForgotten,
}: {
  memory: Memory;
  onEdit: () => void;
  onChange: () => void;
  onForgotten: () => void;
}) {
  const change = async (body: Change, said: string) => {
    const path = { id: memory.id };
    if (await tried(() => data(api.PATCH("/api/v1/memories/{id}", { params: { path }, body })), said))
      onChange();
  };
  const remove = async () => {
    if (await forget(memory)) onForgotten();
  };
  return (
    <>
      <span class="foot-left">
        <Toggle
          label="Pinned"
          on={memory.pinned}
          onChange={(pinned) => change({ pinned }, pinned ? "Pinned." : "No longer pinned.")}
        />
      </span>
      <button type="button" class="button" onClick={onEdit}>
        Edit
      </button>
      {memory.status === "active" && (
        <button type="button" class="button" onClick={() => change({ status: "resolved" }, "Resolved.")}>
          Resolve
        </button>
      )}
      {memory.status === "quarantined" && (
        <button
          type="button"
          class="button primary"
          onClick={() => change({ status: "active" }, "Approved.")}
        >
          Approve
        </button>
      )}
      {memory.status === "resolved" && (
        <button type="button" class="button" onClick={() => change({ status: "active" }, "It holds again.")}>
          Make it hold again
        </button>
      )}
      <button type="button" class="button danger" onClick={remove}>
        Forget…
      </button>
    </>
  );
}

const FIELDS = ["text", "type", "context", "importance", "files"] as const;

function Edit({ memory, onClose, onDone }: { memory: Memory; onClose: () => void; onDone: () => void }) {
  const [draft, setDraft] = useState<Draft>({
    text: memory.text,
    type: memory.type,
    context: memory.context ?? "",
    importance: String(memory.importance),
    files: memory.files.join("\n"),
  });
  const [wrong, setWrong] = useState<Faults>({});
  const save = async (submit: Event) => {
    submit.preventDefault();
    const found = faults(draft);
    setWrong(found);
    if (Object.keys(found).length > 0) return;
    try {
      const path = { id: memory.id };
      await data(api.PATCH("/api/v1/memories/{id}", { params: { path }, body: asBody(draft) }));
      onDone();
    } catch (error) {
      const { field, text } = faultsByField(words(error), FIELDS);
      setWrong({ [field ?? "form"]: text });
    }
  };
  return (
    <form class="form" onSubmit={save}>
      {wrong.form && <Failure error={wrong.form} />}
      <MemoryFields draft={draft} faults={wrong} onChange={(change) => setDraft({ ...draft, ...change })} />
      <div class="buttons">
        <button type="submit" class="button primary">
          Save
        </button>
        <button type="button" class="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
