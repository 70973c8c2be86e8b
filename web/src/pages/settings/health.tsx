/** How the daemon is, and everything that the doctor looked at. */

import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useProjects } from "../../api/catalogue";
import { api, data } from "../../api/client";
import { useLoad } from "../../api/load";
import { type Finding, setup } from "../../api/setup";
import { param, setParams } from "../../lib/router";
import { size } from "../../lib/size";
import { count, many, took } from "../../lib/time";
import { Tag, type Tone } from "../../parts/badge";
import { Facts } from "../../parts/facts";
import { Select } from "../../parts/form";
import { Panel } from "../../parts/page";
import { Command, Failure, Loading } from "../../parts/state";
import { Moments } from "../../parts/time";

const EVERY_MS = 5000;

export function Health() {
  return (
    <div class="settings">
      <Daemon />
      <Doctor />
    </div>
  );
}

function Daemon() {
  const status = useLoad("status", () => data(api.GET("/api/v1/status")));
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && status.reload(), EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const is = status.data;
  return (
    <Panel title="Daemon" note={is && `version ${is.version}`}>
      {status.error && <Failure error={status.error} />}
      {!is && !status.error && <Loading />}
      {is && (
        <Facts
          facts={[
            ["Running for", took(is.uptime_seconds * 1000)],
            ["Process", String(is.pid)],
            ["Records kept", `${count(is.records)} since it started`],
            ["Latest event", `at place ${count(is.cursor)} of all`],
            ["Database", <Kept bytes={is.database_bytes} failed={is.failed_commits} />],
            ["Spool", <Waiting bytes={is.spool_bytes} failed={is.failed_drains} />],
          ]}
        />
      )}
    </Panel>
  );
}

/** A daemon of an older version does not say how large things are. */
type Stock = { bytes: number | undefined; failed: number };

const Kept = ({ bytes, failed }: Stock) => (
  <>
    {failed ? <Bad>{many(failed, "group")} could not be kept</Bad> : <Good />}
    {bytes !== undefined && ` ${size(bytes)}`}
  </>
);

const Waiting = ({ bytes, failed }: Stock) => (
  <>
    {failed ? <Bad>could not be emptied {many(failed, "time")}</Bad> : <Good />}
    {bytes !== undefined && (bytes ? ` ${size(bytes)} wait` : " empty")}
  </>
);

const Good = () => <Tag tone="allow">well</Tag>;
const Bad = ({ children }: { children: ComponentChildren }) => <Tag tone="deny">{children}</Tag>;

const RANK = { error: 0, warning: 1, ok: 2 } as const;
const TONES: Record<Finding["state"], [Tone, string]> = {
  ok: ["allow", "fine"],
  warning: ["ask", "look"],
  error: ["deny", "broken"],
};

function Doctor() {
  const project = param("project");
  const projects = useProjects();
  const doctor = useLoad(`doctor ${project ?? ""}`, () => setup.doctor(project));
  const findings = doctor.data?.findings.filter((finding) => project || !isOfProject(finding)) ?? [];
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
            Look again
          </button>
        </span>
      }
    >
      {doctor.error && <Failure error={doctor.error} retry={doctor.reload} />}
      {!doctor.data && !doctor.error && <Loading what="Looking" />}
      <ul class="findings">
        {findings.map((finding) => (
          <Found key={`${finding.check} ${finding.message}`} finding={finding} />
        ))}
      </ul>
    </Panel>
  );
}

/** Trust is asked for in a project: without one there is nothing to tell, unless the list itself is broken. */
function isOfProject({ check, state }: Finding): boolean {
  return check === "trust" && state !== "error";
}

function Found({ finding }: { finding: Finding }) {
  const [tone, word] = TONES[finding.state];
  return (
    <li class="finding">
      <Tag tone={tone}>{word}</Tag>
      <div>
        <b>{finding.check}</b> <Moments text={finding.message} />
        {finding.fix && (
          <p class="finding-fix">{isCommand(finding.fix) ? <Command>{finding.fix}</Command> : finding.fix}</p>
        )}
      </div>
    </li>
  );
}

/** What to do is a command of Becket's, or a sentence. */
function isCommand(fix: string): boolean {
  return /^becket [a-z]/.test(fix) && !/[.;,] /.test(fix);
}
