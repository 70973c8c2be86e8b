/** Loads a session's timeline in parts. */
import { useEffect, useRef, useState } from "preact/hooks";
import { api, errorMessage, isReachable, unwrap } from "../../api/client";
import { followEvents } from "../../api/stream";
import type { Batch, TimelineEntry } from "../../api/types";
import { asObject } from "../../lib/object";

const PAGE_PROMPTS = 20;
/** Load larger parts while seeking an event, because the parts before it are not read. */
const SEEK_PROMPTS = 150;

interface TimelineParts {
  before: TimelineEntry[];
  batches: Batch[];
  next: number | null;
}

export interface LoadedTimeline extends TimelineParts {
  error: string | undefined;
  loading: boolean;
  /** Loads the next part, or a larger one while seeking an event. */
  more: (how?: "seek") => void;
}

export function useTimeline(id: string, isActive: boolean): LoadedTimeline {
  const [parts, setParts] = useState<TimelineParts>();
  const [error, setError] = useState<string>();
  const busy = useRef(false);
  const get = async (from: number, limit = PAGE_PROMPTS) => {
    if (busy.current) return;
    busy.current = true;
    try {
      const params = { path: { id }, query: { from, limit } };
      const part = await unwrap(api.GET("/api/v1/sessions/{id}/timeline", { params }));
      setParts((old) => mergeParts(old, part, from));
      setError(undefined);
    } catch (failure) {
      if (isReachable.value) setError(errorMessage(failure));
    } finally {
      busy.current = false;
    }
  };
  useEffect(() => void get(0), [id, isReachable.value]);
  const last = useRef(0);
  last.current = parts?.next === null ? (parts.batches.at(-1)?.batch.number ?? 0) : -1;
  // Append new events only if the last part is loaded; otherwise scrolling loads them later.
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
    unwrap(api.GET("/api/v1/status")).then(
      ({ cursor }) => {
        if (!isOver)
          stop = followEvents(cursor, { session: id }, { events, alarm: () => {}, state: () => {} });
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
      if (parts?.next) void get(parts.next, how === "seek" ? SEEK_PROMPTS : PAGE_PROMPTS);
    },
  };
}

/** Replaces the prompts from `from` on by a newly loaded part. */
export function mergeParts(old: TimelineParts | undefined, part: TimelineParts, from: number): TimelineParts {
  if (!old || from === 0) return { before: part.before, batches: part.batches, next: part.next };
  const kept = old.batches.filter(({ batch }) => batch.number < from);
  return { before: old.before, batches: [...kept, ...part.batches], next: part.next };
}

/** Loads the full input of a tool call. The timeline truncates long inputs. */
export async function loadFullInput(events: readonly string[]): Promise<unknown> {
  for (const id of events) {
    const { input } = await unwrap(api.GET("/api/v1/events/{id}", { params: { path: { id } } }));
    if (input !== null) return input;
  }
  return undefined;
}

/** Whether an input was truncated: the record replaces a long text by `<1234 chars>`. */
export function isShortened(input: unknown): boolean {
  if (typeof input === "string") return /^<\d+ chars>$/.test(input);
  const within = Array.isArray(input) ? input : Object.values(asObject(input));
  return within.some((value) => isShortened(value));
}
