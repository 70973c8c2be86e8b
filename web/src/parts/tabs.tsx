/** `<Tabs label="Session" tabs={[["timeline", "Timeline"], ["plan", "Plan"]]} at={tab} onPick={setTab}>…</Tabs>` */
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export function Tabs({
  label,
  tabs,
  at,
  onPick,
  children,
}: {
  label: string;
  tabs: readonly (readonly [id: string, label: ComponentChildren])[];
  at: string;
  onPick: (id: string) => void;
  children: ComponentChildren;
}) {
  const id = useId();
  const step = (press: KeyboardEvent) => {
    const by = press.key === "ArrowRight" ? 1 : press.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    const next = (tabs.findIndex(([tab]) => tab === at) + by + tabs.length) % tabs.length;
    const chosen = tabs[next]?.[0];
    if (!chosen) return;
    onPick(chosen);
    document.getElementById(`${id}-${chosen}`)?.focus();
  };
  return (
    <>
      <div class="tabs" role="tablist" aria-label={label}>
        {tabs.map(([tab, name]) => (
          <button
            key={tab}
            id={`${id}-${tab}`}
            type="button"
            role="tab"
            aria-selected={tab === at}
            aria-controls={`${id}-panel`}
            tabIndex={tab === at ? 0 : -1}
            onKeyDown={step}
            onClick={() => onPick(tab)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="tabpanel" id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${at}`}>
        {children}
      </div>
    </>
  );
}
