/** The sessions page: all sessions, the latest first. */
import { useMemo } from "preact/hooks";
import { api, unwrap } from "../../api/client";
import { useAgentOptions, useProjectOptions } from "../../api/filter-options";
import { usePages, usePolling } from "../../api/load";
import type { Session } from "../../api/types";
import { formatCount, formatDay, formatDuration, plural } from "../../lib/format";
import { navigate, param, setParams } from "../../lib/router";
import { isNarrow } from "../../lib/screen";
import { basename, oneLine, shortId } from "../../lib/text";
import { AgentBadge, agentName, Tag } from "../../parts/badge";
import { Filters, Select } from "../../parts/form";
import { PageLayout } from "../../parts/page";
import { CopyableCommand, EmptyState, ErrorMessage, Loading } from "../../parts/page-states";
import { now, TimeAgo } from "../../parts/time";
import { VirtualList } from "../../parts/virtual-list";

const FILTER_NAMES = ["agent", "project", "status", "since"] as const;
const RANGE_OPTIONS = [
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
] as const;

export function SessionsPage() {
  const filter = Object.fromEntries(FILTER_NAMES.map((name) => [name, param(name)]));
  const pages = usePages<Session>(`sessions ${JSON.stringify(filter)}`, (after) =>
    unwrap(api.GET("/api/v1/sessions", { params: { query: { ...filter, after, limit: 100 } as never } })),
  );
  const isFiltered = FILTER_NAMES.some((name) => filter[name]);
  usePolling(pages.reload, "at the top");
  return (
    <PageLayout
      title="Sessions"
      lead={
        pages.items.length > 0 &&
        `${formatCount(pages.items.length)}${pages.done || pages.loading ? "" : "+"}`
      }
      tools={<SessionFilters filter={filter} />}
    >
      {pages.error && <ErrorMessage error={pages.error} retry={pages.reload} />}
      {pages.items.length > 0 ? (
        <SessionList items={pages.items} more={pages.more} />
      ) : pages.loading ? (
        <Loading />
      ) : isFiltered ? (
        <EmptyState title="No matching sessions">Change or clear the filters.</EmptyState>
      ) : (
        <EmptyState title="No sessions yet" action={<CopyableCommand>becket up</CopyableCommand>}>
          Connect an agent and start a new session. It appears here at once.
        </EmptyState>
      )}
    </PageLayout>
  );
}

function SessionFilters({ filter }: { filter: Record<string, string | undefined> }) {
  const agents = useAgentOptions();
  const projects = useProjectOptions();
  const pick = (name: string) => (value: string | undefined) => setParams({ [name]: value });
  return (
    <Filters label="Sessions">
      <Select label="Agent" value={filter.agent} options={agents} onPick={pick("agent")} />
      <Select label="Project" value={filter.project} options={projects} onPick={pick("project")} />
      <Select
        label="Status"
        value={filter.status}
        options={[
          ["active", "active"],
          ["completed", "completed"],
        ]}
        onPick={pick("status")}
      />
      <Select
        label="Last"
        value={filter.since}
        options={RANGE_OPTIONS}
        onPick={pick("since")}
        any="all time"
      />
    </Filters>
  );
}

type SessionListItem = { day: string; count: number } | Session;

/** Inserts a heading before the sessions of each day. */
export function groupByDay(sessions: readonly Session[]): SessionListItem[] {
  const listed: SessionListItem[] = [];
  let head: { day: string; count: number } | undefined;
  for (const session of sessions) {
    const today = formatDay(session.last_at);
    if (head?.day !== today) {
      head = { day: today, count: 0 };
      listed.push(head);
    }
    head.count++;
    listed.push(session);
  }
  return listed;
}

function SessionList({ items, more }: { items: Session[]; more: () => void }) {
  const listed = useMemo(() => groupByDay(items), [items]);
  return (
    <VirtualList<SessionListItem>
      label="Sessions, latest first"
      items={listed}
      id={(item) => ("id" in item ? item.id : item.day)}
      height={58}
      measured
      onEnd={more}
      isSelectable={(item) => "id" in item}
      onOpen={(item) => "id" in item && navigate(`/sessions/${encodeURIComponent(item.id)}`)}
      row={(item) =>
        "id" in item ? <SessionRow session={item} /> : <DayHeading day={item.day} sessions={item.count} />
      }
    />
  );
}

function DayHeading({ day: given, sessions }: { day: string; sessions: number }) {
  const name =
    given === formatDay(now.value)
      ? "Today"
      : given === formatDay(now.value - 86_400_000)
        ? "Yesterday"
        : weekday(given);
  return (
    <h2 class="day">
      {name} <span class="quiet">{plural(sessions, "session")}</span>
    </h2>
  );
}

function weekday(given: string): string {
  const name = new Date(`${given}T12:00:00`).toLocaleDateString("en", { weekday: "long" });
  return `${name}, ${given}`;
}

const durationOf = (session: Session) => (session.ended_at ?? session.last_at) - session.started_at;

/** The statistics on one line, for small screens without columns. */
function statsLine(session: Session): string {
  const parts = [
    formatDuration(durationOf(session)),
    plural(session.prompts, "prompt"),
    session.files > 0 && plural(session.files, "file"),
    session.tools.join(", "),
  ];
  return parts.filter(Boolean).join(" · ");
}

export function SessionRow({ session }: { session: Session }) {
  const title = session.title ?? session.first_prompt;
  const isSmall = isNarrow.value;
  return (
    <a class="session-row" href={`/sessions/${encodeURIComponent(session.id)}`}>
      <AgentBadge id={session.agent} compact />
      <span class="session-what">
        <b class="cut">{title ? oneLine(title, 160) : "No prompt"}</b>
        <span class="quiet cut">
          {session.project ? basename(session.project) : "no project"} · {agentName(session.agent)} ·{" "}
          <code>{shortId(session.id)}</code>
          {session.parent && " · continues another"}
          {!isSmall && session.tools.length > 0 && ` · ${session.tools.join(", ")}`}
        </span>
        {isSmall && <span class="quiet cut">{statsLine(session)}</span>}
      </span>
      <span class="session-marks">
        {session.denied > 0 && <Tag tone="deny">{session.denied} blocked</Tag>}
        {session.asked > 0 && <Tag tone="ask">{session.asked} asked</Tag>}
        {session.rewritten > 0 && <Tag tone="rewrite">{session.rewritten} rewritten</Tag>}
        {session.failures > 0 && <Tag tone="ask">{session.failures} failed</Tag>}
        {session.status === "active" && (
          <Tag tone="accent">
            <i class="beat" /> active
          </Tag>
        )}
      </span>
      {!isSmall && (
        <>
          <span class="session-number">
            {formatCount(session.prompts)} <small>{session.prompts === 1 ? "prompt" : "prompts"}</small>
          </span>
          <span class="session-number">
            {formatCount(session.activities)}{" "}
            <small>{session.activities === 1 ? "tool call" : "tool calls"}</small>
          </span>
          <span class="session-number">
            {formatCount(session.files)} <small>{session.files === 1 ? "file" : "files"}</small>
          </span>
          <span class="session-number">{formatDuration(durationOf(session))}</span>
        </>
      )}
      <span class="session-when quiet">
        <TimeAgo at={session.last_at} />
      </span>
    </a>
  );
}
