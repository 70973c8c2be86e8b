/**
 * A virtual list: only the visible rows are in the document.
 *
 *     <VirtualList label="Sessions" items={sessions} id={(s) => s.id} height={56} onEnd={more} onOpen={open}
 *       row={(session, { selected }) => <SessionRow … />} />
 *
 * Pass a new `items` array only when the items change. `height` is exact, or an estimate with `measured`. The list scrolls
 * with the nearest element that has `data-scroller` (the page has it). `j`, `k` and Enter work; a row contains its link or
 * button. When rows are inserted above the viewport, the visible rows stay in place.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type KeyBinding, useKeys } from "../lib/keys";
import { RowHeights, visibleRange } from "../lib/row-heights";

interface VirtualListProps<T> {
  label: string;
  items: readonly T[];
  id: (item: T) => string;
  row: (item: T, at: { selected: boolean; index: number }) => ComponentChildren;
  height: number;
  measured?: boolean;
  /** Called when the end comes near. */
  onEnd?: () => void;
  /** Called for Enter on the selected row. */
  onOpen?: (item: T) => void;
  /** Which rows `j` and `k` select; default: all. */
  isSelectable?: (item: T) => boolean;
  /** The row to start at. It is selected and scrolled to as soon as it is loaded. */
  startAt?: string | undefined;
}

/** Overscan in pixels: rendered beyond the viewport, so that fast scrolling shows no gap. */
const OVERSCAN_PX = 320;

export function VirtualList<T>(props: VirtualListProps<T>) {
  const { items, id, height, measured = false, label } = props;
  const root = useRef<HTMLUListElement>(null);
  const scroller = useRef<HTMLElement | null>(null);
  const sizes = useRef(new Map<string, number>());
  const heights = useRef(new RowHeights(0, height));
  const drawn = useRef<readonly T[]>([]);
  const first = useRef<string | undefined>(undefined);
  const [frame, setFrame] = useState({ top: 0, height: 800 });
  const [selected, select] = useState<string>();

  if (drawn.current !== items || heights.current.estimate !== height) {
    drawn.current = items;
    heights.current = buildHeights(props, sizes.current, height, measured);
  }

  const updateFrame = () => {
    const box = scroller.current;
    if (!box || !root.current) return;
    const top = box.getBoundingClientRect().top - root.current.getBoundingClientRect().top;
    setFrame((old) =>
      old.top === top && old.height === box.clientHeight ? old : { top, height: box.clientHeight },
    );
  };

  useEffect(() => {
    const box = root.current?.closest<HTMLElement>("[data-scroller]");
    if (!box) return;
    scroller.current = box;
    updateFrame();
    box.addEventListener("scroll", updateFrame, { passive: true });
    const watch = new ResizeObserver(updateFrame);
    watch.observe(box);
    return () => {
      box.removeEventListener("scroll", updateFrame);
      watch.disconnect();
    };
  }, []);

  // Keep the visible rows in place when rows are inserted above them.
  useLayoutEffect(() => {
    const before = first.current;
    first.current = items[0] && id(items[0]);
    const box = scroller.current;
    if (!before || !box || before === first.current || frame.top <= 0) return;
    const added = items.findIndex((item) => id(item) === before);
    if (added > 0) box.scrollTop += heights.current.top(added);
  }, [items]);

  const [from, to] = visibleRange(heights.current, frame.top, frame.height, OVERSCAN_PX);
  useEffect(() => {
    if (to >= items.length - 5) props.onEnd?.();
  }, [to, items.length]);

  const show = (index: number, where: "near" | "middle" = "near") => {
    const box = scroller.current;
    if (!box) return;
    const list = root.current;
    if (!list) return;
    const top = box.getBoundingClientRect().top - list.getBoundingClientRect().top;
    // The sticky page header covers rows.
    const head = box.querySelector<HTMLElement>(".page-head")?.offsetHeight ?? 0;
    const start = heights.current.top(index);
    const end = heights.current.top(index + 1);
    if (where === "middle") box.scrollTop += start - top - box.clientHeight * 0.35;
    else if (start < top + head) box.scrollTop += start - top - head - 8;
    else if (end > top + box.clientHeight) box.scrollTop += end - top - box.clientHeight + 8;
  };
  const wantsFocus = useRef(false);
  const move = (by: number) => {
    const at = items.findIndex((item) => id(item) === selected);
    const { isSelectable = () => true } = props;
    let next =
      at < 0 ? heights.current.at(Math.max(0, frame.top)) : Math.max(0, Math.min(items.length - 1, at + by));
    const step = at < 0 ? 1 : by;
    while (next in items && !isSelectable(items[next] as T)) next += step;
    const item = items[next];
    if (!item) return;
    select(id(item));
    wantsFocus.current = true;
    show(next);
  };
  // Move the focus with the selection, so that Enter opens the row. The row may not be rendered yet.
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const row = root.current?.querySelector<HTMLElement>(".vrow.selected :is(a, button)");
    if (!row) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });
  const scrolledTo = useRef<string | undefined>(undefined);
  useEffect(() => {
    const index = props.startAt === undefined ? -1 : items.findIndex((item) => id(item) === props.startAt);
    if (index < 0 || scrolledTo.current === props.startAt) return;
    scrolledTo.current = props.startAt;
    select(props.startAt);
    // Scroll twice: rows above may change their height once they are rendered.
    show(index, "middle");
    const timer = setTimeout(() => show(index, "middle"), 120);
    return () => clearTimeout(timer);
  }, [props.startAt, items]);
  const open = () => {
    const item = items.find((one) => id(one) === selected);
    if (item) props.onOpen?.(item);
  };
  useKeys([
    ["j", "next row", () => move(1)],
    ["k", "previous row", () => move(-1)],
    ...(selected !== undefined && props.onOpen ? [["Enter", "open the row", open] as KeyBinding] : []),
  ]);

  // Observe the rows' heights: they change when a row expands or its content loads late.
  const watched = useRef(new WeakSet<Element>());
  const watch = useRef<ResizeObserver | undefined>(undefined);
  const measure = (rows: Iterable<HTMLElement>) => {
    let isChanged = false;
    for (const row of rows) {
      const { key = "", index = "" } = row.dataset;
      const size = row.offsetHeight;
      if (!row.isConnected || sizes.current.get(key) === size) continue;
      sizes.current.set(key, size);
      isChanged = true;
      const isAbove = heights.current.top(Number(index) + 1) <= frame.top;
      const by = heights.current.set(Number(index), size);
      // Keep the visible rows in place when a row above them grows.
      if (isAbove && scroller.current) scroller.current.scrollTop += by;
    }
    if (isChanged) setFrame((old) => ({ ...old }));
  };
  const latest = useRef(measure);
  latest.current = measure;
  useLayoutEffect(() => {
    if (!measured || !root.current) return;
    const rows = [...root.current.children].filter((row): row is HTMLElement => row instanceof HTMLElement);
    watch.current ??= new ResizeObserver((changes) =>
      latest.current(changes.map(({ target }) => target as HTMLElement)),
    );
    for (const row of rows.filter((row) => !watched.current.has(row))) {
      watched.current.add(row);
      watch.current.observe(row);
    }
    measure(rows);
  });
  useEffect(() => () => watch.current?.disconnect(), []);

  return (
    <ul ref={root} class="vlist" aria-label={label} style={{ height: `${heights.current.total}px` }}>
      {items.slice(from, to).map((item, i) => {
        const index = from + i;
        const isSelected = id(item) === selected;
        return (
          <li
            key={id(item)}
            aria-setsize={items.length}
            aria-posinset={index + 1}
            class={isSelected ? "vrow selected" : "vrow"}
            data-key={id(item)}
            data-index={index}
            style={{
              transform: `translateY(${heights.current.top(index)}px)`,
              ...(measured ? {} : { height: `${height}px` }),
            }}
          >
            {props.row(item, { selected: isSelected, index })}
          </li>
        );
      })}
    </ul>
  );
}

function buildHeights<T>(
  props: VirtualListProps<T>,
  sizes: Map<string, number>,
  height: number,
  measured: boolean,
): RowHeights {
  const heights = new RowHeights(props.items.length, height);
  if (!measured) return heights;
  for (const [index, item] of props.items.entries()) {
    const size = sizes.get(props.id(item));
    if (size !== undefined) heights.set(index, size);
  }
  return heights;
}
