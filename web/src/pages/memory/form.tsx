/** The form fields of a memory, with validation. */
import { Field } from "../../parts/form";
import { type MemoryType, TYPES } from "./labels";

export interface MemoryDraft {
  text: string;
  type: MemoryType;
  context: string;
  importance: string;
  files: string;
}

export type MemoryErrors = Partial<Record<keyof MemoryDraft | "project" | "form", string>>;

/** Validates a draft. Returns an empty object if it is valid. */
export function validateMemory(draft: MemoryDraft): MemoryErrors {
  const errors: MemoryErrors = {};
  if (!draft.text.trim()) errors.text = "Enter a text.";
  const importance = Number(draft.importance);
  if (!/^\d+$/.test(draft.importance.trim()) || importance < 1 || importance > 10)
    errors.importance = "Enter a whole number from 1 to 10.";
  return errors;
}

/** Converts a draft to the body of an API request. */
export function toRequestBody(draft: MemoryDraft) {
  return {
    text: draft.text.trim(),
    type: draft.type,
    context: draft.context.trim() || null,
    importance: Number(draft.importance),
    files: parseFileList(draft.files),
  };
}

export function parseFileList(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((file) => file.trim())
    .filter(Boolean);
}

export function MemoryFields({
  draft,
  errors,
  onChange,
}: {
  draft: MemoryDraft;
  errors: MemoryErrors;
  onChange: (change: Partial<MemoryDraft>) => void;
}) {
  return (
    <>
      <Field label="Text" error={errors.text}>
        {(ids) => (
          <textarea
            {...ids}
            rows={4}
            value={draft.text}
            onInput={(change) => onChange({ text: change.currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Context" error={errors.context} hint="Optional: background or reason">
        {(ids) => (
          <textarea
            {...ids}
            rows={2}
            value={draft.context}
            onInput={(change) => onChange({ context: change.currentTarget.value })}
          />
        )}
      </Field>
      <div class="fields">
        <Field label="Type" error={errors.type}>
          {(ids) => (
            <select
              {...ids}
              value={draft.type}
              onChange={(change) => onChange({ type: change.currentTarget.value as MemoryType })}
            >
              {TYPES.map(([type, name]) => (
                <option key={type} value={type}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Importance" error={errors.importance} hint="1 to 10">
          {(ids) => (
            <input
              {...ids}
              inputMode="numeric"
              value={draft.importance}
              onInput={(change) => onChange({ importance: change.currentTarget.value })}
            />
          )}
        </Field>
      </div>
      <Field label="Files" error={errors.files} hint="Related files, one per line, relative to the project">
        {(ids) => (
          <textarea
            {...ids}
            class="mono"
            rows={2}
            spellcheck={false}
            value={draft.files}
            onInput={(change) => onChange({ files: change.currentTarget.value })}
          />
        )}
      </Field>
    </>
  );
}
