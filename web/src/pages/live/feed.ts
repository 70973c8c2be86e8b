/**
 * The events that the live page shows: those of a while ago, and those that come.
 *
 * A row keeps only what a row shows; the whole event is fetched when somebody opens it. So a hundred thousand rows
 * need no more than some tens of megabytes, and there are never more. What comes is handed to the page once per frame.
 */
import { type Signal, signal } from "@preact/signals";
import { ApiError, api, data, isBack, words } from "../../api/client";
import { follow, type Link, type Which } from "../../api/stream";
import type { Alarm, StreamedEvent } from "../../api/types";
import { Ring } from "../../lib/ring";
import { isRewritten, ofDecision } from "../../lib/subject";
import { within } from "../../lib/text";
import { many } from "../../lib/time";

export interface Row {
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

export const MOST_ROWS = 100_000;
const NEWS_MS = 10_000;
/** How many events are asked for at first, and with each step further back. */
const FIRST = 400;
const STEP = 1000;

/** The daemon's own note that nothing was heard of a session. It is nothing that an agent did. */
const SILENCE = "BecketIdle";

export class Feed {
  /** The latest first, as the page shows them. */
  readonly rows = signal<readonly Row[]>([]);
  readonly link = signal<Link>("connecting");
  /** How many came while it was paused. */
  readonly waiting = signal(0);
  /** Whether the beginning of the record is reached. */
  readonly whole = signal(false);
  /** What went wrong, if it is not that the daemon is gone. */
  readonly problem = signal<string | undefined>(undefined);
  /** The latest event that came after the page was opened, for those who listen instead of look. */
  readonly news = signal("");

  private readonly ring = new Ring<Row>(MOST_ROWS);
  private readonly ended = new AbortController();
  private held: Row[] = [];
  /** Everything from this place on was asked for; none if nothing was. */
  private from: number | undefined;
  private frame = 0;
  private end = () => {};
  private isLooking = false;
  private unsaid = 0;
  private saidAt = 0;

  /** `paused` is the page's: who chooses another filter while it is paused has it paused still. */
  constructor(
    private readonly which: Which,
    readonly paused: Signal<boolean>,
    private readonly onAlarm: (alarm: Alarm) => void,
  ) {}

  /** Loads the latest events and follows from there. A daemon that is gone is waited for. */
  async start(): Promise<void> {
    while (!this.ended.signal.aborted) {
      try {
        const { cursor } = await data(api.GET("/api/v1/status"));
        await this.load(cursor + 1, FIRST);
        if (this.ended.signal.aborted) return;
        this.end = follow(cursor, this.which, {
          events: (events) => this.take(events),
          alarm: this.onAlarm,
          link: (link) => {
            this.link.value = link;
          },
        });
        return;
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 0)) {
          this.problem.value = words(error);
          return;
        }
        this.link.value = "waiting";
        await isBack(this.ended.signal);
      }
    }
  }

  stop(): void {
    this.ended.abort();
    this.end();
    cancelAnimationFrame(this.frame);
  }

  pause(is: boolean): void {
    this.paused.value = is;
    if (is) return;
    this.ring.append(this.held);
    this.held = [];
    this.waiting.value = 0;
    this.show();
  }

  /** Loads what was before; the end of the list asks for it. */
  async older(): Promise<void> {
    if (this.isLooking || !this.from || this.ring.rows.length >= MOST_ROWS) return;
    this.isLooking = true;
    try {
      await this.load(this.from, STEP);
    } catch {
      // The banner says that the daemon is gone; the end of the list asks again when it is back.
    } finally {
      this.isLooking = false;
    }
  }

  /** Loads the latest events before a place. The daemon looks for them, however far back that is. */
  private async load(before: number, limit: number): Promise<void> {
    const query = { ...this.which, before, limit };
    const page = await data(api.GET("/api/v1/events", { params: { query: query as never } }));
    this.from = page.cursor;
    this.ring.prepend(rowsOf(page.events));
    this.whole.value = page.cursor === 0;
    this.show();
  }

  private take(events: StreamedEvent[]): void {
    const rows = rowsOf(events);
    const last = rows.at(-1);
    if (this.paused.value) {
      this.held = this.held.concat(rows).slice(-MOST_ROWS);
      this.waiting.value = this.held.length;
    } else {
      this.ring.append(rows);
      this.show();
    }
    if (last) this.announce(rows.length, last);
  }

  /** Who listens is told how many came, now and then, not of each. */
  private announce(came: number, last: Row): void {
    this.unsaid += came;
    if (Date.now() - this.saidAt < NEWS_MS) return;
    const about = [last.agent, last.kind, last.tool, last.verdict === "none" ? null : last.verdict];
    this.news.value = `${many(this.unsaid, "new event")}, the latest: ${about.filter(Boolean).join(" ")}`;
    this.unsaid = 0;
    this.saidAt = Date.now();
  }

  private show(): void {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => {
      this.rows.value = this.ring.rows.toReversed();
    });
  }
}

function rowsOf(events: readonly StreamedEvent[]): Row[] {
  return events.filter(({ kind }) => kind !== SILENCE).map(rowOf);
}

function rowOf(event: StreamedEvent): Row {
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
    about: within(event.about ?? event.problem ?? "", project),
    note: ofDecision(event.record),
  };
}
