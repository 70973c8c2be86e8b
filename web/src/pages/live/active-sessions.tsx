/** A card for each active session, with its current tool call. */
import { useEffect } from "preact/hooks";
import { api, unwrap } from "../../api/client";
import { useLoad } from "../../api/load";
import type { Session } from "../../api/types";
import { basename, oneLine } from "../../lib/text";
import { AgentBadge, Tag } from "../../parts/badge";
import { now, TimeAgo } from "../../parts/time";
import type { EventFeed, FeedRow } from "./feed";

/** A session without events for this long counts as inactive, even if it never sent `SessionEnd`. */
const INACTIVE_MS = 30 * 60_000;
const BUSY_MS = 60_000;
const MAX_ROWS_SEARCHED = 2000;

/** The latest row of each session among the newest rows. */
export function latestBySession(rows: readonly FeedRow[]): Map<string, FeedRow> {
  const latest = new Map<string, FeedRow>();
  for (const row of rows.slice(0, MAX_ROWS_SEARCHED)) {
    if (row.session && !latest.has(row.session)) latest.set(row.session, row);
  }
  return latest;
}

export function ActiveSessions({ feed }: { feed: EventFeed }) {
  const active = useLoad("active", () =>
    unwrap(api.GET("/api/v1/sessions", { params: { query: { status: "active", since: "1h", limit: 12 } } })),
  );
  const rows = feed.rows.value;
  const newest = rows[0];
  const sessionChangeSeq = newest && /^(Session|UserPrompt|Stop)/.test(newest.kind) ? newest.seq : 0;
  useEffect(() => {
    if (sessionChangeSeq) active.reload();
  }, [sessionChangeSeq]);
  const latest = latestBySession(rows);
  const at = (session: Session) => Math.max(session.last_at, latest.get(session.id)?.at ?? 0);
  // Busy sessions come first. The others keep their order, so that cards do not jump.
  const isAtWork = (session: Session) =>
    now.value - at(session) < BUSY_MS && latest.get(session.id)?.kind !== "Stop";
  const shown = (active.data?.items ?? [])
    .filter(
      (session) => now.value - at(session) < INACTIVE_MS && latest.get(session.id)?.kind !== "SessionEnd",
    )
    .sort((a, b) => Number(isAtWork(b)) - Number(isAtWork(a)) || b.started_at - a.started_at);
  if (shown.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <section class="now" aria-label="Active sessions" tabIndex={0}>
      {shown.map((session) => (
        <SessionCard key={session.id} session={session} row={latest.get(session.id)} at={at(session)} />
      ))}
    </section>
  );
}

function SessionCard({ session, row, at }: { session: Session; row: FeedRow | undefined; at: number }) {
  const title = session.title ?? session.first_prompt;
  return (
    <a class="now-card" href={`/sessions/${encodeURIComponent(session.id)}`}>
      <span class="now-head">
        <AgentBadge id={session.agent} />
        <span class="quiet cut">{session.project ? basename(session.project) : ""}</span>
      </span>
      <span class="now-title">{title ? oneLine(title, 90) : "No prompt yet"}</span>
      <span class="now-act cut">
        <i
          class={row?.kind !== "Stop" && now.value - at < BUSY_MS ? "beat" : "beat still"}
          aria-hidden="true"
        />
        {row ? currentActivity(row) : "idle"}
      </span>
      <span class="now-foot quiet">
        <TimeAgo at={at} />
        {session.denied > 0 && <Tag tone="deny">{session.denied} blocked</Tag>}
        {session.failures > 0 && <Tag tone="ask">{session.failures} failed</Tag>}
      </span>
    </a>
  );
}

function currentActivity(row: FeedRow): string {
  switch (row.kind) {
    case "UserPromptSubmit":
      return "is working on the prompt";
    case "Stop":
      return "waits for you";
    case "PermissionRequest":
      return `asks permission for ${row.tool ?? "a tool"}`;
    case "Notification":
      return row.about || "sent a notification";
    case "SessionStart":
      return "started";
    default:
      return oneLine(`${row.tool ?? row.kind} ${row.about}`, 80);
  }
}
