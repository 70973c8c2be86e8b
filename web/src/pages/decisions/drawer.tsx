/** One decision explained: the call with what the rule met, every hook that ran, and what came of it. */

import { useState } from "preact/hooks";
import { useLoad } from "../../api/load";
import { type DecisionDetail, type HookSaid, type Matched, setup } from "../../api/setup";
import { bag } from "../../lib/bag";
import { outcome } from "../../lib/outcome";
import { readReason } from "../../lib/reason";
import { closeDrawer, openDrawer } from "../../lib/router";
import { pretty, shortId } from "../../lib/text";
import { absolute } from "../../lib/time";
import { Agent, Tag, type Tone, Verdict } from "../../parts/badge";
import { Code, Diff } from "../../parts/code";
import { Drawer } from "../../parts/dialog";
import { Facts } from "../../parts/facts";
import { Marked } from "../../parts/marked";
import { Failure, Loading } from "../../parts/state";
import { Ticks } from "../../parts/ticks";
import { toast } from "../../parts/toast";
import { ToolInput } from "../../parts/tool";
import { AllowDialog } from "./allow";

export function openDecision(id: string): void {
  openDrawer("id", id);
}

const close = () => closeDrawer("id");

export function DecisionDrawer({ id }: { id: string }) {
  const loaded = useLoad(`decision ${id}`, () => setup.decision(id));
  const [isAllowing, allow] = useState(false);
  const decision = loaded.data;
  const isGuards = decision?.hooks.some(({ matched }) => matched.length > 0);
  const isStrict = decision && isStrictly(decision.verdict);
  return (
    <>
      <Drawer
        title={decision ? <Title decision={decision} /> : "Decision"}
        onClose={close}
        foot={
          isGuards &&
          isStrict && (
            <button type="button" class="button" onClick={() => allow(true)}>
              Allow this in future…
            </button>
          )
        }
      >
        {loaded.error && (
          <Failure error={loaded.status === 404 ? "This decision is no longer on record." : loaded.error} />
        )}
        {loaded.loading && !decision && <Loading />}
        {decision && <Explained decision={decision} />}
      </Drawer>
      {isAllowing && decision && (
        <AllowDialog
          id={id}
          onClose={() => allow(false)}
          onDone={() => toast("Written. From the next call on, this passes.")}
        />
      )}
    </>
  );
}

function Title({ decision }: { decision: DecisionDetail }) {
  return (
    <span class="drawer-title">
      <Agent id={decision.agent} mark />{" "}
      {(decision.verdict !== "none" || !decision.rewritten) && <Verdict is={decision.verdict} />}
      {decision.rewritten && <Verdict is="rewrite" />}
      <span>{decision.tool ?? decision.kind}</span>
    </span>
  );
}

function Explained({ decision }: { decision: DecisionDetail }) {
  const [came, tone] = outcome(decision.verdict, decision.outcome);
  const matched = decision.hooks.flatMap((hook) => hook.matched);
  const said = readReason(decision.reason);
  return (
    <>
      <Call decision={decision} matched={matched} />
      <Rewritten call={decision.call} />
      {matched.map((match, i) => (
        <Match key={`${match.rule} ${i}`} match={match} />
      ))}
      {matched.length === 0 && decision.reason && (
        <div class={`met tone-${decision.verdict === "ask" ? "ask" : "deny"}`}>
          <p class="as-said">
            <Ticks text={said.text} />
          </p>
          {said.safer && (
            <p>
              <b>Instead:</b> <Ticks text={said.safer} />
            </p>
          )}
        </div>
      )}
      <Facts
        facts={[
          ["Outcome", <Tag tone={tone}>{came}</Tag>],
          [
            decision.rewritten && !isStrictly(decision.verdict) ? "Rewritten by" : "Decided by",
            decision.hook && <code>{decision.hook}</code>,
          ],
          ["When", absolute(decision.at)],
          ["Project", decision.project && <code>{decision.project}</code>],
          [
            "Session",
            decision.session && (
              <a
                href={`/sessions/${encodeURIComponent(decision.session)}?at=${encodeURIComponent(decision.event_id)}`}
              >
                <code>{shortId(decision.session)}</code>, at this place
              </a>
            ),
          ],
          ["Subagent", decision.subagent && <code>{decision.subagent}</code>],
        ]}
      />
      {isSomething(decision.lost) && (
        <Code label="What could not be said to this agent" text={pretty(decision.lost)} lang="json" />
      )}
      <section>
        <h3>Hooks that ran</h3>
        {decision.hooks.length === 0 && <p class="quiet">None is on record for this event.</p>}
        <ul class="hook-runs">
          {decision.hooks.map((run, i) => (
            <Run key={`${run.hook} ${i}`} run={run} />
          ))}
        </ul>
      </section>
    </>
  );
}

const isStrictly = (verdict: string) => ["deny", "ask", "halt"].includes(verdict);

function isSomething(lost: unknown): boolean {
  return Array.isArray(lost) ? lost.length > 0 : Object.keys(bag(lost)).length > 0;
}

/** The command with what the rules met in it; other calls as their tool shows them. */
function Call({ decision, matched }: { decision: DecisionDetail; matched: readonly Matched[] }) {
  const { input, tool } = decision.call;
  const command = bag(input).command;
  const spans = matched.flatMap(({ start, end }) => (start === null || end === null ? [] : [{ start, end }]));
  if (typeof command === "string" && spans.length > 0) return <Marked text={command} spans={spans} />;
  const isShownBelow = decision.call.rewritten_to !== null && decision.call.rewritten_to !== undefined;
  if (input === null || input === undefined || isShownBelow) return null;
  return <ToolInput tool={tool} input={input} />;
}

/** What hooks made of the input, as a difference. */
function Rewritten({ call }: { call: DecisionDetail["call"] }) {
  if (call.rewritten_to === null || call.rewritten_to === undefined) return null;
  const before = bag(call.input).command;
  const after = bag(call.rewritten_to).command;
  const isCommand = typeof before === "string" && typeof after === "string";
  return (
    <section>
      <h3>The tool was given this instead</h3>
      {isCommand ? (
        <Diff before={before} after={after} />
      ) : (
        <Diff before={pretty(call.input)} after={pretty(call.rewritten_to)} />
      )}
    </section>
  );
}

const SEVERITY: Record<string, Tone> = {
  notice: "none",
  doubtful: "ask",
  severe: "deny",
  catastrophic: "halt",
};

function Match({ match }: { match: Matched }) {
  const tone = SEVERITY[match.severity] ?? "deny";
  return (
    <div class={`met tone-${tone}`}>
      <p class="met-head">
        <code>{match.rule}</code> <Tag tone={tone}>{match.severity}</Tag>
      </p>
      <p>
        {match.text && <code class="met-text">{match.text}</code>} <Ticks text={match.explanation} />
      </p>
      {match.safer && (
        <p>
          <b>Instead:</b> <Ticks text={match.safer} />
        </p>
      )}
    </div>
  );
}

function Run({ run }: { run: HookSaid }) {
  return (
    <li>
      <div class="hook-run">
        <b class="cut">{run.hook}</b>
        <Verdict is={run.verdict} />
        {run.rule && <code class="cut">{run.rule}</code>}
        {run.detached && <Tag title="Nobody waited for it">in the background</Tag>}
        {run.ending && run.ending !== "exit 0" && <Tag tone="ask">{run.ending}</Tag>}
        <span class="quiet">{run.ms === null ? "" : `${run.ms} ms`}</span>
      </div>
      {run.error && <p class="field-error">{run.error}</p>}
      {run.reason && run.matched.length === 0 && (
        <p class="as-said quiet">
          <Ticks text={run.reason} />
        </p>
      )}
      {run.output && <Code label="What it said" text={run.output} lang="json" />}
    </li>
  );
}
