/** The answer of a replay: then and now, false alarms first. */
import type { ComponentChildren } from "preact";
import type { Case, Cases, Counts, ReplayReport } from "../../api/setup";
import { outcome } from "../../lib/outcome";
import { line } from "../../lib/text";
import { count, many } from "../../lib/time";
import { Agent, type Tone, Verdict } from "../../parts/badge";
import { Stack } from "../../parts/bars";
import { Panel } from "../../parts/page";
import { Table } from "../../parts/table";
import { Ago } from "../../parts/time";
import { openDecision } from "./drawer";

export function Report({ report, preset }: { report: ReplayReport; preset: string }) {
  const alarms = report.denied_that_ran.count + report.asked_that_ran.count;
  return (
    <div class="report" aria-live="polite">
      <Panel
        title={summary(report)}
        note={`${many(report.replayed, "call")} in ${many(report.sessions, "session")}`}
      >
        <Stack label="Then" parts={parts(report.then)} />
        <Stack label={`With ${preset}`} parts={parts(report.now)} />
        {!report.complete && (
          <p class="notice tone-ask">
            There was no time for everything: these are the earliest calls. Choose a shorter time.
          </p>
        )}
        {report.unreadable > 0 && (
          <p class="quiet">{many(report.unreadable, "record")} could not be read and do not count.</p>
        )}
        {report.not_run.length > 0 && (
          <p class="quiet">
            Not asked anew, because they do more than look:{" "}
            {report.not_run.map(({ hook, times }) => `${hook} (${count(times)}×)`).join(", ")}.
          </p>
        )}
      </Panel>
      <Panel
        title="Likely false alarms"
        note={alarms ? "It would be held up, though it ran well then" : undefined}
      >
        {alarms === 0 ? (
          <p class="quiet">Nothing that ran well would be held up.</p>
        ) : (
          <>
            <CaseList title="Would be denied" cases={report.denied_that_ran} />
            <CaseList title="Would be asked about" cases={report.asked_that_ran} />
          </>
        )}
      </Panel>
      {report.changes.length > 0 && (
        <Panel title="What would change">
          {report.changes.map((change) => (
            <CaseList
              key={`${change.then} ${change.now}`}
              title={
                <>
                  <Verdict is={change.then} /> → <Verdict is={change.now} />
                </>
              }
              cases={change}
            />
          ))}
        </Panel>
      )}
      {report.rules.length > 0 && (
        <Panel title="Rules that would decide">
          <Table
            label="Rules that would decide"
            rows={report.rules}
            id={(rule) => `${rule.hook} ${rule.rule} ${rule.verdict}`}
            columns={[
              ["Rule", (rule) => <code>{rule.rule ?? rule.hook}</code>],
              ["Says", (rule) => <Verdict is={rule.verdict} />],
              ["Times", (rule) => count(rule.times), "number"],
            ]}
          />
        </Panel>
      )}
    </div>
  );
}

function summary(report: ReplayReport): string {
  if (report.changed === 0) return "Nothing would have been decided otherwise";
  return `${many(report.changed, "call")} would have been decided otherwise`;
}

function parts(counts: Counts): [string, number, Tone][] {
  return [
    ["halted", counts.halt, "halt"],
    ["denied", counts.deny, "deny"],
    ["asked", counts.ask, "ask"],
    ["allowed", counts.allow, "allow"],
    ["left alone", counts.none, "none"],
  ];
}

function CaseList({ title, cases }: { title: ComponentChildren; cases: Cases }) {
  if (cases.count === 0) return null;
  const seen = cases.items.reduce((sum, one) => sum + one.times, 0);
  return (
    <section class="cases">
      <h3>
        {title} <span class="quiet">{count(cases.count)}×</span>
      </h3>
      <ul>
        {cases.items.map((one) => (
          <CaseRow key={one.event_id} one={one} />
        ))}
      </ul>
      {seen < cases.count && <p class="quiet">and {count(cases.count - seen)} more of the kind</p>}
    </section>
  );
}

function CaseRow({ one }: { one: Case }) {
  const isExplained = one.then !== "none";
  return (
    <li class="case">
      <Agent id={one.agent} mark />
      <span class="case-what">
        <span>
          <b>{one.tool}</b> <code>{line(one.subject, 160)}</code>
        </span>
        <span class="quiet">
          {one.rule && (
            <>
              <code>{one.rule}</code> ·{" "}
            </>
          )}
          {one.outcome && `${outcome(one.then, one.outcome)[0]} · `}
          <Ago at={one.at} />
          {one.times > 1 && ` · ${count(one.times)} times`}
        </span>
      </span>
      <span class="case-links">
        {isExplained && (
          <button type="button" class="link" onClick={() => openDecision(one.event_id)}>
            Explain
          </button>
        )}
        {one.session && (
          <a href={`/sessions/${encodeURIComponent(one.session)}?at=${encodeURIComponent(one.event_id)}`}>
            Session
          </a>
        )}
      </span>
    </li>
  );
}
