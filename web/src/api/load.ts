/**
 * Hooks that load data for components.
 *
 *     const sessions = useLoad(`sessions ${agent}`, () => unwrap(api.GET("/api/v1/sessions", …)));
 *     if (sessions.error) …; sessions.data?.items …; sessions.reload();
 *
 * The key identifies the request. A new key sends a new request; the old data stays until the response arrives. When
 * the daemon becomes reachable again, every mounted component reloads.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, errorMessage, isReachable } from "./client";

export interface LoadState<T> {
  data: T | undefined;
  /** The error message for the user. */
  error: string | undefined;
  /** The HTTP status of the error; 404 means that this daemon does not have the resource. */
  status: number | undefined;
  loading: boolean;
  reload: () => void;
}

interface LoadResult<T> {
  key: string;
  data?: T;
  error?: string;
  status?: number;
}

export function useLoad<T>(key: string, load: () => Promise<T>): LoadState<T> {
  const [result, setResult] = useState<LoadResult<T>>({ key: "" });
  const [reloads, setReloads] = useState(0);
  const latest = useRef("");
  const isBack = isReachable.value;
  useEffect(() => {
    const requestId = `${key} ${reloads} ${Math.random()}`;
    latest.current = requestId;
    const setIfLatest = (next: LoadResult<T>) => latest.current === requestId && setResult(next);
    load().then(
      (data) => setIfLatest({ key, data }),
      (error) => {
        const status = error instanceof ApiError ? error.status : undefined;
        if (status === 0) return;
        setIfLatest({ key, error: errorMessage(error), ...(status === undefined ? {} : { status }) });
      },
    );
    return () => {
      latest.current = "";
    };
  }, [key, reloads, isBack]);
  return {
    data: result.data,
    error: result.key === key ? result.error : undefined,
    status: result.key === key ? result.status : undefined,
    loading: result.key !== key,
    reload: () => setReloads((n) => n + 1),
  };
}

const POLL_MS = 10_000;

/**
 * Polls while the tab is visible. A list is polled only while it is scrolled to the top, so that rows do not move under
 * a reader further down.
 */
export function usePolling(reload: () => void, when: "always" | "at the top"): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    const timer = setInterval(() => {
      const top = document.getElementById("main")?.scrollTop ?? 0;
      if (!document.hidden && (when === "always" || top < 100)) latest.current();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, []);
}

export interface ResultPage<T> {
  items: T[];
  next: string | null;
}

export interface PagedList<T> {
  items: T[];
  error: string | undefined;
  loading: boolean;
  /** Whether the last page is loaded. */
  done: boolean;
  /** Loads the next page, unless a request is in flight. */
  more: () => void;
  reload: () => void;
}

/** A paginated list: `load(after)` fetches one page. `more` fits a `VirtualList`'s `onEnd`. */
export function usePages<T>(
  key: string,
  load: (after: string | undefined) => Promise<ResultPage<T>>,
): PagedList<T> {
  const [reloads, setReloads] = useState(0);
  const [state, setState] = useState<{ key: string; items: T[]; next: string | null; error?: string }>({
    key: "",
    items: [],
    next: null,
  });
  const busy = useRef("");
  const isBack = isReachable.value;
  const listKey = `${key} ${reloads}`;
  const get = (after: string | undefined, before: T[]) => {
    const requestId = `${listKey} ${after ?? ""}`;
    if (busy.current === requestId) return;
    busy.current = requestId;
    load(after)
      .then(
        (page) =>
          busy.current === requestId &&
          setState({ key: listKey, items: [...before, ...page.items], next: page.next }),
        (error) =>
          busy.current === requestId &&
          !(error instanceof ApiError && error.status === 0) &&
          setState({ key: listKey, items: before, next: null, error: errorMessage(error) }),
      )
      .finally(() => {
        if (busy.current === requestId) busy.current = "";
      });
  };
  useEffect(() => {
    busy.current = "";
    get(undefined, []);
  }, [listKey, isBack]);
  const isCurrent = state.key === listKey;
  return {
    items: state.items,
    error: isCurrent ? state.error : undefined,
    loading: !isCurrent,
    done: isCurrent && state.next === null,
    more: () => {
      if (isCurrent && state.next !== null) get(state.next, state.items);
    },
    reload: () => setReloads((n) => n + 1),
  };
}
