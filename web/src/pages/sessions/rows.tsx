/** The rows of a session's timeline. */
import { useState } from "preact/hooks";
import { useLoad } from "../../api/load";
import type { HookRun } from "../../api/types";
import { outcome } from "../../lib/outcome";
import { ofInput } from "../../lib/subject";
import { line, pretty, within } from "../../lib/text";
import { many, took } from "../../lib/time";
import { Tag, Verdict } from "../../parts/badge";
import { Code } from "../../parts/code";
import { Prose } from "../../parts/prose";
import { Ticks } from "../../parts/ticks";
import { Clock } from "../../parts/time";
import { ToolInput } from "../../parts/tool";
import { isShortened, wholeInput } from "./load";
import type { Call, TimelineRow } from "./timeline";

interface Shown<R> {
  row: R;
  project: string | null;
  isOpen: boolean;
  onToggle: () => void;
}

export function Row(shown: Shown<TimelineRow>) {
  const { row } = shown;
  switch (row.type) {
    case "prompt":
      return <Prompt row={row} />;
    case "plan":
      return <Plan {...shown} row={row} />;
    case "answer":
      return (
        <article class="said answer">
          <header>
            <span class="who">Answered</span>
            <Clock at={row.batch.ended_at ?? row.batch.last_at} />
          </header>
          {row.batch.response && <Prose text={row.batch.response} />}
          <HookRuns hooks={row.hooks} />
        </article>
      );
    case "subagent":
      return (
        <button
          type="button"
          class="call subagent-head"
          aria-expanded={shown.isOpen}
          onClick={shown.onToggle}
        >
          <Clock at={row.at} />
          <Chevron open={shown.isOpen} />
          <b>{row.name}</b>
          <span class="quiet">subagent · {many(row.calls, "call")}</span>
        </button>
      );
    case "note":
      return <Note row={row} />;
    default:
      return <CallRow {...shown} row={row} />;
  }
}

function Chevron({ open }: { open: boolean }) {
  return (
    <svg class={open ? "chevron open" : "chevron"} viewBox="0 0 10 10" aria-hidden="true">
      <path d="M3 1.5 7 5 3 8.5" />
    </svg>
  );
}

function Prompt({ row }: { row: Extract<TimelineRow, { type: "prompt" }> }) {
  const { batch, decision } = row;
  return (
    <article class="said prompt">
      <header>
        <span class="who">
          {batch.number}. {batch.source === "user" || batch.source === "plan" ? "Asked" : batch.source}
        </span>
        <Clock at={batch.started_at} />
        {decision && decision.verdict !== "none" && <Verdict is={decision.verdict} />}
      </header>
      <LongText text={batch.prompt ?? ""} />
      {decision?.reason && (
        <p class="reason">
          <Ticks text={decision.reason} />
        </p>
      )}
      <Context texts={row.context} />
      <HookRuns hooks={row.hooks} />
    </article>
  );
}

const MOST_PROMPT = 1200;

/** A prompt as it was typed; a very long one is cut. */
function LongText({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const isLong = text.length > MOST_PROMPT;
  return (
    <>
      <p class="typed">{isLong && !all ? `${text.slice(0, MOST_PROMPT)}…` : text}</p>
      {isLong && (
        <button type="button" class="link more" onClick={() => setAll(!all)}>
          {all ? "Show less" : "Show all"}
        </button>
      )}
    </>
  );
}

function Plan({ row, isOpen, onToggle }: Shown<Extract<TimelineRow, { type: "plan" }>>) {
  return (
    <article class="said plan">
      <button type="button" class="plan-head" aria-expanded={isOpen} onClick={onToggle}>
        <Chevron open={isOpen} />
        <span class="who">Plan</span>
        <span class="cut quiet">{isOpen ? (row.path ?? "") : line(row.text.replace(/[#*`]/g, ""), 140)}</span>
      </button>
      {isOpen && <Prose text={row.text} />}
    </article>
  );
}

function Note({ row }: { row: Extract<TimelineRow, { type: "note" }> }) {
  return (
    <div class={`note depth-${row.depth}`}>
      <p>
        <Clock at={row.at} /> <span class="note-kind">{row.kind}</span> {line(row.text, 200)}{" "}
        {row.decision && row.decision.verdict !== "none" && <Verdict is={row.decision.verdict} />}
      </p>
      <Context texts={row.context} />
      <HookRuns hooks={row.hooks} />
    </div>
  );
}

/** What hooks added to what the agent knows. */
function Context({ texts }: { texts: readonly string[] }) {
  const context = texts.join("\n");
  if (!context) return null;
  return (
    <details class="context">
      <summary>
        Context was added:{" "}
        <span class="quiet">
          <Ticks text={line(context, 100)} />
        </span>
      </summary>
      <Code text={context} />
    </details>
  );
}

const FATES = {
  ok: ["✓", "allow", "done"],
  failed: ["✕", "ask", "failed"],
  denied: ["✕", "deny", "denied"],
  asked: ["?", "ask", "asked"],
  open: ["▸", "none", "begun"],
} as const;

function CallRow({ row, project, isOpen, onToggle }: Shown<Call>) {
  const { activity, decision, fate } = row;
  const about = ofInput(activity?.input) || row.about;
  const [sign, tone, word] = FATES[fate];
  const isDenied = fate === "denied";
  const duration = activity?.duration_ms;
  return (
    <div class={`callbox depth-${row.depth} ${isDenied ? "denied" : ""} ${isOpen ? "open" : ""}`}>
      <button type="button" class="call" aria-expanded={isOpen} onClick={onToggle}>
        <Clock at={row.at} />
        <span class={`fate tone-${tone}`} title={word}>
          {sign}
          <span class="sr">{word}</span>
        </span>
        <b class="cut" title={row.tool}>
          {row.tool}
        </b>
        <span class="call-about mono cut">{within(about, project)}</span>
        <span class="call-marks">
          {allTheSame(row) && <Tag tone="halt">{allTheSame(row)}</Tag>}
          {decision?.rewritten && <Verdict is="rewrite" />}
          {decision && !decision.rewritten && decision.verdict !== "none" && (
            <Verdict is={decision.verdict} />
          )}
          {duration !== null && duration !== undefined && <span class="quiet">{took(duration)}</span>}
          <Chevron open={isOpen} />
        </span>
      </button>
      {decision?.reason && (
        <p class="call-reason">
          <Ticks text={decision.reason} />
        </p>
      )}
      <Context texts={row.context} />
      {fate === "failed" && !isOpen && (
        <p class="call-error mono cut">{line(activity?.error ?? activity?.output ?? "", 200)}</p>
      )}
      {isOpen && <Inside row={row} />}
    </div>
  );
}

/** That a call ran although it was denied before, if it did. */
function allTheSame({ activity, decision }: Call): string | undefined {
  const isStrict = decision?.verdict === "deny" || decision?.verdict === "halt";
  if (!activity || !isStrict || !BEFORE.includes(decision.kind)) return undefined;
  return outcome(decision.verdict, activity.success ? "ran" : "failed")[0];
}

/** Events at which a call can still be kept from running. */
const BEFORE = ["PreToolUse", "PermissionRequest"];

function Inside({ row }: { row: Call }) {
  const { activity, updated, decision } = row;
  const input = activity?.input;
  const full = useLoad(`input ${row.key}`, async () =>
    input === undefined || isShortened(input) ? wholeInput(row.events) : undefined,
  );
  const told = full.data ?? input;
  return (
    <div class="inside">
      {told !== undefined && told !== null && <ToolInput tool={row.tool} input={told} />}
      {updated !== undefined && (
        <Code label={`${decision?.hook ?? "A hook"} rewrote it to`} text={pretty(updated)} lang="json" />
      )}
      {activity?.error && <Code label="Error" text={activity.error} />}
      {activity?.output && <Code label="Output" text={activity.output} />}
      {activity && activity.output_chars > (activity.output?.length ?? 0) && (
        <p class="quiet">The record keeps the beginning of {activity.output_chars} characters.</p>
      )}
      {(activity?.files.length ?? 0) > 0 && <p class="quiet">Files: {activity?.files.join(", ")}</p>}
      <HookRuns hooks={row.hooks} all />
    </div>
  );
}

/** What hooks said, and how long it took them. Those that had nothing to say are counted, unless all are wanted. */
function HookRuns({ hooks, all = false }: { hooks: HookRun[]; all?: boolean }) {
  const shown = all ? hooks : hooks.filter((run) => run.verdict !== "none" || run.error || run.output);
  if (shown.length === 0) return null;
  return (
    <ul class="hookruns" aria-label="Hooks">
      {shown.map((run, i) => (
        <li key={`${run.hook} ${i}`}>
          <span class="hook-name">{run.hook}</span> <Verdict is={run.verdict} />
          {run.rule && <code>{run.rule}</code>}
          {run.ms !== null && <span class="quiet">{took(run.ms)}</span>}
          {run.detached && <Tag>nobody waited</Tag>}
          {run.error && <Tag tone="deny">{line(run.error, 100)}</Tag>}
        </li>
      ))}
    </ul>
  );
}
