/**
 * Data for components.
 *
 *     const sessions = useLoad(`sessions ${agent}`, () => data(api.GET("/api/v1/sessions", …)));
 *     if (sessions.error) …; sessions.data?.items …; sessions.reload();
 *
 * The key says what is asked; another key asks anew, and what was there stays until the answer comes. When the daemon
 * comes back after it was gone, everything that is shown is asked again.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, reachable, words } from "./client";

export interface Loaded<T> {
  data: T | undefined;
  /** What went wrong, in words. */
  error: string | undefined;
  /** The HTTP status of the error; 404 means that this daemon has no such thing. */
  status: number | undefined;
  loading: boolean;
  reload: () => void;
}

interface Kept<T> {
  key: string;
  data?: T;
  error?: string;
  status?: number;
}

export function useLoad<T>(key: string, load: () => Promise<T>): Loaded<T> {
  const [kept, keep] = useState<Kept<T>>({ key: "" });
  const [turn, setTurn] = useState(0);
  const latest = useRef("");
  const isBack = reachable.value;
  useEffect(() => {
    const mine = `${key} ${turn} ${Math.random()}`;
    latest.current = mine;
    const ifWanted = (next: Kept<T>) => latest.current === mine && keep(next);
    load().then(
      (data) => ifWanted({ key, data }),
      (error) => {
        const status = error instanceof ApiError ? error.status : undefined;
        if (status === 0) return;
        ifWanted({ key, error: words(error), ...(status === undefined ? {} : { status }) });
      },
    );
    return () => {
      latest.current = "";
    };
  }, [key, turn, isBack]);
  return {
    data: kept.data,
    error: kept.key === key ? kept.error : undefined,
    status: kept.key === key ? kept.status : undefined,
    loading: kept.key !== key,
    reload: () => setTurn((n) => n + 1),
  };
}

const FRESH_MS = 10_000;

/**
 * Asks again now and then, while somebody sees the page. Of a list only who looks at its top sees what is new; who reads
 * further down is left in peace.
 */
export function useFresh(reload: () => void, when: "always" | "at the top"): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => {
      const top = document.getElementById("main")?.scrollTop ?? 0;
      if (!document.hidden && (when === "always" || top < 100)) latest.current();
    }, FRESH_MS);
    return () => clearInterval(timer);
  }, []);
}

export interface Page<T> {
  items: T[];
  next: string | null;
}

export interface Pages<T> {
  items: T[];
  error: string | undefined;
  loading: boolean;
  /** Whether there is nothing more. */
  done: boolean;
  /** Asks for the next page, unless one is on its way. */
  more: () => void;
  reload: () => void;
}

/** A list in pages: `load(after)` gets one. `more` fits a `VirtualList`'s `onEnd`. */
export function usePages<T>(key: string, load: (after: string | undefined) => Promise<Page<T>>): Pages<T> {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState<{ key: string; items: T[]; next: string | null; error?: string }>({
    key: "",
    items: [],
    next: null,
  });
  const busy = useRef("");
  const isBack = reachable.value;
  const full = `${key} ${turn}`;
  const get = (after: string | undefined, before: T[]) => {
    const mine = `${full} ${after ?? ""}`;
    if (busy.current === mine) return;
    busy.current = mine;
    load(after)
      .then(
        (page) =>
          busy.current === mine &&
          setState({ key: full, items: [...before, ...page.items], next: page.next }),
        (error) =>
          busy.current === mine &&
          !(error instanceof ApiError && error.status === 0) &&
          setState({ key: full, items: before, next: null, error: words(error) }),
      )
      .finally(() => {
        if (busy.current === mine) busy.current = "";
      });
  };
  useEffect(() => {
    busy.current = "";
    get(undefined, []);
  }, [full, isBack]);
  const isCurrent = state.key === full;
  return {
    items: state.items,
    error: isCurrent ? state.error : undefined,
    loading: !isCurrent,
    done: isCurrent && state.next === null,
    more: () => {
      if (isCurrent && state.next !== null) get(state.next, state.items);
    },
    reload: () => setTurn((n) => n + 1),
  };
}
