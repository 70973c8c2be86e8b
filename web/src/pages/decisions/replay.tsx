/** What another preset would have decided on what is on record. Nothing is run but the guard. */
import { useState } from "preact/hooks";
import { useProjects } from "../../api/catalogue";
import { words } from "../../api/client";
import { type Preset, type ReplayReport, setup } from "../../api/setup";
import { param, setParams } from "../../lib/router";
import { took } from "../../lib/time";
import { Select } from "../../parts/form";
import { Empty, Failure, Loading } from "../../parts/state";
import { now } from "../../parts/time";
import { Report } from "./report";

const PRESETS = [
  ["permissive", "permissive: only what nobody wants is denied"],
  ["standard", "standard: denies what cannot be undone, asks about the doubtful"],
  ["strict", "strict: denies the doubtful, too"],
] as const;
const SINCE = [
  ["24h", "the last day"],
  ["7d", "the last week"],
  ["30d", "the last month"],
] as const;

/** A large record takes a while; how long it has taken says that it goes on. */
function Waiting() {
  const [began] = useState(Date.now);
  const seconds = Math.max(0, Math.round((now.value - began) / 1000));
  return (
    <>
      <Loading what="Asking the guard about the past" />
      <p class="quiet replay-wait">
        The guard is asked about every call on record{seconds > 1 && `, for ${took(seconds * 1000)} by now`}.
      </p>
    </>
  );
}

export function Replay() {
  const projects = useProjects();
  const [report, setReport] = useState<ReplayReport>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const preset = (param("preset") ?? "strict") as Preset;
  const since = param("since");
  const project = param("project");
  const run = async (submit: Event) => {
    submit.preventDefault();
    setBusy(true);
    setProblem(undefined);
    setReport(undefined);
    try {
      setReport(await setup.replay({ preset, ...(since ? { since } : {}), ...(project ? { project } : {}) }));
    } catch (error) {
      setProblem(words(error));
    }
    setBusy(false);
  };
  return (
    <div class="replay">
      <form class="replay-form" onSubmit={run}>
        <Select
          label="Guard"
          any={null}
          value={preset}
          options={PRESETS}
          onPick={(value) => setParams({ preset: value })}
        />
        <Select
          label="On"
          any="everything on record"
          value={since}
          options={SINCE}
          onPick={(value) => setParams({ since: value })}
        />
        <Select
          label="Project"
          value={project}
          options={projects}
          onPick={(value) => setParams({ project: value })}
        />
        <button type="submit" class="button primary" disabled={isBusy}>
          {isBusy ? "Running…" : "Run"}
        </button>
      </form>
      {problem && <Failure error={problem} />}
      {isBusy && <Waiting />}
      {report && <Report report={report} preset={preset} />}
      {!report && !isBusy && !problem && (
        <Empty title="Try rules on the past">
          Before you switch to a stricter preset: see what it would have denied of what your agents did, and
          how much of that was harmless. Nothing is run but the guard, and nothing is changed.
        </Empty>
      )}
    </div>
  );
}
