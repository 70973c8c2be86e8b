/** Adds a memory. */
import { useState } from "preact/hooks";
import { useProjects } from "../../api/catalogue";
import { api, data, words } from "../../api/client";
import { faultsByField } from "../../lib/fault";
import { param } from "../../lib/router";
import { Dialog } from "../../parts/dialog";
import { Field, Toggle } from "../../parts/form";
import { Failure } from "../../parts/state";
import { toast } from "../../parts/toast";
import { asBody, type Draft, type Faults, faults, MemoryFields } from "./form";

const BLANK: Draft = { text: "", type: "gotcha", context: "", importance: "5", files: "" };
const FIELDS = ["project", "text", "type", "context", "importance", "files"] as const;

export function AddMemory({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const projects = useProjects();
  const [project, setProject] = useState(param("project") ?? "");
  const [isPinned, pin] = useState(false);
  const [draft, setDraft] = useState(BLANK);
  const [wrong, setWrong] = useState<Faults>({});
  const save = async (submit: Event) => {
    submit.preventDefault();
    const found = {
      ...faults(draft),
      ...(project ? {} : { project: "Choose the project that it is about." }),
    };
    setWrong(found);
    if (Object.keys(found).length > 0) return;
    try {
      const told = await data(
        api.POST("/api/v1/memories", { body: { ...asBody(draft), project, pinned: isPinned } }),
      );
      toast(said(told));
      onDone();
      onClose();
    } catch (error) {
      const { field, text } = faultsByField(words(error), FIELDS);
      setWrong({ [field ?? "form"]: text });
    }
  };
  return (
    <Dialog
      title="Add a memory"
      wide
      onClose={onClose}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form="add-memory" class="button primary">
            Remember it
          </button>
        </>
      }
    >
      <form id="add-memory" class="form" onSubmit={save}>
        {wrong.form && <Failure error={wrong.form} />}
        {projects.length === 0 && (
          <p class="notice tone-ask">
            A memory belongs to a project, and none is known yet. Projects appear once a connected agent has
            worked in them; <code>becket remember</code>, run in a project's folder, makes one known as well.
          </p>
        )}
        <Field label="Project" error={wrong.project}>
          {(ids) => (
            <select {...ids} value={project} onChange={(change) => setProject(change.currentTarget.value)}>
              <option value="">Choose…</option>
              {projects.map(([path, name]) => (
                <option key={path} value={path}>
                  {name} ({path})
                </option>
              ))}
            </select>
          )}
        </Field>
        <MemoryFields draft={draft} faults={wrong} onChange={(change) => setDraft({ ...draft, ...change })} />
        <Toggle label="Pin it: shown first, and it does not grow old" on={isPinned} onChange={pin} />
      </form>
    </Dialog>
  );
}

function said(told: { new: boolean; status: string; suspect?: string | null }): string {
  if (told.status === "quarantined")
    return `Set aside until you have looked at it: ${told.suspect ?? "it looks odd"}`;
  return told.new ? "Remembered." : "That was known already; it counts for more now.";
}
