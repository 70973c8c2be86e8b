/** A session part by part, and the records of events about which the timeline says too little. */
import { useEffect, useRef, useState } from "preact/hooks";
import { api, data, reachable, words } from "../../api/client";
import { useLoad } from "../../api/load";
import { follow } from "../../api/stream";
import type { Batch, Entry, StreamedEvent } from "../../api/types";
import { bag } from "../../lib/subject";

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

/** What was said about an event beyond what the timeline has: the input of a call that never ran, context, another input. */
export interface Said {
  seq: number;
  at: number;
  input: unknown;
  updated: unknown;
  context: string | undefined;
}

const TELLING = [
  { verdict: "deny" },
  { verdict: "halt" },
  { verdict: "ask" },
  { verdict: "allow" },
  { event: "SessionStart" },
  { event: "UserPromptSubmit" },
];

export function useSaid(session: string, turn: number): ReadonlyMap<string, Said> {
  const loaded = useLoad(`said ${session} ${turn}`, async () => {
    const pages = await Promise.all(
      TELLING.map((which) =>
        data(
          api.GET("/api/v1/events", {
            params: { query: { session, since: 0, limit: 1000, ...which } as never },
          }),
        ),
      ),
    );
    return new Map(pages.flatMap(({ events }) => events.map((event) => [event.id, saidIn(event)] as const)));
  });
  return loaded.data ?? new Map();
}

function saidIn({ seq, at, record }: StreamedEvent): Said {
  const { payload, decision } = bag(record);
  const told = bag(payload);
  const said = bag(decision);
  return {
    seq,
    at,
    input: told.tool_input ?? told.toolArgs ?? bag(told.output).args,
    updated: said.updated_input,
    context: typeof said.context === "string" ? said.context : undefined,
  };
}

const MOST_PARTS = 20;

/**
 * What an event was told in full: the timeline keeps the beginnings of long inputs only. Events have no address of
 * their own, so it is looked for behind the latest event before it whose place is known.
 */
export async function findSaid(
  session: string,
  events: readonly string[],
  at: number,
  known: ReadonlyMap<string, Said>,
): Promise<Said | undefined> {
  let since = 0;
  for (const one of known.values()) if (one.at <= at && one.seq - 1 > since) since = one.seq - 1;
  for (let part = 0; part < MOST_PARTS; part++) {
    const page = await data(api.GET("/api/v1/events", { params: { query: { session, since, limit: 100 } } }));
    const found = page.events
      .filter(({ id }) => events.includes(id))
      .map(saidIn)
      .find(({ input }) => input !== undefined);
    if (found || page.events.length < 100) return found;
    since = page.cursor;
  }
  return undefined;
}

/** Whether an input was shortened: a long text is told as `<1234 chars>`. */
export function isShortened(input: unknown): boolean {
  if (typeof input === "string") return /^<\d+ chars>$/.test(input);
  return Object.values(bag(input)).some((value) => isShortened(value));
}
