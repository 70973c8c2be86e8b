/** The live page: the event stream, active sessions, alarms and permission requests. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { EVENT_OPTIONS, useAgentOptions, useProjectOptions, VERDICT_OPTIONS } from "../../api/filter-options";
import { formatCount } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { openDrawer, param, setParams } from "../../lib/router";
import { isNarrow } from "../../lib/screen";
import { Filters, Select } from "../../parts/form";
import { PageLayout } from "../../parts/page";
import { CopyableCommand, EmptyState, ErrorMessage, Loading } from "../../parts/page-states";
import { VirtualList } from "../../parts/virtual-list";
import { ActiveSessions } from "./active-sessions";
import { LiveAlarms, notifyAlarm } from "./alarms";
import { EVENT_PARAM, EventDrawer } from "./drawer";
import { EventRow } from "./event-row";
import { EventFeed, type FeedRow } from "./feed";
import { PendingPermissions } from "./permissions";

const FILTER_NAMES = ["agent", "project", "event", "verdict"] as const;

export function LivePage() {
  const filter = Object.fromEntries(FILTER_NAMES.map((name) => [name, param(name)]));
  const key = JSON.stringify(filter);
  const paused = useSignal(false);
  const feed = useMemo(() => new EventFeed(filter, paused, notifyAlarm), [key]);
  useEffect(() => {
    void feed.start();
    return () => feed.stop();
  }, [feed]);
  useKeys([["p", "pause or resume", () => feed.pause(!feed.paused.value)]]);
  const isFiltered = FILTER_NAMES.some((name) => filter[name]);
  return (
    <PageLayout
      title="Live"
      lead={<StreamStatus feed={feed} />}
      tools={<LiveFilters feed={feed} filter={filter} />}
    >
      <PendingPermissions />
      <LiveAlarms />
      {!isFiltered && <ActiveSessions feed={feed} />}
      {feed.error.value ? (
        <ErrorMessage error={feed.error.value} />
      ) : (
        <EventList feed={feed} isFiltered={isFiltered} />
      )}
      <p class="sr" aria-live="polite">
        {feed.announcement.value}
      </p>
      {param(EVENT_PARAM) && <EventDrawer key={param(EVENT_PARAM)} seq={Number(param(EVENT_PARAM))} />}
    </PageLayout>
  );
}

const STREAM_LABELS = {
  connecting: ["ask", "connecting"],
  open: ["allow", "live"],
  waiting: ["ask", "waiting for the daemon"],
  refused: ["deny", "refused"],
  hidden: ["none", "suspended"],
} as const;

function StreamStatus({ feed }: { feed: EventFeed }) {
  const [tone, word] = feed.paused.value
    ? (["ask", "paused"] as const)
    : STREAM_LABELS[feed.streamState.value];
  return (
    <span class={`connection tone-${tone}`}>
      <i aria-hidden="true" /> {word} · {formatCount(feed.rows.value.length)} shown
    </span>
  );
}

function LiveFilters({ feed, filter }: { feed: EventFeed; filter: Record<string, string | undefined> }) {
  const newest = feed.rows.value[0];
  const agents = useAgentOptions(newest?.agent);
  const projects = useProjectOptions(newest?.project);
  const pick = (name: string) => (value: string | undefined) => setParams({ [name]: value });
  const isPaused = feed.paused.value;
  return (
    <Filters label="Events">
      <Select label="Agent" value={filter.agent} options={agents} onPick={pick("agent")} />
      <Select label="Project" value={filter.project} options={projects} onPick={pick("project")} />
      <Select label="Event" value={filter.event} options={EVENT_OPTIONS} onPick={pick("event")} />
      <Select label="Verdict" value={filter.verdict} options={VERDICT_OPTIONS} onPick={pick("verdict")} />
      {FILTER_NAMES.some((name) => filter[name]) && (
        <button
          type="button"
          class="link"
          onClick={() => setParams(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])))}
        >
          Clear
        </button>
      )}
      <button
        type="button"
        class={isPaused ? "button primary pause" : "button pause"}
        aria-pressed={isPaused}
        onClick={() => feed.pause(!isPaused)}
      >
        {isPaused ? `Resume · ${formatCount(feed.pausedCount.value)} new` : "Pause"}
      </button>
    </Filters>
  );
}

function EventList({ feed, isFiltered }: { feed: EventFeed; isFiltered: boolean }) {
  const rows = feed.rows.value;
  const isSmall = isNarrow.value;
  if (rows.length === 0) {
    if (!feed.isComplete.value) return <Loading label="Waiting for events" />;
    return isFiltered ? (
      <EmptyState title="No matching events">New matching events appear here at once.</EmptyState>
    ) : (
      <EmptyState title="No events yet" action={<CopyableCommand>becket up</CopyableCommand>}>
        Connect an agent and start a new session. Events appear here at once.
      </EmptyState>
    );
  }
  return (
    <VirtualList<FeedRow>
      label="Events, latest first"
      items={rows}
      id={(row) => String(row.seq)}
      height={isSmall ? 56 : 30}
      onEnd={() => void feed.loadOlder()}
      onOpen={(row) => openEvent(row.seq)}
      row={(row) => <EventRow row={row} small={isSmall} />}
    />
  );
}

function openEvent(seq: number): void {
  openDrawer(EVENT_PARAM, String(seq));
}
