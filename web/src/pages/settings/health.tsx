/** The daemon's status and the findings of `becket doctor`. */

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { api, unwrap } from "../../api/client";
import { useProjectOptions } from "../../api/filter-options";
import { useLoad } from "../../api/load";
import { type DoctorFinding, setup } from "../../api/setup";
import { formatBytes, formatCount, formatDuration, plural } from "../../lib/format";
import { param, setParams } from "../../lib/router";
import { Tag, type Tone } from "../../parts/badge";
import { DetailList } from "../../parts/detail-list";
import { Select } from "../../parts/form";
import { Panel } from "../../parts/page";
import { CopyableCommand, ErrorMessage, Loading } from "../../parts/page-states";
import { TextWithTimes } from "../../parts/time";

const POLL_MS = 5000;

export function HealthTab() {
  return (
    <div class="settings">
      <DaemonPanel />
      <DoctorPanel />
    </div>
  );
}

function DaemonPanel() {
  const status = useLoad("status", () => unwrap(api.GET("/api/v1/status")));
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && status.reload(), POLL_MS);
    return () => clearInterval(timer);
  }, []);
  const daemon = status.data;
  return (
    <Panel title="Daemon" note={daemon && `version ${daemon.version}`}>
      {status.error && <ErrorMessage error={status.error} />}
      {!daemon && !status.error && <Loading />}
      {daemon && (
        <DetailList
          items={[
            ["Uptime", formatDuration(daemon.uptime_seconds * 1000)],
            ["Process id", String(daemon.pid)],
            ["Records stored", `${formatCount(daemon.records)} since it started`],
            ["Last event", `number ${formatCount(daemon.cursor)}`],
            ["Database", <DatabaseStatus bytes={daemon.database_bytes} failed={daemon.failed_commits} />],
            ["Spool", <SpoolStatus bytes={daemon.spool_bytes} failed={daemon.failed_drains} />],
          ]}
        />
      )}
    </Panel>
  );
}

/** Older daemons do not report sizes. */
type StorageProps = { bytes: number | undefined; failed: number };

const DatabaseStatus = ({ bytes, failed }: StorageProps) => (
  <>
    {failed ? <ErrorTag>{plural(failed, "transaction")} could not be written</ErrorTag> : <OkTag />}
    {bytes !== undefined && ` ${formatBytes(bytes)}`}
  </>
);

const SpoolStatus = ({ bytes, failed }: StorageProps) => (
  <>
    {failed ? <ErrorTag>could not be drained {plural(failed, "time")}</ErrorTag> : <OkTag />}
    {bytes !== undefined && (bytes ? ` ${formatBytes(bytes)} waiting` : " empty")}
  </>
);

const OkTag = () => <Tag tone="allow">ok</Tag>;
const ErrorTag = ({ children }: { children: ComponentChildren }) => <Tag tone="deny">{children}</Tag>;

const RANK = { error: 0, warning: 1, ok: 2 } as const;
const STATE_LABELS: Record<DoctorFinding["state"], [Tone, string]> = {
  ok: ["allow", "ok"],
  warning: ["ask", "warning"],
  error: ["deny", "error"],
};

function DoctorPanel() {
  const project = param("project");
  const projects = useProjectOptions();
  const doctor = useLoad(`doctor ${project ?? ""}`, () => setup.doctor(project));
  const findings = doctor.data?.findings.filter((finding) => project || !isProjectCheck(finding)) ?? [];
  findings.sort((a, b) => RANK[a.state] - RANK[b.state]);
  return (
    <Panel
      title="Doctor"
      note={
        <span class="doctor-tools">
          <Select
            label="Project"
            any="none"
            value={project}
            options={projects}
            onPick={(value) => setParams({ project: value })}
          />
          <button type="button" class="link" onClick={doctor.reload}>
            Check again
          </button>
        </span>
      }
    >
      {doctor.error && <ErrorMessage error={doctor.error} retry={doctor.reload} />}
      {!doctor.data && !doctor.error && <Loading label="Running checks" />}
      <ul class="findings">
        {findings.map((finding) => (
          <FindingItem key={`${finding.check} ${finding.message}`} finding={finding} />
        ))}
      </ul>
    </Panel>
  );
}

/** Trust findings need a project; without one only errors of the trust list are shown. */
function isProjectCheck({ check, state }: DoctorFinding): boolean {
  return check === "trust" && state !== "error";
}

function FindingItem({ finding }: { finding: DoctorFinding }) {
  const [tone, word] = STATE_LABELS[finding.state];
  return (
    <li class="finding">
      <Tag tone={tone}>{word}</Tag>
      <div>
        <b>{finding.check}</b> <TextWithTimes text={finding.message} />
        {finding.fix && (
          <p class="finding-fix">
            {isCommand(finding.fix) ? <CopyableCommand>{finding.fix}</CopyableCommand> : finding.fix}
          </p>
        )}
      </div>
    </li>
  );
}

/** Whether a fix is a `becket` command or a sentence. */
function isCommand(fix: string): boolean {
  return /^becket [a-z]/.test(fix) && !/[.;,] /.test(fix);
}
