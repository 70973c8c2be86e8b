/** What agents do, as they do it. */
import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { EVENTS, useAgents, useProjects, VERDICTS } from "../../api/catalogue";
import { useKeys } from "../../lib/keys";
import { openDrawer, param, setParams } from "../../lib/router";
import { narrow } from "../../lib/screen";
import { count } from "../../lib/time";
import { Filters, Select } from "../../parts/form";
import { VirtualList } from "../../parts/list";
import { Page } from "../../parts/page";
import { Command, Empty, Failure, Loading } from "../../parts/state";
import { Alarms, heardAlarm } from "./alarms";
import { AT, EventDrawer } from "./drawer";
import { Feed, type Row } from "./feed";
import { Now } from "./now";
import { Permissions } from "./permissions";
import { EventRow } from "./row";

const FILTERS = ["agent", "project", "event", "verdict"] as const;

export function Live() {
  const which = Object.fromEntries(FILTERS.map((name) => [name, param(name)]));
  const key = JSON.stringify(which);
  const paused = useSignal(false);
  const feed = useMemo(() => new Feed(which, paused, heardAlarm), [key]);
  useEffect(() => {
    void feed.start();
    return () => feed.stop();
  }, [feed]);
  useKeys([["p", "pause, go on", () => feed.pause(!feed.paused.value)]]);
  const isFiltered = FILTERS.some((name) => which[name]);
  return (
    <Page title="Live" lead={<Connection feed={feed} />} tools={<Tools feed={feed} which={which} />}>
      <Permissions />
      <Alarms />
      {!isFiltered && <Now feed={feed} />}
      {feed.problem.value ? (
        <Failure error={feed.problem.value} />
      ) : (
        <Rows feed={feed} isFiltered={isFiltered} />
      )}
      <p class="sr" aria-live="polite">
        {feed.news.value}
      </p>
      {param(AT) && <EventDrawer key={param(AT)} seq={Number(param(AT))} />}
    </Page>
  );
}

const LINKS = {
  connecting: ["ask", "connecting"],
  open: ["allow", "live"],
  waiting: ["ask", "waiting for the daemon"],
  refused: ["deny", "refused"],
  resting: ["none", "resting"],
} as const;

function Connection({ feed }: { feed: Feed }) {
  const [tone, word] = feed.paused.value ? (["ask", "paused"] as const) : LINKS[feed.link.value];
  return (
    <span class={`connection tone-${tone}`}>
      <i aria-hidden="true" /> {word} · {count(feed.rows.value.length)} shown
    </span>
  );
}

function Tools({ feed, which }: { feed: Feed; which: Record<string, string | undefined> }) {
  const newest = feed.rows.value[0];
  const agents = useAgents(newest?.agent);
  const projects = useProjects(newest?.project);
  const pick = (name: string) => (value: string | undefined) => setParams({ [name]: value });
  const isPaused = feed.paused.value;
  return (
    <Filters label="Events">
      <Select label="Agent" value={which.agent} options={agents} onPick={pick("agent")} />
      <Select label="Project" value={which.project} options={projects} onPick={pick("project")} />
      <Select label="Event" value={which.event} options={EVENTS} onPick={pick("event")} />
      <Select label="Verdict" value={which.verdict} options={VERDICTS} onPick={pick("verdict")} />
      {FILTERS.some((name) => which[name]) && (
        <button
          type="button"
          class="link"
          onClick={() => setParams(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
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
        {isPaused ? `Resume · ${count(feed.waiting.value)} new` : "Pause"}
      </button>
    </Filters>
  );
}

function Rows({ feed, isFiltered }: { feed: Feed; isFiltered: boolean }) {
  const rows = feed.rows.value;
  const isSmall = narrow.value;
  if (rows.length === 0) {
    if (!feed.whole.value) return <Loading what="Waiting for events" />;
    return isFiltered ? (
      <Empty title="Nothing like that was recorded">It appears here the moment it happens.</Empty>
    ) : (
      <Empty title="Nothing has happened yet" action={<Command>becket init</Command>}>
        Connect an agent, then ask it for something. Every event appears here at once.
      </Empty>
    );
  }
  return (
    <VirtualList<Row>
      label="Events, the latest first"
      items={rows}
      id={(row) => String(row.seq)}
      height={isSmall ? 56 : 30}
      onEnd={() => void feed.older()}
      onOpen={(row) => openEvent(row.seq)}
      row={(row) => <EventRow row={row} small={isSmall} />}
    />
  );
}

function openEvent(seq: number): void {
  openDrawer(AT, String(seq));
}
