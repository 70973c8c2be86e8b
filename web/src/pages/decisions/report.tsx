/** The result of a replay: verdicts then and now, likely false positives first. */
import type { ComponentChildren } from "preact";
import type { ReplayCase, ReplayCases, ReplayReport, VerdictCounts } from "../../api/setup";
import { formatCount, plural } from "../../lib/format";
import { outcomeLabel } from "../../lib/outcome";
import { oneLine } from "../../lib/text";
import { AgentBadge, type Tone, VerdictBadge } from "../../parts/badge";
import { StackedBar } from "../../parts/bars";
import { Panel } from "../../parts/page";
import { Table } from "../../parts/table";
import { TimeAgo } from "../../parts/time";
import { openDecision } from "./drawer";

export function ReplayResults({ report, preset }: { report: ReplayReport; preset: string }) {
  const falsePositives = report.denied_that_ran.count + report.asked_that_ran.count;
  return (
    <div class="report" aria-live="polite">
      <Panel
        title={summary(report)}
        note={`${plural(report.replayed, "tool call")} in ${plural(report.sessions, "session")}`}
      >
        <StackedBar label="Then" parts={countParts(report.then)} />
        <StackedBar label={`With ${preset}`} parts={countParts(report.now)} />
        {!report.complete && (
          <p class="notice tone-ask">
            The time limit was reached: this covers only the earliest tool calls. Choose a shorter period.
          </p>
        )}
        {report.unreadable > 0 && (
          <p class="quiet">Skipped {plural(report.unreadable, "unreadable record")}.</p>
        )}
        {report.not_run.length > 0 && (
          <p class="quiet">
            Not replayed, because these hooks run commands:{" "}
            {report.not_run.map(({ hook, times }) => `${hook} (${formatCount(times)}×)`).join(", ")}.
          </p>
        )}
      </Panel>
      <Panel
        title="Likely false positives"
        note={falsePositives ? "tool calls that succeeded and would be blocked or asked about" : undefined}
      >
        {falsePositives === 0 ? (
          <p class="quiet">No successful tool call would be blocked or asked about.</p>
        ) : (
          <>
            <CaseList title="Would be blocked" cases={report.denied_that_ran} />
            <CaseList title="Would be asked about" cases={report.asked_that_ran} />
          </>
        )}
      </Panel>
      {report.changes.length > 0 && (
        <Panel title="Changed verdicts">
          {report.changes.map((change) => (
            <CaseList
              key={`${change.then} ${change.now}`}
              title={
                <>
                  <VerdictBadge verdict={change.then} /> → <VerdictBadge verdict={change.now} />
                </>
              }
              cases={change}
            />
          ))}
        </Panel>
      )}
      {report.rules.length > 0 && (
        <Panel title="Rules that would apply">
          <Table
            label="Rules that would apply"
            rows={report.rules}
            id={(rule) => `${rule.hook} ${rule.rule} ${rule.verdict}`}
            columns={[
              ["Rule", (rule) => <code>{rule.rule ?? rule.hook}</code>],
              ["Verdict", (rule) => <VerdictBadge verdict={rule.verdict} />],
              ["Times", (rule) => formatCount(rule.times), "number"],
            ]}
          />
        </Panel>
      )}
    </div>
  );
}

function summary(report: ReplayReport): string {
  if (report.changed === 0) return "No verdict would change";
  return `The verdict of ${plural(report.changed, "tool call")} would change`;
}

function countParts(counts: VerdictCounts): [string, number, Tone][] {
  return [
    ["halted", counts.halt, "halt"],
    ["blocked", counts.deny, "deny"],
    ["asked", counts.ask, "ask"],
    ["allowed", counts.allow, "allow"],
    ["no verdict", counts.none, "none"],
  ];
}

function CaseList({ title, cases }: { title: ComponentChildren; cases: ReplayCases }) {
  if (cases.count === 0) return null;
  const listed = cases.items.reduce((sum, one) => sum + one.times, 0);
  return (
    <section class="cases">
      <h3>
        {title} <span class="quiet">{formatCount(cases.count)}×</span>
      </h3>
      <ul>
        {cases.items.map((one) => (
          <CaseRow key={one.event_id} item={one} />
        ))}
      </ul>
      {listed < cases.count && <p class="quiet">and {formatCount(cases.count - listed)} more</p>}
    </section>
  );
}

function CaseRow({ item }: { item: ReplayCase }) {
  const isExplained = item.then !== "none";
  return (
    <li class="case">
      <AgentBadge id={item.agent} compact />
      <span class="case-what">
        <span>
          <b>{item.tool}</b> <code>{oneLine(item.subject, 160)}</code>
        </span>
        <span class="quiet">
          {item.rule && (
            <>
              <code>{item.rule}</code> ·{" "}
            </>
          )}
          {item.outcome && `${outcomeLabel(item.then, item.outcome)[0]} · `}
          <TimeAgo at={item.at} />
          {item.times > 1 && ` · ${formatCount(item.times)} times`}
        </span>
      </span>
      <span class="case-links">
        {isExplained && (
          <button type="button" class="link" onClick={() => openDecision(item.event_id)}>
            Explain
          </button>
        )}
        {item.session && (
          <a href={`/sessions/${encodeURIComponent(item.session)}?at=${encodeURIComponent(item.event_id)}`}>
            Session
          </a>
        )}
      </span>
    </li>
  );
}
