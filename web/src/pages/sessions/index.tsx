/** Every session, the latest first. */
import { useMemo } from "preact/hooks";
import { useAgents, useProjects } from "../../api/catalogue";
import { api, data } from "../../api/client";
import { useFresh, usePages } from "../../api/load";
import type { Session } from "../../api/types";
import { go, param, setParams } from "../../lib/router";
import { narrow } from "../../lib/screen";
import { base, line, shortId } from "../../lib/text";
import { count, day, many, took } from "../../lib/time";
import { Agent, agentName, Tag } from "../../parts/badge";
import { Filters, Select } from "../../parts/form";
import { VirtualList } from "../../parts/list";
import { Page } from "../../parts/page";
import { Command, Empty, Failure, Loading } from "../../parts/state";
import { Ago, now } from "../../parts/time";

const FILTERS = ["agent", "project", "status", "since"] as const;
const RANGES = [
  ["24h", "24 hours"],
  ["7d", "7 days"],
  ["30d", "30 days"],
] as const;

export function Sessions() {
  const which = Object.fromEntries(FILTERS.map((name) => [name, param(name)]));
  const pages = usePages<Session>(`sessions ${JSON.stringify(which)}`, (after) =>
    data(api.GET("/api/v1/sessions", { params: { query: { ...which, after, limit: 100 } as never } })),
  );
  const isFiltered = FILTERS.some((name) => which[name]);
  useFresh(pages.reload, "at the top");
  return (
    <Page
      title="Sessions"
      lead={
        pages.items.length > 0 &&
        `${count(pages.items.length)}${pages.done || pages.loading ? "" : " and more"}`
      }
      tools={<Tools which={which} />}
    >
      {pages.error && <Failure error={pages.error} retry={pages.reload} />}
      {pages.items.length > 0 ? (
        <List items={pages.items} more={pages.more} />
      ) : pages.loading ? (
        <Loading />
      ) : isFiltered ? (
        <Empty title="No session is like that">Fewer filters show more.</Empty>
      ) : (
        <Empty title="No sessions yet" action={<Command>becket init</Command>}>
          Connect an agent, ask it for something, and its session appears here.
        </Empty>
      )}
    </Page>
  );
}

function Tools({ which }: { which: Record<string, string | undefined> }) {
  const agents = useAgents();
  const projects = useProjects();
  const pick = (name: string) => (value: string | undefined) => setParams({ [name]: value });
  return (
    <Filters label="Sessions">
      <Select label="Agent" value={which.agent} options={agents} onPick={pick("agent")} />
      <Select label="Project" value={which.project} options={projects} onPick={pick("project")} />
      <Select
        label="Status"
        value={which.status}
        options={[
          ["active", "active"],
          ["completed", "completed"],
        ]}
        onPick={pick("status")}
      />
      <Select label="Last" value={which.since} options={RANGES} onPick={pick("since")} any="all time" />
    </Filters>
  );
}

type Listed = { day: string; count: number } | Session;

/** Sessions with the days between them. */
export function withDays(sessions: readonly Session[]): Listed[] {
  const listed: Listed[] = [];
  let head: { day: string; count: number } | undefined;
  for (const session of sessions) {
    const today = day(session.last_at);
    if (head?.day !== today) {
      head = { day: today, count: 0 };
      listed.push(head);
    }
    head.count++;
    listed.push(session);
  }
  return listed;
}

function List({ items, more }: { items: Session[]; more: () => void }) {
  const listed = useMemo(() => withDays(items), [items]);
  return (
    <VirtualList<Listed>
      label="Sessions, the latest first"
      items={listed}
      id={(item) => ("id" in item ? item.id : item.day)}
      height={58}
      measured
      onEnd={more}
      stops={(item) => "id" in item}
      onOpen={(item) => "id" in item && go(`/sessions/${encodeURIComponent(item.id)}`)}
      row={(item) =>
        "id" in item ? <SessionRow session={item} /> : <Day day={item.day} sessions={item.count} />
      }
    />
  );
}

function Day({ day: given, sessions }: { day: string; sessions: number }) {
  const name =
    given === day(now.value) ? "Today" : given === day(now.value - 86_400_000) ? "Yesterday" : weekday(given);
  return (
    <h2 class="day">
      {name} <span class="quiet">{many(sessions, "session")}</span>
    </h2>
  );
}

function weekday(given: string): string {
  const name = new Date(`${given}T12:00:00`).toLocaleDateString("en", { weekday: "long" });
  return `${name}, ${given}`;
}

const lasted = (session: Session) => (session.ended_at ?? session.last_at) - session.started_at;

/** What has no column of its own where there is little room. */
function did(session: Session): string {
  const told = [
    took(lasted(session)),
    many(session.prompts, "prompt"),
    session.files > 0 && many(session.files, "file"),
    session.tools.join(", "),
  ];
  return told.filter(Boolean).join(" · ");
}

export function SessionRow({ session }: { session: Session }) {
  const title = session.title ?? session.first_prompt;
  const isSmall = narrow.value;
  return (
    <a class="session-row" href={`/sessions/${encodeURIComponent(session.id)}`}>
      <Agent id={session.agent} mark />
      <span class="session-what">
        <b class="cut">{title ? line(title, 160) : "No prompt"}</b>
        <span class="quiet cut">
          {session.project ? base(session.project) : "no project"} · {agentName(session.agent)} ·{" "}
          <code>{shortId(session.id)}</code>
          {session.parent && " · continues another"}
          {!isSmall && session.tools.length > 0 && ` · ${session.tools.join(", ")}`}
        </span>
        {isSmall && <span class="quiet cut">{did(session)}</span>}
      </span>
      <span class="session-marks">
        {session.denied > 0 && <Tag tone="deny">{session.denied} denied</Tag>}
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
            {count(session.prompts)} <small>{session.prompts === 1 ? "prompt" : "prompts"}</small>
          </span>
          <span class="session-number">
            {count(session.activities)} <small>{session.activities === 1 ? "action" : "actions"}</small>
          </span>
          <span class="session-number">
            {count(session.files)} <small>{session.files === 1 ? "file" : "files"}</small>
          </span>
          <span class="session-number">{took(lasted(session))}</span>
        </>
      )}
      <span class="session-when quiet">
        <Ago at={session.last_at} />
      </span>
    </a>
  );
}
