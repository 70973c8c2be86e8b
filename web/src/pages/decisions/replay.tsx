/** Replays recorded tool calls with another guard preset. Only the guard runs. */
import { useState } from "preact/hooks";
import { errorMessage } from "../../api/client";
import { useProjectOptions } from "../../api/filter-options";
import { type GuardPreset, type ReplayReport, setup } from "../../api/setup";
import { formatDuration } from "../../lib/format";
import { param, setParams } from "../../lib/router";
import { Select } from "../../parts/form";
import { EmptyState, ErrorMessage, Loading } from "../../parts/page-states";
import { now } from "../../parts/time";
import { ReplayResults } from "./report";

const PRESET_OPTIONS = [
  ["permissive", "permissive: blocks catastrophic, asks about severe commands"],
  ["standard", "standard: blocks severe, asks about doubtful commands"],
  ["strict", "strict: blocks doubtful commands too"],
] as const;
const SINCE_OPTIONS = [
  ["24h", "last day"],
  ["7d", "last week"],
  ["30d", "last month"],
] as const;

/** The elapsed time of a replay, because a large history takes a while. */
function ReplayProgress() {
  const [began] = useState(Date.now);
  const seconds = Math.max(0, Math.round((now.value - began) / 1000));
  return (
    <>
      <Loading label="Replaying tool calls" />
      <p class="quiet replay-wait">
        The guard checks every recorded tool call
        {seconds > 1 && `, running for ${formatDuration(seconds * 1000)}`}.
      </p>
    </>
  );
}

export function ReplayForm() {
  const projects = useProjectOptions();
  const [report, setReport] = useState<ReplayReport>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const preset = (param("preset") ?? "strict") as GuardPreset;
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
      setProblem(errorMessage(error));
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
          options={PRESET_OPTIONS}
          onPick={(value) => setParams({ preset: value })}
        />
        <Select
          label="Period"
          any="all recorded"
          value={since}
          options={SINCE_OPTIONS}
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
      {problem && <ErrorMessage error={problem} />}
      {isBusy && <ReplayProgress />}
      {report && <ReplayResults report={report} preset={preset} />}
      {!report && !isBusy && !problem && (
        <EmptyState title="Replay your history with another preset">
          See what a stricter preset would have blocked, and how much of that was harmless, before you enable
          it. Only the guard runs, and nothing is changed.
        </EmptyState>
      )}
    </div>
  );
}
