/** The fields of a memory, for adding and for editing; what is wrong is said next to the field. */
import { Field } from "../../parts/form";
import { type Kind, TYPES } from "./words";

export interface Draft {
  text: string;
  type: Kind;
  context: string;
  importance: string;
  files: string;
}

export type Faults = Partial<Record<keyof Draft | "project" | "form", string>>;

/** What keeps a draft from being kept; nothing if all is well. */
export function faults(draft: Draft): Faults {
  const found: Faults = {};
  if (!draft.text.trim()) found.text = "Say what was learnt.";
  const importance = Number(draft.importance);
  if (!/^\d+$/.test(draft.importance.trim()) || importance < 1 || importance > 10)
    found.importance = "A whole number from 1 to 10.";
  return found;
}

/** As the API wants it. */
export function asBody(draft: Draft) {
  return {
    text: draft.text.trim(),
    type: draft.type,
    context: draft.context.trim() || null,
    importance: Number(draft.importance),
    files: fileList(draft.files),
  };
}

export function fileList(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((file) => file.trim())
    .filter(Boolean);
}

export function MemoryFields({
  draft,
  faults,
  onChange,
}: {
  draft: Draft;
  faults: Faults;
  onChange: (change: Partial<Draft>) => void;
}) {
  return (
    <>
      <Field label="What was learnt" error={faults.text}>
        {(ids) => (
          <textarea
            {...ids}
            rows={4}
            value={draft.text}
            onInput={(change) => onChange({ text: change.currentTarget.value })}
          />
        )}
      </Field>
      <Field label="Context" error={faults.context} hint="Where it belongs, or why; may be empty">
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
        <Field label="Type" error={faults.type}>
          {(ids) => (
            <select
              {...ids}
              value={draft.type}
              onChange={(change) => onChange({ type: change.currentTarget.value as Kind })}
            >
              {TYPES.map(([type, name]) => (
                <option key={type} value={type}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label="Importance" error={faults.importance} hint="From 1 to 10">
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
      <Field
        label="Files"
        error={faults.files}
        hint="That it is about, one in a line, as the project sees them"
      >
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
