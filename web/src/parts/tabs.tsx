/** `<Tabs label="Session" tabs={[["timeline", "Timeline"], ["plan", "Plan"]]} at={tab} onPick={setTab}>…</Tabs>` */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

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
  const list = useRef<HTMLDivElement>(null);
  // Where there is no room for all of them, the one that is chosen is in sight.
  useLayoutEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (chosen && list.current) bringIntoSight(chosen, list.current);
  }, [at]);
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
      <div ref={list} class="tabs" role="tablist" aria-label={label}>
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

/** Scrolls a row, and nothing around it, until one of its parts is seen whole. */
function bringIntoSight(part: HTMLElement, row: HTMLElement): void {
  const [inner, outer] = [part.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.right > outer.right) row.scrollLeft += inner.right - outer.right;
  else if (inner.left < outer.left) row.scrollLeft -= outer.left - inner.left;
}
