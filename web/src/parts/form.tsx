/**
 * Fields and filters.
 *
 *     <Field label="Pattern" error={problem} hint="A regular expression">
 *       {(id) => <input {...id} value={text} onInput={…} />}
 *     </Field>
 *     <Filters label="Sessions">
 *       <Select label="Agent" value={param("agent")} options={[["claude", "Claude Code"]]} onPick={(agent) => setParams({ agent })} />
 *       <SearchBox label="Search" value={q} onSearch={setQ} />
 *     </Filters>
 */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";

interface FieldAttributes {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean | undefined;
}

export function Field({
  label,
  hint,
  error,
  children,
}: {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  /** Renders the input with the attributes that connect it to label, hint and error. */
  children: (ids: FieldAttributes) => ComponentChildren;
}) {
  const id = useId();
  const note = error || hint ? `${id}-note` : undefined;
  return (
    <div class={error ? "field wrong" : "field"}>
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": note, "aria-invalid": error ? true : undefined })}
      {note && (
        <p id={note} class={error ? "field-error" : "field-hint"} role={error ? "alert" : undefined}>
          {error ?? hint}
        </p>
      )}
    </div>
  );
}

/** The filters above a list. */
export function Filters({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <search class="filters" aria-label={label}>
      {children}
    </search>
  );
}

/** A drop-down with an optional "any" entry. */
export function Select({
  label,
  value,
  options,
  onPick,
  any = "any",
}: {
  label: string;
  value: string | undefined;
  options: readonly (readonly [value: string, label: string])[];
  onPick: (value: string | undefined) => void;
  /** The label of the "any" entry; `null` for none. */
  any?: string | null;
}) {
  const isKnown = !value || options.some(([option]) => option === value);
  return (
    <label class={value && any !== null ? "select on" : "select"}>
      <span>{label}</span>
      <select value={value ?? ""} onChange={(change) => onPick(change.currentTarget.value || undefined)}>
        {any !== null && <option value="">{any}</option>}
        {!isKnown && <option value={value}>{value}</option>}
        {options.map(([option, name]) => (
          <option key={option} value={option}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A search field that `/` focuses. Changes are debounced. */
export function SearchBox({
  label,
  value,
  onSearch,
}: {
  label: string;
  value: string | undefined;
  onSearch: (text: string) => void;
}) {
  const [text, setText] = useState(value ?? "");
  const timer = useRef(0);
  useEffect(() => setText(value ?? ""), [value]);
  const change = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => onSearch(next), 250);
  };
  return (
    <input
      type="search"
      class="searchbox"
      data-search
      aria-label={label}
      placeholder={`${label}  /`}
      value={text}
      onInput={(input) => change(input.currentTarget.value)}
      onKeyDown={(press) => press.key === "Escape" && press.currentTarget.blur()}
    />
  );
}

/** A switch: `<Toggle label="Enabled" on={hook.enabled} onChange={…} />`. */
export function Toggle({
  label,
  on,
  onChange,
  disabled = false,
  hideLabel = false,
}: {
  label: string;
  on: boolean;
  onChange: (on: boolean) => void;
  disabled?: boolean;
  hideLabel?: boolean;
}) {
  return (
    <button
      type="button"
      role="switch"
      class="toggle"
      aria-checked={on}
      aria-label={hideLabel ? label : undefined}
      disabled={disabled}
      onClick={() => onChange(!on)}
    >
      <i aria-hidden="true" />
      {!hideLabel && <span>{label}</span>}
    </button>
  );
}
