/**
 * The events of the live page: recent history, then the stream.
 *
 * A row keeps only what the list shows; the full event is loaded when it is opened. That bounds memory to some tens of
 * megabytes for `MAX_ROWS` rows. New events are rendered once per frame.
 */
import { type Signal, signal } from "@preact/signals";
import { ApiError, api, errorMessage, unwrap, waitForDaemon } from "../../api/client";
import { type EventFilter, followEvents, type StreamState } from "../../api/stream";
import type { Alarm, StreamedEvent } from "../../api/types";
import { plural } from "../../lib/format";
import { RingBuffer } from "../../lib/ring-buffer";
import { isRewritten, summarizeDecision } from "../../lib/summary";
import { relativePaths } from "../../lib/text";
import { agentName } from "../../parts/badge";

export interface FeedRow {
  seq: number;
  at: number;
  kind: string;
  agent: string;
  session: string | null;
  project: string | null;
  subagent: boolean;
  tool: string | null;
  verdict: string | null;
  about: string;
  note: string;
}

export const MAX_ROWS = 100_000;
const ANNOUNCE_MS = 10_000;
/** The number of events in the first request, and in each request for older events. */
const FIRST_LOAD = 400;
const LOAD_STEP = 1000;

/** The daemon's own marker for an idle session. It is not shown. */
const IDLE_EVENT = "BecketIdle";

export class EventFeed {
  /** The rows, the latest first. */
  readonly rows = signal<readonly FeedRow[]>([]);
  readonly streamState = signal<StreamState>("connecting");
  /** The number of events received while paused. */
  readonly pausedCount = signal(0);
  /** Whether the first recorded event is loaded. */
  readonly isComplete = signal(false);
  /** The error, unless the daemon is unreachable. */
  readonly error = signal<string | undefined>(undefined);
  /** A summary of new events for screen readers. */
  readonly announcement = signal("");

  private readonly buffer = new RingBuffer<FeedRow>(MAX_ROWS);
  private readonly aborted = new AbortController();
  private pausedRows: FeedRow[] = [];
  /** The sequence number from which on events are loaded; `undefined` before the first request. */
  private loadedFrom: number | undefined;
  private frame = 0;
  private stopFollowing = () => {};
  private isLoadingOlder = false;
  private unannounced = 0;
  private announcedAt = 0;

  /** The page owns `paused`, so that a change of the filter keeps it. */
  constructor(
    private readonly filter: EventFilter,
    readonly paused: Signal<boolean>,
    private readonly onAlarm: (alarm: Alarm) => void,
  ) {}

  /** Loads the latest events and follows the stream. Waits while the daemon is unreachable. */
  async start(): Promise<void> {
    while (!this.aborted.signal.aborted) {
      try {
        const { cursor } = await unwrap(api.GET("/api/v1/status"));
        await this.loadBefore(cursor + 1, FIRST_LOAD);
        if (this.aborted.signal.aborted) return;
        this.stopFollowing = followEvents(cursor, this.filter, {
          events: (events) => this.receive(events),
          alarm: this.onAlarm,
          state: (state) => {
            this.streamState.value = state;
          },
        });
        return;
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 0)) {
          this.error.value = errorMessage(error);
          return;
        }
        this.streamState.value = "waiting";
        await waitForDaemon(this.aborted.signal);
      }
    }
  }

  stop(): void {
    this.aborted.abort();
    this.stopFollowing();
    cancelAnimationFrame(this.frame);
  }

  pause(paused: boolean): void {
    this.paused.value = paused;
    if (paused) return;
    this.buffer.append(this.pausedRows);
    this.pausedRows = [];
    this.pausedCount.value = 0;
    this.scheduleUpdate();
  }

  /** Loads older events. The end of the list calls it. */
  async loadOlder(): Promise<void> {
    if (this.isLoadingOlder || !this.loadedFrom || this.buffer.rows.length >= MAX_ROWS) return;
    this.isLoadingOlder = true;
    try {
      await this.loadBefore(this.loadedFrom, LOAD_STEP);
    } catch {
      // The banner reports an unreachable daemon. The end of the list calls this again.
    } finally {
      this.isLoadingOlder = false;
    }
  }

  /** Loads the latest events before a sequence number. The daemon searches as far back as needed. */
  private async loadBefore(before: number, limit: number): Promise<void> {
    const query = { ...this.filter, before, limit };
    const page = await unwrap(api.GET("/api/v1/events", { params: { query: query as never } }));
    this.loadedFrom = page.cursor;
    this.buffer.prepend(toRows(page.events));
    this.isComplete.value = page.cursor === 0;
    this.scheduleUpdate();
  }

  private receive(events: StreamedEvent[]): void {
    const rows = toRows(events);
    const last = rows.at(-1);
    if (this.paused.value) {
      this.pausedRows = this.pausedRows.concat(rows).slice(-MAX_ROWS);
      this.pausedCount.value = this.pausedRows.length;
    } else {
      this.buffer.append(rows);
      this.scheduleUpdate();
    }
    if (last) this.announce(rows.length, last);
  }

  /** Announces new events to screen readers, at most every `ANNOUNCE_MS`. */
  private announce(added: number, last: FeedRow): void {
    this.unannounced += added;
    if (Date.now() - this.announcedAt < ANNOUNCE_MS) return;
    const about = [
      agentName(last.agent),
      last.kind,
      last.tool,
      last.verdict === "none" ? null : last.verdict,
    ];
    this.announcement.value = `${plural(this.unannounced, "new event")}, latest: ${about.filter(Boolean).join(" ")}`;
    this.unannounced = 0;
    this.announcedAt = Date.now();
  }

  private scheduleUpdate(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      this.rows.value = this.buffer.rows.toReversed();
    });
  }
}

function toRows(events: readonly StreamedEvent[]): FeedRow[] {
  return events.filter(({ kind }) => kind !== IDLE_EVENT).map(toRow);
}

function toRow(event: StreamedEvent): FeedRow {
  const { seq, at, kind, agent, session, project, tool, verdict } = event;
  return {
    seq,
    at,
    kind,
    agent,
    session,
    project,
    tool,
    subagent: event.subagent !== null,
    verdict: verdict !== "deny" && verdict !== "halt" && isRewritten(event.record) ? "rewrite" : verdict,
    about: relativePaths(event.about ?? event.problem ?? "", project),
    note: summarizeDecision(event.record),
  };
}
