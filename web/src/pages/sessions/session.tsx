/** One session: what was asked, what was done, what was said about it. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, data } from "../../api/client";
import { useLoad } from "../../api/load";
import type { Session, SessionDetail } from "../../api/types";
import { param } from "../../lib/router";
import { line, shortId } from "../../lib/text";
import { absolute, count, many, took } from "../../lib/time";
import { Agent, Tag } from "../../parts/badge";
import { VirtualList } from "../../parts/list";
import { Page } from "../../parts/page";
import { Command, Empty, Failure, Loading } from "../../parts/state";
import { Ticks } from "../../parts/ticks";
import { Ago } from "../../parts/time";
import { useTimeline } from "./load";
import { Row } from "./rows";
import { rowsOf, type TimelineRow } from "./timeline";

const EVERY_MS = 5000;

export function SessionPage({ id }: { id: string }) {
  const session = useLoad(
    `session ${id}`,
    () => data(api.GET("/api/v1/sessions/{id}", { params: { path: { id } } })) as Promise<SessionDetail>,
  );
  const isActive = session.data?.status === "active";
  useEffect(() => {
    if (!isActive) return;
    const timer = setInterval(() => !document.hidden && session.reload(), EVERY_MS);
    return () => clearInterval(timer);
  }, [isActive]);
  if (session.status === 404) {
    return (
      <Empty title="There is no such session" action={<a href="/sessions">All sessions</a>}>
        It may have been pruned, or it was recorded elsewhere.
      </Empty>
    );
  }
  if (session.error) return <Failure error={session.error} retry={session.reload} />;
  if (!session.data) return <Loading />;
  return <Whole session={session.data} />;
}

function Whole({ session }: { session: SessionDetail }) {
  return (
    <Page
      title={line(session.title ?? session.first_prompt ?? shortId(session.id), 140)}
      lead={<Lead session={session} />}
    >
      <div class="session">
        <Aside session={session} />
        <Events session={session} />
      </div>
    </Page>
  );
}

function Lead({ session }: { session: SessionDetail }) {
  return (
    <span class="session-lead">
      <Agent id={session.agent} />
      {session.project && <code>{session.project}</code>}
      <Ago at={session.started_at} />
      <span>{took(session.stats.duration_ms)}</span>
      {session.status === "active" ? (
        <Tag tone="accent">
          <i class="beat" /> active
        </Tag>
      ) : (
        <Tag>{session.end_reason ?? session.status}</Tag>
      )}
    </span>
  );
}

function Aside({ session }: { session: SessionDetail }) {
  const { stats } = session;
  return (
    <aside class="session-aside" aria-label="About this session">
      <dl class="numbers">
        <Figure value={session.prompts} name={session.prompts === 1 ? "prompt" : "prompts"} />
        <Figure value={stats.tool_calls} name={stats.tool_calls === 1 ? "call" : "calls"} />
        <Figure value={stats.files_touched} name={stats.files_touched === 1 ? "file" : "files"} />
        <Figure value={session.failures} name="failed" tone="ask" />
        <Figure value={session.denied} name="denied" tone="deny" />
        {session.asked > 0 && <Figure value={session.asked} name="asked" tone="ask" />}
        {session.rewritten > 0 && <Figure value={session.rewritten} name="rewritten" tone="rewrite" />}
      </dl>
      <ToolBars counts={stats.tool_counts} />
      {session.summary && (
        <section>
          <h2>Summary</h2>
          <p class="summary">
            <Ticks text={session.summary} />
          </p>
        </section>
      )}
      {session.resume && (
        <section>
          <h2>Go on with it</h2>
          <Command>{session.resume}</Command>
        </section>
      )}
      <Kin session={session} />
      <section class="session-foot">
        <a class="button" href={`/api/v1/sessions/${encodeURIComponent(session.id)}/export`} download>
          Export
        </a>
        <span class="quiet" title={session.id}>
          <code>{shortId(session.id)}</code> · {absolute(session.started_at)}
        </span>
      </section>
    </aside>
  );
}

function Figure({ value, name, tone }: { value: number; name: string; tone?: "ask" | "deny" | "rewrite" }) {
  return (
    <div class={tone && value > 0 ? `tone-${tone}` : ""}>
      <dt>{name}</dt>
      <dd>{count(value)}</dd>
    </div>
  );
}

function ToolBars({ counts }: { counts: Record<string, number> }) {
  const all = Object.entries(counts).sort(([, a], [, b]) => b - a);
  const most = all[0]?.[1] ?? 1;
  if (all.length === 0) return null;
  return (
    <ul class="minibars" aria-label="Tools">
      {all.slice(0, 8).map(([tool, calls]) => (
        <li key={tool}>
          <span class="cut">{tool}</span>
          <i aria-hidden="true">
            <b style={{ width: `${(100 * calls) / most}%` }} />
          </i>
          <span class="quiet">{calls}</span>
        </li>
      ))}
    </ul>
  );
}

function Kin({ session }: { session: SessionDetail }) {
  if (session.lineage.length === 0 && session.children.length === 0) return null;
  const link = (kin: Session) => (
    <li key={kin.id}>
      <a href={`/sessions/${encodeURIComponent(kin.id)}`}>
        {line(kin.title ?? kin.first_prompt ?? shortId(kin.id), 60)}
      </a>{" "}
      <span class="quiet">{kin.parent_reason}</span>
    </li>
  );
  return (
    <section class="kin">
      {session.lineage.length > 0 && (
        <>
          <h2>Continues</h2>
          <ul>{session.lineage.map(link)}</ul>
        </>
      )}
      {session.children.length > 0 && (
        <>
          <h2>Continued by</h2>
          <ul>{session.children.map(link)}</ul>
        </>
      )}
    </section>
  );
}

function Events({ session }: { session: SessionDetail }) {
  const timeline = useTimeline(session.id, session.status === "active");
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => rowsOf(timeline, closed), [timeline.before, timeline.batches, closed]);
  const sought = param("at");
  const target = sought ? rows.find((row) => row.events.includes(sought))?.key : undefined;
  useEffect(() => {
    if (sought && !target && timeline.next) timeline.more("seek");
  }, [sought, target, timeline.next]);
  const toggle = (row: TimelineRow) =>
    row.type === "subagent" ? setClosed(flipped(closed, row.key)) : setOpen(flipped(open, row.key));
  if (timeline.error) return <Failure error={timeline.error} />;
  if (timeline.loading) return <Loading />;
  return (
    <div class="timeline">
      {rows.length === 0 && <Empty title="Nothing is told of this session" />}
      <VirtualList<TimelineRow>
        label="What happened"
        items={rows}
        id={(row) => row.key}
        height={40}
        measured
        at={target}
        onEnd={() => timeline.more()}
        onOpen={toggle}
        row={(row) => (
          <Row
            row={row}
            project={session.project}
            isOpen={row.type === "subagent" ? !closed.has(row.key) : open.has(row.key)}
            onToggle={() => toggle(row)}
          />
        )}
      />
      {timeline.next && <Loading what="Loading more" />}
      {!timeline.next && session.status !== "active" && (
        <p class="quiet timeline-end">
          {many(session.prompts, "prompt")}, {many(session.stats.tool_calls, "call")},{" "}
          {took(session.stats.duration_ms)}
        </p>
      )}
    </div>
  );
}

function flipped(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
}
