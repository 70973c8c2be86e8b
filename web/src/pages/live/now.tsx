/** Who is at work: a card for each session that is not over, with what it does at the moment. */
import { useEffect } from "preact/hooks";
import { api, data } from "../../api/client";
import { useLoad } from "../../api/load";
import type { Session } from "../../api/types";
import { base, line } from "../../lib/text";
import { Agent, Tag } from "../../parts/badge";
import { Ago, now } from "../../parts/time";
import type { Feed, Row } from "./feed";

/** A session that was silent for longer is not at work, even if nobody said that it is over. */
const SILENT_MS = 30 * 60_000;
const BUSY_MS = 60_000;
const LOOK_BACK_ROWS = 2000;

/** The latest row of each session, of the newest rows. */
export function latestBySession(rows: readonly Row[]): Map<string, Row> {
  const latest = new Map<string, Row>();
  for (const row of rows.slice(0, LOOK_BACK_ROWS)) {
    if (row.session && !latest.has(row.session)) latest.set(row.session, row);
  }
  return latest;
}

export function Now({ feed }: { feed: Feed }) {
  const active = useLoad("active", () =>
    data(api.GET("/api/v1/sessions", { params: { query: { status: "active", since: "1h", limit: 12 } } })),
  );
  const rows = feed.rows.value;
  const newest = rows[0];
  const isTelling = newest && /^(Session|UserPrompt|Stop)/.test(newest.kind) ? newest.seq : 0;
  useEffect(() => {
    if (isTelling) active.reload();
  }, [isTelling]);
  const latest = latestBySession(rows);
  const at = (session: Session) => Math.max(session.last_at, latest.get(session.id)?.at ?? 0);
  // Those that do something come first; beyond that the order stays, so that nothing jumps about.
  const isAtWork = (session: Session) =>
    now.value - at(session) < BUSY_MS && latest.get(session.id)?.kind !== "Stop";
  const shown = (active.data?.items ?? [])
    .filter((session) => now.value - at(session) < SILENT_MS && latest.get(session.id)?.kind !== "SessionEnd")
    .sort((a, b) => Number(isAtWork(b)) - Number(isAtWork(a)) || b.started_at - a.started_at);
  if (shown.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <section class="now" aria-label="At work" tabIndex={0}>
      {shown.map((session) => (
        <Card key={session.id} session={session} row={latest.get(session.id)} at={at(session)} />
      ))}
    </section>
  );
}

function Card({ session, row, at }: { session: Session; row: Row | undefined; at: number }) {
  const title = session.title ?? session.first_prompt;
  return (
    <a class="now-card" href={`/sessions/${encodeURIComponent(session.id)}`}>
      <span class="now-head">
        <Agent id={session.agent} />
        <span class="quiet cut">{session.project ? base(session.project) : ""}</span>
      </span>
      <span class="now-title">{title ? line(title, 90) : "No prompt yet"}</span>
      <span class="now-act cut">
        <i
          class={row?.kind !== "Stop" && now.value - at < BUSY_MS ? "beat" : "beat still"}
          aria-hidden="true"
        />
        {row ? doing(row) : "quiet"}
      </span>
      <span class="now-foot quiet">
        <Ago at={at} />
        {session.denied > 0 && <Tag tone="deny">{session.denied} denied</Tag>}
        {session.failures > 0 && <Tag tone="ask">{session.failures} failed</Tag>}
      </span>
    </a>
  );
}

function doing(row: Row): string {
  switch (row.kind) {
    case "UserPromptSubmit":
      return "thinks about the prompt";
    case "Stop":
      return "waits for you";
    case "PermissionRequest":
      return `asks for ${row.tool ?? "permission"}`;
    case "Notification":
      return row.about || "wants to be noticed";
    case "SessionStart":
      return "has begun";
    default:
      return line(`${row.tool ?? row.kind} ${row.about}`, 80);
  }
}
