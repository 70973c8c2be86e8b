/** One session: its timeline of prompts, tool calls and responses, and its statistics. */
import { useEffect, useMemo, useState } from "preact/hooks";
import { api, unwrap } from "../../api/client";
import { useLoad } from "../../api/load";
import type { Session, SessionDetail } from "../../api/types";
import { formatCount, formatDateTime, formatDuration, plural } from "../../lib/format";
import { param } from "../../lib/router";
import { oneLine, shortId } from "../../lib/text";
import { AgentBadge, Tag } from "../../parts/badge";
import { InlineCode } from "../../parts/inline-code";
import { PageLayout } from "../../parts/page";
import { CopyableCommand, EmptyState, ErrorMessage, Loading } from "../../parts/page-states";
import { TimeAgo } from "../../parts/time";
import { VirtualList } from "../../parts/virtual-list";
import { type TimelineRow, timelineRows } from "./timeline";
import { TimelineRowView } from "./timeline-rows";
import { useTimeline } from "./use-timeline";

const POLL_MS = 5000;

export function SessionPage({ id }: { id: string }) {
  const session = useLoad(
    `session ${id}`,
    () => unwrap(api.GET("/api/v1/sessions/{id}", { params: { path: { id } } })) as Promise<SessionDetail>,
  );
  const isActive = session.data?.status === "active";
  useEffect(() => {
    if (!isActive) return;
    const timer = setInterval(() => !document.hidden && session.reload(), POLL_MS);
    return () => clearInterval(timer);
  }, [isActive]);
  if (session.status === 404) {
    return (
      <EmptyState title="Session not found" action={<a href="/sessions">All sessions</a>}>
        It may have been pruned, or recorded on another machine.
      </EmptyState>
    );
  }
  if (session.error) return <ErrorMessage error={session.error} retry={session.reload} />;
  if (!session.data) return <Loading />;
  return <SessionView session={session.data} />;
}

function SessionView({ session }: { session: SessionDetail }) {
  return (
    <PageLayout
      title={oneLine(session.title ?? session.first_prompt ?? shortId(session.id), 140)}
      lead={<SessionLead session={session} />}
    >
      <div class="session">
        <SessionSidebar session={session} />
        <SessionTimeline session={session} />
      </div>
    </PageLayout>
  );
}

function SessionLead({ session }: { session: SessionDetail }) {
  return (
    <span class="session-lead">
      <AgentBadge id={session.agent} />
      {session.project && <code>{session.project}</code>}
      <TimeAgo at={session.started_at} />
      <span>{formatDuration(session.stats.duration_ms)}</span>
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

function SessionSidebar({ session }: { session: SessionDetail }) {
  const { stats } = session;
  return (
    <aside class="session-aside" aria-label="About this session">
      <dl class="numbers">
        <SessionStat value={session.prompts} name={session.prompts === 1 ? "prompt" : "prompts"} />
        <SessionStat value={stats.tool_calls} name={stats.tool_calls === 1 ? "tool call" : "tool calls"} />
        <SessionStat value={stats.files_touched} name={stats.files_touched === 1 ? "file" : "files"} />
        <SessionStat value={session.failures} name="failed" tone="ask" />
        <SessionStat value={session.denied} name="blocked" tone="deny" />
        {session.asked > 0 && <SessionStat value={session.asked} name="asked" tone="ask" />}
        {session.rewritten > 0 && <SessionStat value={session.rewritten} name="rewritten" tone="rewrite" />}
      </dl>
      <ToolBars counts={stats.tool_counts} />
      {session.summary && (
        <section>
          <h2>Summary</h2>
          <p class="summary">
            <InlineCode text={session.summary} />
          </p>
        </section>
      )}
      {session.resume && (
        <section>
          <h2>Resume</h2>
          <CopyableCommand>{session.resume}</CopyableCommand>
        </section>
      )}
      <RelatedSessions session={session} />
      <section class="session-foot">
        <a class="button" href={`/api/v1/sessions/${encodeURIComponent(session.id)}/export`} download>
          Export
        </a>
        <span class="quiet" title={session.id}>
          <code>{shortId(session.id)}</code> · {formatDateTime(session.started_at)}
        </span>
      </section>
    </aside>
  );
}

function SessionStat({
  value,
  name,
  tone,
}: {
  value: number;
  name: string;
  tone?: "ask" | "deny" | "rewrite";
}) {
  return (
    <div class={tone && value > 0 ? `tone-${tone}` : ""}>
      <dt>{name}</dt>
      <dd>{formatCount(value)}</dd>
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

function RelatedSessions({ session }: { session: SessionDetail }) {
  if (session.lineage.length === 0 && session.children.length === 0) return null;
  const link = (related: Session) => (
    <li key={related.id}>
      <a href={`/sessions/${encodeURIComponent(related.id)}`}>
        {oneLine(related.title ?? related.first_prompt ?? shortId(related.id), 60)}
      </a>{" "}
      <span class="quiet">{related.parent_reason}</span>
    </li>
  );
  return (
    <section class="related-sessions">
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

function SessionTimeline({ session }: { session: SessionDetail }) {
  const timeline = useTimeline(session.id, session.status === "active");
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => timelineRows(timeline, closed), [timeline.before, timeline.batches, closed]);
  const targetEvent = param("at");
  const target = targetEvent ? rows.find((row) => row.events.includes(targetEvent))?.key : undefined;
  useEffect(() => {
    if (targetEvent && !target && timeline.next) timeline.more("seek");
  }, [targetEvent, target, timeline.next]);
  const toggle = (row: TimelineRow) =>
    row.type === "subagent" ? setClosed(toggled(closed, row.key)) : setOpen(toggled(open, row.key));
  if (timeline.error) return <ErrorMessage error={timeline.error} />;
  if (timeline.loading) return <Loading />;
  return (
    <div class="timeline">
      {rows.length === 0 && <EmptyState title="No events recorded for this session" />}
      <VirtualList<TimelineRow>
        label="Timeline"
        items={rows}
        id={(row) => row.key}
        height={40}
        measured
        startAt={target}
        onEnd={() => timeline.more()}
        onOpen={toggle}
        row={(row) => (
          <TimelineRowView
            row={row}
            project={session.project}
            isOpen={row.type === "subagent" ? !closed.has(row.key) : open.has(row.key)}
            onToggle={() => toggle(row)}
          />
        )}
      />
      {timeline.next && <Loading label="Loading more" />}
      {!timeline.next && session.status !== "active" && (
        <p class="quiet timeline-end">
          {plural(session.prompts, "prompt")}, {plural(session.stats.tool_calls, "tool call")},{" "}
          {formatDuration(session.stats.duration_ms)}
        </p>
      )}
    </div>
  );
}

function toggled(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(set);
  if (!next.delete(key)) next.add(key);
  return next;
}
