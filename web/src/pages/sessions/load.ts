/** A session part by part. */
import { useEffect, useRef, useState } from "preact/hooks";
import { api, data, reachable, words } from "../../api/client";
import { follow } from "../../api/stream";
import type { Batch, Entry } from "../../api/types";
import { bag } from "../../lib/bag";

const PROMPTS = 20;
/** When a place far down is sought, nobody looks at the parts before it. */
const PROMPTS_SOUGHT = 150;

interface Parts {
  before: Entry[];
  batches: Batch[];
  next: number | null;
}

export interface LoadedTimeline extends Parts {
  error: string | undefined;
  loading: boolean;
  /** Loads the next part; a large one on the way to a place that is sought. */
  more: (how?: "seek") => void;
}

export function useTimeline(id: string, isActive: boolean): LoadedTimeline {
  const [parts, setParts] = useState<Parts>();
  const [error, setError] = useState<string>();
  const busy = useRef(false);
  const get = async (from: number, limit = PROMPTS) => {
    if (busy.current) return;
    busy.current = true;
    try {
      const params = { path: { id }, query: { from, limit } };
      const part = await data(api.GET("/api/v1/sessions/{id}/timeline", { params }));
      setParts((old) => joined(old, part, from));
      setError(undefined);
    } catch (fault) {
      if (reachable.value) setError(words(fault));
    } finally {
      busy.current = false;
    }
  };
  useEffect(() => void get(0), [id, reachable.value]);
  const last = useRef(0);
  last.current = parts?.next === null ? (parts.batches.at(-1)?.batch.number ?? 0) : -1;
  // What comes while the end is in sight is added; who reads further up finds it later.
  useEffect(() => {
    if (!isActive) return;
    let timer = 0;
    let stop = () => {};
    const refresh = () => {
      if (last.current >= 0) void get(last.current);
    };
    const events = () => {
      clearTimeout(timer);
      timer = window.setTimeout(refresh, 400);
    };
    let isOver = false;
    data(api.GET("/api/v1/status")).then(
      ({ cursor }) => {
        if (!isOver) stop = follow(cursor, { session: id }, { events, alarm: () => {}, link: () => {} });
      },
      () => {},
    );
    return () => {
      isOver = true;
      clearTimeout(timer);
      stop();
    };
  }, [id, isActive]);
  return {
    before: parts?.before ?? [],
    batches: parts?.batches ?? [],
    next: parts?.next ?? null,
    error,
    loading: !parts && !error,
    more: (how) => {
      if (parts?.next) void get(parts.next, how === "seek" ? PROMPTS_SOUGHT : PROMPTS);
    },
  };
}

/** What was there, with a part that begins at a prompt put in its place. */
export function joined(old: Parts | undefined, part: Parts, from: number): Parts {
  if (!old || from === 0) return { before: part.before, batches: part.batches, next: part.next };
  const kept = old.batches.filter(({ batch }) => batch.number < from);
  return { before: old.before, batches: [...kept, ...part.batches], next: part.next };
}

/** What a call was given in full: the timeline keeps the beginnings of long inputs only. */
export async function wholeInput(events: readonly string[]): Promise<unknown> {
  for (const id of events) {
    const { input } = await data(api.GET("/api/v1/events/{id}", { params: { path: { id } } }));
    if (input !== null) return input;
  }
  return undefined;
}

/** Whether an input was shortened: a long text is told as `<1234 chars>`. */
export function isShortened(input: unknown): boolean {
  if (typeof input === "string") return /^<\d+ chars>$/.test(input);
  const within = Array.isArray(input) ? input : Object.values(bag(input));
  return within.some((value) => isShortened(value));
}
