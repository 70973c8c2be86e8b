/**
 * Follows `/events/stream` and reconnects until the caller stops it.
 *
 * It uses `fetch`, not `EventSource`, because `EventSource` does not tell a refused request from an unreachable daemon.
 * After a disconnect it resumes after the last event received, so that no event is lost or delivered twice.
 *
 * Browsers limit the connections per host, and all tabs share that limit. A hidden tab therefore closes its connection
 * and resumes when it becomes visible.
 */
import { backoff } from "../lib/backoff";
import { ApiError, fetchDaemon } from "./client";
import { SseParser } from "./sse";
import type { Alarm, StreamedEvent } from "./types";

export type StreamState = "connecting" | "open" | "waiting" | "refused" | "hidden";

export interface StreamListener {
  events: (events: StreamedEvent[]) => void;
  alarm: (alarm: Alarm) => void;
  state: (state: StreamState) => void;
}

/** The query parameters of the route, without `since`. */
export type EventFilter = Record<string, string | undefined>;

/** Follows the events after the sequence number `since`. The returned function stops it. */
export function followEvents(since: number, filter: EventFilter, listener: StreamListener): () => void {
  const controller = new AbortController();
  void reconnectLoop(since, filter, listener, controller.signal);
  return () => controller.abort();
}

async function reconnectLoop(
  since: number,
  filter: EventFilter,
  listener: StreamListener,
  stopSignal: AbortSignal,
): Promise<void> {
  let cursor = since;
  let attempts = 0;
  while (!stopSignal.aborted) {
    if (document.hidden) {
      listener.state("hidden");
      await waitUntilVisible(stopSignal);
      continue;
    }
    listener.state("connecting");
    const hidden = new AbortController();
    const abortIfHidden = () => document.hidden && hidden.abort();
    document.addEventListener("visibilitychange", abortIfHidden);
    try {
      const signal = AbortSignal.any([stopSignal, hidden.signal]);
      const response = await fetchDaemon(streamUrl(cursor, filter), { signal });
      if (!response.ok || !response.body) {
        if (response.status < 500) return listener.state("refused");
        throw new ApiError(response.status, "event stream not available");
      }
      listener.state("open");
      await readStream(response.body, (batch) => {
        attempts = 0;
        cursor = deliver(batch, cursor, listener);
      });
    } catch {
      // Reconnect after any error. The banner reports an unreachable daemon.
    } finally {
      document.removeEventListener("visibilitychange", abortIfHidden);
    }
    if (stopSignal.aborted) return;
    if (hidden.signal.aborted) continue;
    listener.state("waiting");
    await delay(backoff(attempts++), stopSignal);
  }
}

function streamUrl(cursor: number, filter: EventFilter): string {
  const params = new URLSearchParams({ since: String(cursor) });
  for (const [name, value] of Object.entries(filter)) if (value) params.set(name, value);
  return `/api/v1/events/stream?${params}`;
}

type SseBatch = ReturnType<SseParser["push"]>;

async function readStream(
  body: ReadableStream<Uint8Array>,
  onBatch: (batch: SseBatch) => void,
): Promise<void> {
  const reader = body.getReader();
  const text = new TextDecoder();
  const events = new SseParser();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const batch = events.push(text.decode(value, { stream: true }));
    if (batch.length > 0) onBatch(batch);
  }
}

/** Passes a batch to the listener and returns the sequence number to resume after. */
function deliver(batch: SseBatch, cursor: number, listener: StreamListener): number {
  const events: StreamedEvent[] = [];
  for (const { name, data } of batch) {
    if (name === "alarm") listener.alarm(JSON.parse(data) as Alarm);
    else events.push(JSON.parse(data) as StreamedEvent);
  }
  if (events.length > 0) listener.events(events);
  return events.at(-1)?.seq ?? cursor;
}

/** Resolves when the tab is visible. */
function waitUntilVisible(stopSignal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (document.hidden && !stopSignal.aborted) return;
      document.removeEventListener("visibilitychange", check);
      stopSignal.removeEventListener("abort", check);
      resolve();
    };
    document.addEventListener("visibilitychange", check);
    stopSignal.addEventListener("abort", check);
    check();
  });
}

function delay(ms: number, stopSignal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    stopSignal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
