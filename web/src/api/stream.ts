/**
 * Follows `/events/stream` for as long as somebody wants it.
 *
 * It is read with `fetch`, not with `EventSource`, because that one does not tell a closed door from a daemon that is
 * gone. After a break it goes on behind the last event that it heard, so nothing is missed and nothing comes twice.
 *
 * Browsers have few connections to one host, and all tabs share them. So a tab that nobody sees gives its own up, and
 * goes on where it was when it is seen again.
 */
import { backoff } from "../lib/backoff";
import { ApiError, reach } from "./client";
import { SseReader } from "./sse";
import type { Alarm, StreamedEvent } from "./types";

export type Link = "connecting" | "open" | "waiting" | "refused" | "resting";

export interface Listener {
  events: (events: StreamedEvent[]) => void;
  alarm: (alarm: Alarm) => void;
  link: (link: Link) => void;
}

/** Which events: the parameters of the route, without `since`. */
export type Which = Record<string, string | undefined>;

/** Begins to follow behind the place `since`; call what it returns to end it. */
export function follow(since: number, which: Which, listener: Listener): () => void {
  const ended = new AbortController();
  void keepFollowing(since, which, listener, ended.signal);
  return () => ended.abort();
}

async function keepFollowing(
  since: number,
  which: Which,
  listener: Listener,
  ended: AbortSignal,
): Promise<void> {
  let cursor = since;
  let tries = 0;
  while (!ended.aborted) {
    if (document.hidden) {
      listener.link("resting");
      await seen(ended);
      continue;
    }
    listener.link("connecting");
    const unseen = new AbortController();
    const hide = () => document.hidden && unseen.abort();
    document.addEventListener("visibilitychange", hide);
    try {
      const signal = AbortSignal.any([ended, unseen.signal]);
      const response = await reach(address(cursor, which), { signal });
      if (!response.ok || !response.body) {
        if (response.status < 500) return listener.link("refused");
        throw new ApiError(response.status, "the stream cannot be had now");
      }
      listener.link("open");
      await read(response.body, (told) => {
        tries = 0;
        cursor = deliver(told, cursor, listener);
      });
    } catch {
      // A break of any kind is followed by another try; the banner says it if the daemon is gone.
    } finally {
      document.removeEventListener("visibilitychange", hide);
    }
    if (ended.aborted) return;
    if (unseen.signal.aborted) continue;
    listener.link("waiting");
    await rest(backoff(tries++), ended);
  }
}

function address(cursor: number, which: Which): string {
  const params = new URLSearchParams({ since: String(cursor) });
  for (const [name, value] of Object.entries(which)) if (value) params.set(name, value);
  return `/api/v1/events/stream?${params}`;
}

type Batch = ReturnType<SseReader["push"]>;

async function read(body: ReadableStream<Uint8Array>, heard: (told: Batch) => void): Promise<void> {
  const reader = body.getReader();
  const text = new TextDecoder();
  const events = new SseReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const told = events.push(text.decode(value, { stream: true }));
    if (told.length > 0) heard(told);
  }
}

/** Hands over what was told, and gives the place to go on from. */
function deliver(told: Batch, cursor: number, listener: Listener): number {
  const events: StreamedEvent[] = [];
  for (const { name, data } of told) {
    if (name === "alarm") listener.alarm(JSON.parse(data) as Alarm);
    else events.push(JSON.parse(data) as StreamedEvent);
  }
  if (events.length > 0) listener.events(events);
  return events.at(-1)?.seq ?? cursor;
}

/** Waits until somebody sees the page. */
function seen(ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !ended.aborted) return;
      document.removeEventListener("visibilitychange", look);
      ended.removeEventListener("abort", look);
      resolve();
    };
    document.addEventListener("visibilitychange", look);
    ended.addEventListener("abort", look);
    look();
  });
}

function rest(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    ended.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
