/**
 * A list of any length, of which only what is visible is in the document.
 *
 *     <VirtualList label="Sessions" items={sessions} id={(s) => s.id} height={56} onEnd={more} onOpen={open}
 *       row={(session, { selected }) => <SessionRow … />} />
 *
 * `items` is the same array as long as nothing changed. `height` is exact unless `measured` is given, then it is an estimate. It scrolls with the nearest element that has
 * `data-scroller` (the page has it). `j`, `k` and Enter work; what is drawn for a row holds the link or button.
 * When rows are put in front while somebody reads further down, what they read stays where it is.
 */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Binding, useKeys } from "../lib/keys";
import { Heights, visible } from "../lib/virtual";

interface Listed<T> {
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
  /** Which rows `j` and `k` stop at; all unless said. */
  stops?: (item: T) => boolean;
  /** The row to begin at: it is scrolled to and selected as soon as it is there. */
  at?: string | undefined;
}

/** How much is drawn beyond what is visible, in pixels: enough that nobody scrolls past it in a frame. */
const SPARE = 320;

export function VirtualList<T>(props: Listed<T>) {
  const { items, id, height, measured = false, label } = props;
  const root = useRef<HTMLUListElement>(null);
  const scroller = useRef<HTMLElement | null>(null);
  const sizes = useRef(new Map<string, number>());
  const heights = useRef(new Heights(0, height));
  const drawn = useRef<readonly T[]>([]);
  const first = useRef<string | undefined>(undefined);
  const [frame, setFrame] = useState({ top: 0, height: 800 });
  const [selected, select] = useState<string>();

  if (drawn.current !== items || heights.current.estimate !== height) {
    drawn.current = items;
    heights.current = built(props, sizes.current, height, measured);
  }

  const look = () => {
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
    look();
    box.addEventListener("scroll", look, { passive: true });
    const watch = new ResizeObserver(look);
    watch.observe(box);
    return () => {
      box.removeEventListener("scroll", look);
      watch.disconnect();
    };
  }, []);

  // What is read stays in place when rows come in front of it.
  useLayoutEffect(() => {
    const before = first.current;
    first.current = items[0] && id(items[0]);
    const box = scroller.current;
    if (!before || !box || before === first.current || frame.top <= 0) return;
    const added = items.findIndex((item) => id(item) === before);
    if (added > 0) box.scrollTop += heights.current.top(added);
  }, [items]);

  const [from, to] = visible(heights.current, frame.top, frame.height, SPARE);
  useEffect(() => {
    if (to >= items.length - 5) props.onEnd?.();
  }, [to, items.length]);

  const show = (index: number, where: "near" | "middle" = "near") => {
    const box = scroller.current;
    if (!box) return;
    const list = root.current;
    if (!list) return;
    const top = box.getBoundingClientRect().top - list.getBoundingClientRect().top;
    // What stays at the head of the page covers the rows below it.
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
    const { stops = () => true } = props;
    let next =
      at < 0 ? heights.current.at(Math.max(0, frame.top)) : Math.max(0, Math.min(items.length - 1, at + by));
    const step = at < 0 ? 1 : by;
    while (next in items && !stops(items[next] as T)) next += step;
    const item = items[next];
    if (!item) return;
    select(id(item));
    wantsFocus.current = true;
    show(next);
  };
  // The keyboard goes where the selection goes, so that Enter means the row; it may have to be drawn first.
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    const row = root.current?.querySelector<HTMLElement>(".vrow.selected :is(a, button)");
    if (!row) return;
    wantsFocus.current = false;
    row.focus({ preventScroll: true });
  });
  const sought = useRef<string | undefined>(undefined);
  useEffect(() => {
    const index = props.at === undefined ? -1 : items.findIndex((item) => id(item) === props.at);
    if (index < 0 || sought.current === props.at) return;
    sought.current = props.at;
    select(props.at);
    // Rows above it may turn out to be of another height once they are drawn, so it is sought twice.
    show(index, "middle");
    const timer = setTimeout(() => show(index, "middle"), 120);
    return () => clearTimeout(timer);
  }, [props.at, items]);
  const open = () => {
    const item = items.find((one) => id(one) === selected);
    if (item) props.onOpen?.(item);
  };
  useKeys([
    ["j", "next row", () => move(1)],
    ["k", "row before", () => move(-1)],
    ...(selected !== undefined && props.onOpen ? [["Enter", "open the row", open] as Binding] : []),
  ]);

  // Rows tell when their height changes: something unfolds in them, or comes late.
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
      // What is read stays where it is when something above it grows.
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

function built<T>(props: Listed<T>, sizes: Map<string, number>, height: number, measured: boolean): Heights {
  const heights = new Heights(props.items.length, height);
  if (!measured) return heights;
  for (const [index, item] of props.items.entries()) {
    const size = sizes.get(props.id(item));
    if (size !== undefined) heights.set(index, size);
  }
  return heights;
}
