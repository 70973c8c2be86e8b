/** `<Tabs label="Session" tabs={[["timeline", "Timeline"], ["plan", "Plan"]]} selected={tab} onPick={setTab}>…</Tabs>` */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

export function Tabs({
  label,
  tabs,
  selected,
  onPick,
  children,
}: {
  label: string;
  tabs: readonly (readonly [id: string, label: ComponentChildren])[];
  selected: string;
  onPick: (id: string) => void;
  children: ComponentChildren;
}) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  // Scroll the selected tab into view if the tab bar is too narrow for all tabs.
  useLayoutEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>('[aria-selected="true"]');
    if (chosen && list.current) scrollIntoRow(chosen, list.current);
  }, [selected]);
  const step = (press: KeyboardEvent) => {
    const by = press.key === "ArrowRight" ? 1 : press.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    const next = (tabs.findIndex(([tab]) => tab === selected) + by + tabs.length) % tabs.length;
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
            aria-selected={tab === selected}
            aria-controls={`${id}-panel`}
            tabIndex={tab === selected ? 0 : -1}
            onKeyDown={step}
            onClick={() => onPick(tab)}
          >
            {name}
          </button>
        ))}
      </div>
      <div class="tabpanel" id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${selected}`}>
        {children}
      </div>
    </>
  );
}

/** Scrolls the row horizontally until a part is fully visible, without scrolling the page. */
function scrollIntoRow(part: HTMLElement, row: HTMLElement): void {
  const [inner, outer] = [part.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.right > outer.right) row.scrollLeft += inner.right - outer.right;
  else if (inner.left < outer.left) row.scrollLeft -= outer.left - inner.left;
}
