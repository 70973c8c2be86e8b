/** The rows of a session's timeline. */
import { useState } from "preact/hooks";
import { useLoad } from "../../api/load";
import type { HookRun } from "../../api/types";
import { formatDuration, plural } from "../../lib/format";
import { outcomeLabel } from "../../lib/outcome";
import { summarizeInput } from "../../lib/summary";
import { oneLine, prettyJson, relativePaths } from "../../lib/text";
import { Tag, VerdictBadge } from "../../parts/badge";
import { CodeBlock } from "../../parts/code";
import { InlineCode } from "../../parts/inline-code";
import { Markdown } from "../../parts/markdown";
import { TimeOfDay } from "../../parts/time";
import { ToolInput } from "../../parts/tool-input";
import type { TimelineRow, ToolCall } from "./timeline";
import { isShortened, loadFullInput } from "./use-timeline";

interface TimelineRowProps<R> {
  row: R;
  project: string | null;
  isOpen: boolean;
  onToggle: () => void;
}

export function TimelineRowView(props: TimelineRowProps<TimelineRow>) {
  const { row } = props;
  switch (row.type) {
    case "prompt":
      return <PromptRow row={row} />;
    case "plan":
      return <PlanRow {...props} row={row} />;
    case "answer":
      return (
        <article class="said answer">
          <header>
            <span class="who">Response</span>
            <TimeOfDay at={row.batch.ended_at ?? row.batch.last_at} />
          </header>
          {row.batch.response && <Markdown text={row.batch.response} />}
          <HookRunList hooks={row.hooks} />
        </article>
      );
    case "subagent":
      return (
        <button
          type="button"
          class="call subagent-head"
          aria-expanded={props.isOpen}
          onClick={props.onToggle}
        >
          <TimeOfDay at={row.at} />
          <Chevron open={props.isOpen} />
          <b>{row.name}</b>
          <span class="quiet">subagent · {plural(row.calls, "tool call")}</span>
        </button>
      );
    case "note":
      return <NoteRow row={row} />;
    default:
      return <ToolCallRow {...props} row={row} />;
  }
}

function Chevron({ open }: { open: boolean }) {
  return (
    <svg class={open ? "chevron open" : "chevron"} viewBox="0 0 10 10" aria-hidden="true">
      <path d="M3 1.5 7 5 3 8.5" />
    </svg>
  );
}

function PromptRow({ row }: { row: Extract<TimelineRow, { type: "prompt" }> }) {
  const { batch, decision } = row;
  return (
    <article class="said prompt">
      <header>
        <span class="who">
          {batch.number}. {batch.source === "user" || batch.source === "plan" ? "Prompt" : batch.source}
        </span>
        <TimeOfDay at={batch.started_at} />
        {decision && decision.verdict !== "none" && <VerdictBadge verdict={decision.verdict} />}
      </header>
      <LongText text={batch.prompt ?? ""} />
      {decision?.reason && (
        <p class="reason">
          <InlineCode text={decision.reason} />
        </p>
      )}
      <InjectedContext texts={row.context} />
      <HookRunList hooks={row.hooks} />
    </article>
  );
}

const MAX_PROMPT_CHARS = 1200;

/** A prompt; long prompts are truncated. */
function LongText({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const isLong = text.length > MAX_PROMPT_CHARS;
  return (
    <>
      <p class="typed">{isLong && !all ? `${text.slice(0, MAX_PROMPT_CHARS)}…` : text}</p>
      {isLong && (
        <button type="button" class="link more" onClick={() => setAll(!all)}>
          {all ? "Show less" : "Show all"}
        </button>
      )}
    </>
  );
}

function PlanRow({ row, isOpen, onToggle }: TimelineRowProps<Extract<TimelineRow, { type: "plan" }>>) {
  return (
    <article class="said plan">
      <button type="button" class="plan-head" aria-expanded={isOpen} onClick={onToggle}>
        <Chevron open={isOpen} />
        <span class="who">Plan</span>
        <span class="cut quiet">
          {isOpen ? (row.path ?? "") : oneLine(row.text.replace(/[#*`]/g, ""), 140)}
        </span>
      </button>
      {isOpen && <Markdown text={row.text} />}
    </article>
  );
}

function NoteRow({ row }: { row: Extract<TimelineRow, { type: "note" }> }) {
  return (
    <div class={`note depth-${row.depth}`}>
      <p>
        <TimeOfDay at={row.at} /> <span class="note-kind">{row.kind}</span> {oneLine(row.text, 200)}{" "}
        {row.decision && row.decision.verdict !== "none" && <VerdictBadge verdict={row.decision.verdict} />}
      </p>
      <InjectedContext texts={row.context} />
      <HookRunList hooks={row.hooks} />
    </div>
  );
}

/** Context that hooks or recall injected. */
function InjectedContext({ texts }: { texts: readonly string[] }) {
  const context = texts.join("\n");
  if (!context) return null;
  return (
    <details class="context">
      <summary>
        Injected context:{" "}
        <span class="quiet">
          <InlineCode text={oneLine(context, 100)} />
        </span>
      </summary>
      <CodeBlock text={context} />
    </details>
  );
}

const STATUS_LABELS = {
  ok: ["✓", "allow", "ok"],
  failed: ["✕", "ask", "failed"],
  blocked: ["✕", "deny", "blocked"],
  asked: ["?", "ask", "asked"],
  open: ["▸", "none", "started"],
} as const;

function ToolCallRow({ row, project, isOpen, onToggle }: TimelineRowProps<ToolCall>) {
  const { activity, decision, status } = row;
  const about = summarizeInput(activity?.input) || row.about;
  const [sign, tone, word] = STATUS_LABELS[status];
  const isBlocked = status === "blocked";
  const duration = activity?.duration_ms;
  return (
    <div class={`callbox depth-${row.depth} ${isBlocked ? "denied" : ""} ${isOpen ? "open" : ""}`}>
      <button type="button" class="call" aria-expanded={isOpen} onClick={onToggle}>
        <TimeOfDay at={row.at} />
        <span class={`call-status tone-${tone}`} title={word}>
          {sign}
          <span class="sr">{word}</span>
        </span>
        <b class="cut" title={row.tool}>
          {row.tool}
        </b>
        <span class="call-about mono cut">{relativePaths(about, project)}</span>
        <span class="call-marks">
          {ranAnywayLabel(row) && <Tag tone="halt">{ranAnywayLabel(row)}</Tag>}
          {decision?.rewritten && <VerdictBadge verdict="rewrite" />}
          {decision && !decision.rewritten && decision.verdict !== "none" && (
            <VerdictBadge verdict={decision.verdict} />
          )}
          {duration !== null && duration !== undefined && (
            <span class="quiet">{formatDuration(duration)}</span>
          )}
          <Chevron open={isOpen} />
        </span>
      </button>
      {decision?.reason && (
        <p class="call-reason">
          <InlineCode text={decision.reason} />
        </p>
      )}
      <InjectedContext texts={row.context} />
      {status === "failed" && !isOpen && (
        <p class="call-error mono cut">{oneLine(activity?.error ?? activity?.output ?? "", 200)}</p>
      )}
      {isOpen && <ToolCallDetails row={row} />}
    </div>
  );
}

/** A label if a blocked tool call ran anyway. */
function ranAnywayLabel({ activity, decision }: ToolCall): string | undefined {
  const isStrict = decision?.verdict === "deny" || decision?.verdict === "halt";
  if (!activity || !isStrict || !BLOCKING_EVENTS.includes(decision.kind)) return undefined;
  return outcomeLabel(decision.verdict, activity.success ? "ran" : "failed")[0];
}

/** Events at which a hook can still block the tool call. */
const BLOCKING_EVENTS = ["PreToolUse", "PermissionRequest"];

function ToolCallDetails({ row }: { row: ToolCall }) {
  const { activity, updated, decision } = row;
  const input = activity?.input;
  const full = useLoad(`input ${row.key}`, async () =>
    input === undefined || isShortened(input) ? loadFullInput(row.events) : undefined,
  );
  const fullInput = full.data ?? input;
  return (
    <div class="inside">
      {fullInput !== undefined && fullInput !== null && <ToolInput tool={row.tool} input={fullInput} />}
      {updated !== undefined && (
        <CodeBlock
          label={`Input as rewritten by ${decision?.hook ?? "a hook"}`}
          text={prettyJson(updated)}
          lang="json"
        />
      )}
      {activity?.error && <CodeBlock label="Error" text={activity.error} />}
      {activity?.output && <CodeBlock label="Output" text={activity.output} />}
      {activity && activity.output_chars > (activity.output?.length ?? 0) && (
        <p class="quiet">Only the beginning of {activity.output_chars} characters is stored.</p>
      )}
      {(activity?.files.length ?? 0) > 0 && <p class="quiet">Files: {activity?.files.join(", ")}</p>}
      <HookRunList hooks={row.hooks} all />
    </div>
  );
}

/** The hooks that ran, with verdict and duration. Hooks without a verdict are hidden unless `all` is set. */
function HookRunList({ hooks, all = false }: { hooks: HookRun[]; all?: boolean }) {
  const shown = all ? hooks : hooks.filter((run) => run.verdict !== "none" || run.error || run.output);
  if (shown.length === 0) return null;
  return (
    <ul class="hookruns" aria-label="Hooks">
      {shown.map((run, i) => (
        <li key={`${run.hook} ${i}`}>
          <span class="hook-name">{run.hook}</span> <VerdictBadge verdict={run.verdict} />
          {run.rule && <code>{run.rule}</code>}
          {run.ms !== null && <span class="quiet">{formatDuration(run.ms)}</span>}
          {run.detached && <Tag>in the background</Tag>}
          {run.error && <Tag tone="deny">{oneLine(run.error, 100)}</Tag>}
        </li>
      ))}
    </ul>
  );
}
