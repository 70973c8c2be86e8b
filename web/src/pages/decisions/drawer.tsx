/** One decision: the tool call with the matched part, every hook that ran, and the outcome. */

import { useState } from "preact/hooks";
import { useLoad } from "../../api/load";
import { type DecisionDetail, type HookResult, type RuleMatch, setup } from "../../api/setup";
import { formatDateTime } from "../../lib/format";
import { asObject } from "../../lib/object";
import { outcomeLabel } from "../../lib/outcome";
import { parseReason } from "../../lib/reason";
import { closeDrawer, openDrawer } from "../../lib/router";
import { prettyJson, shortId } from "../../lib/text";
import { AgentBadge, Tag, type Tone, VerdictBadge } from "../../parts/badge";
import { CodeBlock, DiffBlock } from "../../parts/code";
import { DetailList } from "../../parts/detail-list";
import { Drawer } from "../../parts/dialog";
import { HighlightedText } from "../../parts/highlighted-text";
import { InlineCode } from "../../parts/inline-code";
import { ErrorMessage, Loading } from "../../parts/page-states";
import { toast } from "../../parts/toast";
import { ToolInput } from "../../parts/tool-input";
import { AllowDialog } from "./allow";

export function openDecision(id: string): void {
  openDrawer("id", id);
}

const close = () => closeDrawer("id");

export function DecisionDrawer({ id }: { id: string }) {
  const loaded = useLoad(`decision ${id}`, () => setup.decision(id));
  const [isAllowing, allow] = useState(false);
  const decision = loaded.data;
  const isGuardDecision = decision?.hooks.some(({ matched }) => matched.length > 0);
  const isStrict = decision && isStrictVerdict(decision.verdict);
  return (
    <>
      <Drawer
        title={decision ? <DecisionTitle decision={decision} /> : "Decision"}
        onClose={close}
        footer={
          isGuardDecision &&
          isStrict && (
            <button type="button" class="button" onClick={() => allow(true)}>
              Allow this in future…
            </button>
          )
        }
      >
        {loaded.error && (
          <ErrorMessage error={loaded.status === 404 ? "This decision is no longer stored." : loaded.error} />
        )}
        {loaded.loading && !decision && <Loading />}
        {decision && <DecisionDetails decision={decision} />}
      </Drawer>
      {isAllowing && decision && (
        <AllowDialog
          id={id}
          onClose={() => allow(false)}
          onDone={() => toast("Saved. The guard allows this from the next tool call on.")}
        />
      )}
    </>
  );
}

function DecisionTitle({ decision }: { decision: DecisionDetail }) {
  return (
    <span class="drawer-title">
      <AgentBadge id={decision.agent} />{" "}
      {(decision.verdict !== "none" || !decision.rewritten) && <VerdictBadge verdict={decision.verdict} />}
      {decision.rewritten && <VerdictBadge verdict="rewrite" />}
      <span>{decision.tool ?? decision.kind}</span>
    </span>
  );
}

function DecisionDetails({ decision }: { decision: DecisionDetail }) {
  const [outcomeText, tone] = outcomeLabel(decision.verdict, decision.outcome);
  const matched = decision.hooks.flatMap((hook) => hook.matched);
  const parsed = parseReason(decision.reason);
  return (
    <>
      <ToolCallInput decision={decision} matched={matched} />
      <RewrittenInput call={decision.call} />
      {matched.map((match, i) => (
        <RuleMatchNote key={`${match.rule} ${i}`} match={match} />
      ))}
      {matched.length === 0 && decision.reason && (
        <div class={`rule-match tone-${decision.verdict === "ask" ? "ask" : "deny"}`}>
          <p class="verbatim">
            <InlineCode text={parsed.text} />
          </p>
          {parsed.safer && (
            <p>
              <b>Instead:</b> <InlineCode text={parsed.safer} />
            </p>
          )}
        </div>
      )}
      <DetailList
        items={[
          ["Outcome", <Tag tone={tone}>{outcomeText}</Tag>],
          [
            decision.rewritten && !isStrictVerdict(decision.verdict) ? "Rewritten by" : "Decided by",
            decision.hook && <code>{decision.hook}</code>,
          ],
          ["Time", formatDateTime(decision.at)],
          ["Project", decision.project && <code>{decision.project}</code>],
          [
            "Session",
            decision.session && (
              <a
                href={`/sessions/${encodeURIComponent(decision.session)}?at=${encodeURIComponent(decision.event_id)}`}
              >
                <code>{shortId(decision.session)}</code>, at this event
              </a>
            ),
          ],
          ["Subagent", decision.subagent && <code>{decision.subagent}</code>],
        ]}
      />
      {hasContent(decision.lost) && (
        <CodeBlock label="Not supported by this agent" text={prettyJson(decision.lost)} lang="json" />
      )}
      <section>
        <h3>Hooks that ran</h3>
        {decision.hooks.length === 0 && <p class="quiet">No hook runs are recorded for this event.</p>}
        <ul class="hook-runs">
          {decision.hooks.map((run, i) => (
            <HookResultItem key={`${run.hook} ${i}`} run={run} />
          ))}
        </ul>
      </section>
    </>
  );
}

const isStrictVerdict = (verdict: string) => ["deny", "ask", "halt"].includes(verdict);

function hasContent(lost: unknown): boolean {
  return Array.isArray(lost) ? lost.length > 0 : Object.keys(asObject(lost)).length > 0;
}

/** The command with the matched parts highlighted; the input of other tools as `ToolInput` shows it. */
function ToolCallInput({ decision, matched }: { decision: DecisionDetail; matched: readonly RuleMatch[] }) {
  const { input, tool } = decision.call;
  const command = asObject(input).command;
  const spans = matched.flatMap(({ start, end }) => (start === null || end === null ? [] : [{ start, end }]));
  if (typeof command === "string" && spans.length > 0)
    return <HighlightedText text={command} spans={spans} />;
  const isShownBelow = decision.call.rewritten_to !== null && decision.call.rewritten_to !== undefined;
  if (input === null || input === undefined || isShownBelow) return null;
  return <ToolInput tool={tool} input={input} />;
}

/** The diff between the agent's input and the rewritten input. */
function RewrittenInput({ call }: { call: DecisionDetail["call"] }) {
  if (call.rewritten_to === null || call.rewritten_to === undefined) return null;
  const before = asObject(call.input).command;
  const after = asObject(call.rewritten_to).command;
  const isCommand = typeof before === "string" && typeof after === "string";
  return (
    <section>
      <h3>Rewritten input</h3>
      {isCommand ? (
        <DiffBlock before={before} after={after} />
      ) : (
        <DiffBlock before={prettyJson(call.input)} after={prettyJson(call.rewritten_to)} />
      )}
    </section>
  );
}

const SEVERITY_TONES: Record<string, Tone> = {
  notice: "none",
  doubtful: "ask",
  severe: "deny",
  catastrophic: "halt",
};

function RuleMatchNote({ match }: { match: RuleMatch }) {
  const tone = SEVERITY_TONES[match.severity] ?? "deny";
  return (
    <div class={`rule-match tone-${tone}`}>
      <p class="rule-match-head">
        <code>{match.rule}</code> <Tag tone={tone}>{match.severity}</Tag>
      </p>
      <p>
        {match.text && <code class="rule-match-text">{match.text}</code>}{" "}
        <InlineCode text={match.explanation} />
      </p>
      {match.safer && (
        <p>
          <b>Instead:</b> <InlineCode text={match.safer} />
        </p>
      )}
    </div>
  );
}

function HookResultItem({ run }: { run: HookResult }) {
  return (
    <li>
      <div class="hook-run">
        <b class="cut">{run.hook}</b>
        <VerdictBadge verdict={run.verdict} />
        {run.rule && <code class="cut">{run.rule}</code>}
        {run.detached && <Tag title="Becket did not wait for it">in the background</Tag>}
        {run.ending && run.ending !== "exit 0" && <Tag tone="ask">{run.ending}</Tag>}
        <span class="quiet">{run.ms === null ? "" : `${run.ms} ms`}</span>
      </div>
      {run.error && <p class="field-error">{run.error}</p>}
      {run.reason && run.matched.length === 0 && (
        <p class="verbatim quiet">
          <InlineCode text={run.reason} />
        </p>
      )}
      {run.output && <CodeBlock label="Output" text={run.output} lang="json" />}
    </li>
  );
}
