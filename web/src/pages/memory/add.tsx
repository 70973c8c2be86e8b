/** The dialog to add a memory. */
import { useState } from "preact/hooks";
import { api, errorMessage, unwrap } from "../../api/client";
import { useProjectOptions } from "../../api/filter-options";
import { locateFieldError } from "../../lib/field-error";
import { param } from "../../lib/router";
import { Dialog } from "../../parts/dialog";
import { Field, Toggle } from "../../parts/form";
import { ErrorMessage } from "../../parts/page-states";
import { toast } from "../../parts/toast";
import { type MemoryDraft, type MemoryErrors, MemoryFields, toRequestBody, validateMemory } from "./form";

const EMPTY_DRAFT: MemoryDraft = { text: "", type: "gotcha", context: "", importance: "5", files: "" };
const FIELDS = ["project", "text", "type", "context", "importance", "files"] as const;

export function AddMemoryDialog({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const projects = useProjectOptions();
  const [project, setProject] = useState(param("project") ?? "");
  const [isPinned, pin] = useState(false);
  const [draft, setDraft] = useState(EMPTY_DRAFT);
  const [errors, setErrors] = useState<MemoryErrors>({});
  const save = async (submit: Event) => {
    submit.preventDefault();
    const found = {
      ...validateMemory(draft),
      ...(project ? {} : { project: "Choose a project." }),
    };
    setErrors(found);
    if (Object.keys(found).length > 0) return;
    try {
      const saved = await unwrap(
        api.POST("/api/v1/memories", { body: { ...toRequestBody(draft), project, pinned: isPinned } }),
      );
      toast(savedMessage(saved));
      onDone();
      onClose();
    } catch (error) {
      const { field, text } = locateFieldError(errorMessage(error), FIELDS);
      setErrors({ [field ?? "form"]: text });
    }
  };
  return (
    <Dialog
      title="Add a memory"
      wide
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" form="add-memory" class="button primary">
            Save memory
          </button>
        </>
      }
    >
      <form id="add-memory" class="form" onSubmit={save}>
        {errors.form && <ErrorMessage error={errors.form} />}
        {projects.length === 0 && (
          <p class="notice tone-ask">
            A memory belongs to a project, and there is none yet. Projects appear after a connected agent has
            worked in them, or after you run <code>becket remember</code> in the project's folder.
          </p>
        )}
        <Field label="Project" error={errors.project}>
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
        <MemoryFields
          draft={draft}
          errors={errors}
          onChange={(change) => setDraft({ ...draft, ...change })}
        />
        <Toggle label="Pinned: listed first, does not age" on={isPinned} onChange={pin} />
      </form>
    </Dialog>
  );
}

function savedMessage(saved: { new: boolean; status: string; suspect?: string | null }): string {
  if (saved.status === "quarantined")
    return `Quarantined until you approve it: ${saved.suspect ?? "possible prompt injection"}`;
  return saved.new ? "Memory saved." : "This memory already existed and now counts for more.";
}
