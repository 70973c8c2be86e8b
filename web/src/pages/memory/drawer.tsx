/** One memory: its text, its origin, and its actions. */

import { useState } from "preact/hooks";
import { api, errorMessage, unwrap } from "../../api/client";
import { useLoad } from "../../api/load";
import type { Memory, MemoryDetail } from "../../api/types";
import { locateFieldError } from "../../lib/field-error";
import { formatDateTime } from "../../lib/format";
import { closeDrawer } from "../../lib/router";
import { AgentBadge, Tag } from "../../parts/badge";
import { DetailList } from "../../parts/detail-list";
import { Drawer } from "../../parts/dialog";
import { Toggle } from "../../parts/form";
import { InlineCode } from "../../parts/inline-code";
import { ErrorMessage, Loading } from "../../parts/page-states";
import { runWithToast } from "../../parts/run-with-toast";
import { confirmForget } from "./forget";
import { type MemoryDraft, type MemoryErrors, MemoryFields, toRequestBody, validateMemory } from "./form";
import { SOURCE_LABELS, statusLabel, TYPE_TONE, typeLabel } from "./labels";
import { Provenance } from "./provenance";

const close = () => closeDrawer("id");

export function MemoryDrawer({ id, onChange }: { id: string; onChange: () => void }) {
  const loaded = useLoad(`memory ${id}`, () =>
    unwrap(api.GET("/api/v1/memories/{id}", { params: { path: { id } } })),
  );
  const [isEditing, edit] = useState(false);
  const detail = loaded.data as MemoryDetail | undefined;
  const changed = () => {
    loaded.reload();
    onChange();
  };
  return (
    <Drawer
      title={detail ? <MemoryTitle memory={detail.memory} /> : "Memory"}
      onClose={close}
      footer={
        detail &&
        !isEditing && (
          <MemoryActions
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
        <ErrorMessage error={loaded.status === 404 ? "This memory no longer exists." : loaded.error} />
      )}
      {!detail && !loaded.error && <Loading />}
      {detail && isEditing && (
        <EditMemory
          memory={detail.memory}
          onClose={() => edit(false)}
          onDone={() => {
            edit(false);
            changed();
          }}
        />
      )}
      {detail && !isEditing && <MemoryDetails detail={detail} />}
    </Drawer>
  );
}

function MemoryTitle({ memory }: { memory: Memory }) {
  return (
    <span class="drawer-title">
      <Tag tone={TYPE_TONE[memory.type]}>{typeLabel(memory.type)}</Tag>
    </span>
  );
}

function MemoryDetails({ detail }: { detail: MemoryDetail }) {
  const { memory, suspect } = detail;
  return (
    <>
      {suspect && <p class="notice tone-ask">Quarantined: {suspect}</p>}
      <p class="verbatim memory-full">
        <InlineCode text={memory.text} />
      </p>
      {memory.context && (
        <p class="verbatim quiet">
          <InlineCode text={memory.context} />
        </p>
      )}
      <DetailList
        items={[
          ["Status", statusLabel(memory.status)],
          ["Importance", `${memory.importance} of 10`],
          ["Project", <code>{memory.project}</code>],
          ["Source", SOURCE_LABELS[memory.trust]],
          ["Agent", memory.agent && <AgentBadge id={memory.agent} />],
          ["Created", formatDateTime(memory.created)],
          ["Expires", memory.expires && formatDateTime(memory.expires)],
          ["Files", memory.files.length > 0 && memory.files.map((file) => <code class="block">{file}</code>)],
          ["Commit", memory.commit && <code>{memory.commit.slice(0, 12)}</code>],
          ["ID", <code>{memory.id}</code>],
        ]}
      />
      <Provenance detail={detail} />
    </>
  );
}

type MemoryChange = { status?: Memory["status"]; pinned?: boolean };

function MemoryActions({
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
  const change = async (body: MemoryChange, message: string) => {
    const path = { id: memory.id };
    if (
      await runWithToast(
        () => unwrap(api.PATCH("/api/v1/memories/{id}", { params: { path }, body })),
        message,
      )
    )
      onChange();
  };
  const remove = async () => {
    if (await confirmForget(memory)) onForgotten();
  };
  return (
    <>
      <span class="foot-left">
        <Toggle
          label="Pinned"
          on={memory.pinned}
          onChange={(pinned) => change({ pinned }, pinned ? "Pinned." : "Unpinned.")}
        />
      </span>
      <button type="button" class="button" onClick={onEdit}>
        Edit
      </button>
      {memory.status === "active" && (
        <button
          type="button"
          class="button"
          onClick={() => change({ status: "resolved" }, "Marked as resolved.")}
        >
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
        <button type="button" class="button" onClick={() => change({ status: "active" }, "Active again.")}>
          Reactivate
        </button>
      )}
      <button type="button" class="button danger" onClick={remove}>
        Forget…
      </button>
    </>
  );
}

const FIELDS = ["text", "type", "context", "importance", "files"] as const;

function EditMemory({
  memory,
  onClose,
  onDone,
}: {
  memory: Memory;
  onClose: () => void;
  onDone: () => void;
}) {
  const [draft, setDraft] = useState<MemoryDraft>({
    text: memory.text,
    type: memory.type,
    context: memory.context ?? "",
    importance: String(memory.importance),
    files: memory.files.join("\n"),
  });
  const [errors, setErrors] = useState<MemoryErrors>({});
  const save = async (submit: Event) => {
    submit.preventDefault();
    const found = validateMemory(draft);
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    try {
      const path = { id: memory.id };
      await unwrap(api.PATCH("/api/v1/memories/{id}", { params: { path }, body: toRequestBody(draft) }));
      onDone();
    } catch (error) {
      const { field, text } = locateFieldError(errorMessage(error), FIELDS);
      setErrors({ [field ?? "form"]: text });
    }
  };
  return (
    <form class="form" onSubmit={save}>
      {errors.form && <ErrorMessage error={errors.form} />}
      <MemoryFields draft={draft} errors={errors} onChange={(change) => setDraft({ ...draft, ...change })} />
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
