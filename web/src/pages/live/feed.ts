/**
 * The events that the live page shows: those of a while ago, and those that come.
 *
 * A row keeps only what a row shows; the whole event is fetched when somebody opens it. So a hundred thousand rows
 * need no more than some tens of megabytes, and there are never more. What comes is handed to the page once per frame.
 */
import { signal } from "@preact/signals";
import { api, data } from "../../api/client";
import { follow, type Link, type Which } from "../../api/stream";
import type { Alarm, StreamedEvent } from "../../api/types";
import { Ring } from "../../lib/ring";
import { isRewritten, ofDecision, ofRecord } from "../../lib/subject";
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
/** How far back the page looks at first, and with each step. */
const BACK = 400;
/** With filters most events are passed over, so a step is longer. */
const BACK_FILTERED = 20_000;

export class Feed {
  /** The latest first, as the page shows them. */
  readonly rows = signal<readonly Row[]>([]);
  readonly link = signal<Link>("connecting");
  readonly paused = signal(false);
  /** How many came while it was paused. */
  readonly waiting = signal(0);
  /** Whether the beginning of the record is reached. */
  readonly whole = signal(false);
  /** The latest event that came after the page was opened, for those who listen instead of look. */
  readonly news = signal("");

  private readonly ring = new Ring<Row>(MOST_ROWS);
  private held: Row[] = [];
  private from = 0;
  private frame = 0;
  private end = () => {};
  private isLooking = false;
  private began = 0;
  private unsaid = 0;
  private saidAt = 0;

  constructor(
    private readonly which: Which,
    private readonly onAlarm: (alarm: Alarm) => void,
  ) {}

  /** Begins; the status says where the stream is, and the feed begins some events before. */
  async start(): Promise<void> {
    const { cursor } = await data(api.GET("/api/v1/status"));
    this.began = cursor;
    this.from = Math.max(0, cursor - (this.isFiltered ? BACK_FILTERED : BACK));
    this.whole.value = this.from === 0;
    this.end = follow(this.from, this.which, {
      events: (events) => this.take(events),
      alarm: this.onAlarm,
      link: (link) => {
        this.link.value = link;
      },
    });
  }

  stop(): void {
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
    if (
      this.isLooking ||
      this.whole.value ||
      this.ring.rows.length >= MOST_ROWS ||
      this.link.value !== "open"
    )
      return;
    this.isLooking = true;
    const until = this.from;
    const from = Math.max(0, until - (this.isFiltered ? BACK_FILTERED : BACK * 2));
    try {
      const found = await this.between(from, until);
      this.from = from;
      this.ring.prepend(found.map(rowOf));
      this.whole.value = from === 0;
      this.show();
    } catch {
      // The banner says that the daemon is gone; the end of the list asks again when it is back.
    } finally {
      this.isLooking = false;
    }
  }

  private async between(from: number, until: number): Promise<StreamedEvent[]> {
    const found: StreamedEvent[] = [];
    let cursor = from;
    while (cursor < until) {
      const query = { ...this.which, since: cursor, limit: 1000 };
      const page = await data(api.GET("/api/v1/events", { params: { query: query as never } }));
      found.push(...page.events.filter((event) => event.seq <= until));
      if (page.events.length < 1000) break;
      cursor = page.cursor;
    }
    return found;
  }

  private get isFiltered(): boolean {
    return Object.values(this.which).some(Boolean);
  }

  private take(events: StreamedEvent[]): void {
    const rows = events.map(rowOf);
    const last = rows.at(-1);
    if (this.paused.value) {
      this.held = this.held.concat(rows).slice(-MOST_ROWS);
      this.waiting.value = this.held.length;
    } else {
      this.ring.append(rows);
      this.show();
    }
    if (last && last.seq > this.began) this.announce(rows.length, last);
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
    about: within(ofRecord(event.record), project) || event.problem || "",
    note: ofDecision(event.record),
  };
}
