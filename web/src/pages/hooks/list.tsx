/** The list of hooks; cards on small screens. */
import { type HookInfo, setup } from "../../api/setup";
import { formatCount, formatDuration } from "../../lib/format";
import { currentRoute, drawerClickHandler, param, withParams } from "../../lib/router";
import { Tag, type Tone } from "../../parts/badge";
import { Toggle } from "../../parts/form";
import { runWithToast } from "../../parts/run-with-toast";
import { SourceLocation } from "../../parts/source-location";
import { describeAction, describeMatcher, type HookEntry } from "./hook-entries";

export function HookList({
  entries,
  project,
  reload,
}: {
  entries: readonly HookEntry[];
  project: string | undefined;
  reload: () => void;
}) {
  return (
    <ul class="hooks" aria-label="Hooks, in order of execution">
      {entries.map((entry) => (
        <HookRow key={entry.id} entry={entry} project={project} reload={reload} />
      ))}
    </ul>
  );
}

function HookRow({
  entry,
  project,
  reload,
}: {
  entry: HookEntry;
  project: string | undefined;
  reload: () => void;
}) {
  const { hook, events } = entry;
  const href = withParams(currentRoute.value, { hook: entry.id });
  const isOpen = param("hook") === entry.id;
  return (
    <li class={`hook ${isOpen ? "open" : ""} ${hook.status === "disabled" ? "off" : ""}`}>
      <HookSwitch hook={hook} project={project} reload={reload} />
      <div class="hook-what">
        <a class="hook-title" href={href} onClick={drawerClickHandler("hook", entry.id)}>
          {hook.name}
        </a>
        {hook.description && <span class="quiet"> {hook.description}</span>}
        <div class="hook-run-line">
          <code class="cut">{describeAction(hook)}</code>
        </div>
      </div>
      <div class="hook-when">
        {events.map((event) => (
          <Tag key={event} tone="accent">
            {event}
          </Tag>
        ))}
        {describeMatcher(hook).map((part) => (
          <code key={part} class="hook-matcher">
            {part}
          </code>
        ))}
      </div>
      <div class="hook-where">
        <SourceLocation file={hook.file} line={hook.line} />
        <span class="hook-tags">
          <Tag>{hook.dialect}</Tag>
          <Tag>{hook.level}</Tag>
          <TrustTag hook={hook} />
        </span>
      </div>
      <HookStats hook={hook} />
    </li>
  );
}

const TRUST_LABELS: Record<HookInfo["trust"], [words: string, tone: Tone]> = {
  own: ["yours", "allow"],
  trusted: ["trusted", "allow"],
  untrusted: ["not trusted", "deny"],
  changed: ["changed since trusted", "ask"],
};

export function TrustTag({ hook }: { hook: HookInfo }) {
  const [words, tone] = TRUST_LABELS[hook.trust] ?? [hook.trust, "none"];
  return <Tag tone={tone}>{words}</Tag>;
}

/** Number of runs, failures and latency. */
function HookStats({ hook }: { hook: HookInfo }) {
  if (hook.runs === 0) return <div class="hook-stats quiet">no runs yet</div>;
  return (
    <div class="hook-stats">
      <span>
        {formatCount(hook.runs)}
        <small>runs</small>
      </span>
      <span class={hook.failures > 0 ? "tone-deny bad" : ""}>
        {formatCount(hook.failures)}
        <small>errors</small>
      </span>
      <span>
        {hook.p50_ms === null ? "–" : formatDuration(hook.p50_ms)}
        <small>p50</small>
      </span>
      <span>
        {hook.p95_ms === null ? "–" : formatDuration(hook.p95_ms)}
        <small>p95</small>
      </span>
    </div>
  );
}

/** Identifies the hook by file and line, because names may repeat. */
export function hookRef(hook: HookInfo, project: string | undefined) {
  return { name: `${hook.file}:${hook.line}`, ...(project ? { project } : {}) };
}

export function HookSwitch({
  hook,
  project,
  reload,
  label = false,
}: {
  hook: HookInfo;
  project: string | undefined;
  reload: () => void;
  label?: boolean;
}) {
  const isOn = hook.status !== "disabled";
  const change = async (on: boolean) => {
    await runWithToast(
      () => setup.switchHook(hookRef(hook, project), on),
      ({ name, notes }) => [`${name} is ${on ? "enabled" : "disabled"}.`, ...notes].join(" "),
    );
    reload();
  };
  const why = hook.component
    ? "This hook belongs to a component of an agent, such as a plugin; the agent runs it"
    : undefined;
  return (
    <span class="hook-switch" title={why}>
      <Toggle
        label={label ? (isOn ? "Enabled" : "Disabled") : `Run ${hook.name}`}
        on={isOn}
        disabled={hook.component}
        hideLabel={!label}
        onChange={change}
      />
    </span>
  );
}
