/** Hooks in rows; in cards where there is little room. */
import { type Hook, setup } from "../../api/setup";
import { opensDrawer, param, place, withParams } from "../../lib/router";
import { count, took } from "../../lib/time";
import { Tag, type Tone } from "../../parts/badge";
import { tried } from "../../parts/do";
import { Toggle } from "../../parts/form";
import { Source } from "../../parts/source";
import { action, type Entry, matcher } from "./group";

export function HookList({
  entries,
  project,
  reload,
}: {
  entries: readonly Entry[];
  project: string | undefined;
  reload: () => void;
}) {
  return (
    <ul class="hooks" aria-label="Hooks, in running order">
      {entries.map((entry) => (
        <Row key={entry.id} entry={entry} project={project} reload={reload} />
      ))}
    </ul>
  );
}

function Row({ entry, project, reload }: { entry: Entry; project: string | undefined; reload: () => void }) {
  const { hook, events } = entry;
  const href = withParams(place.value, { hook: entry.id });
  const isOpen = param("hook") === entry.id;
  return (
    <li class={`hook ${isOpen ? "open" : ""} ${hook.status === "disabled" ? "off" : ""}`}>
      <HookSwitch hook={hook} project={project} reload={reload} />
      <div class="hook-what">
        <a class="hook-title" href={href} onClick={opensDrawer("hook", entry.id)}>
          {hook.name}
        </a>
        {hook.description && <span class="quiet"> {hook.description}</span>}
        <div class="hook-run-line">
          <code class="cut">{action(hook)}</code>
        </div>
      </div>
      <div class="hook-when">
        {events.map((event) => (
          <Tag key={event} tone="accent">
            {event}
          </Tag>
        ))}
        {matcher(hook).map((said) => (
          <code key={said} class="hook-matcher">
            {said}
          </code>
        ))}
      </div>
      <div class="hook-where">
        <Source file={hook.file} line={hook.line} />
        <span class="hook-tags">
          <Tag>{hook.dialect}</Tag>
          <Tag>{hook.level}</Tag>
          <TrustTag hook={hook} />
        </span>
      </div>
      <Fares hook={hook} />
    </li>
  );
}

const TRUST: Record<Hook["trust"], [words: string, tone: Tone]> = {
  own: ["yours", "allow"],
  trusted: ["trusted", "allow"],
  untrusted: ["not trusted", "deny"],
  changed: ["changed since trusted", "ask"],
};

export function TrustTag({ hook }: { hook: Hook }) {
  const [words, tone] = TRUST[hook.trust] ?? [hook.trust, "none"];
  return <Tag tone={tone}>{words}</Tag>;
}

/** How often it ran, how it went and how long it took. */
function Fares({ hook }: { hook: Hook }) {
  if (hook.runs === 0) return <div class="hook-fares quiet">has not run</div>;
  return (
    <div class="hook-fares">
      <span>
        {count(hook.runs)}
        <small>runs</small>
      </span>
      <span class={hook.failures > 0 ? "tone-deny bad" : ""}>
        {count(hook.failures)}
        <small>failed</small>
      </span>
      <span>
        {hook.p50_ms === null ? "–" : took(hook.p50_ms)}
        <small>p50</small>
      </span>
      <span>
        {hook.p95_ms === null ? "–" : took(hook.p95_ms)}
        <small>p95</small>
      </span>
    </div>
  );
}

/** Its name, as the daemon finds it again where several have it. */
export function nameOf(hook: Hook, project: string | undefined) {
  return { name: `${hook.file}:${hook.line}`, ...(project ? { project } : {}) };
}

export function HookSwitch({
  hook,
  project,
  reload,
  label = false,
}: {
  hook: Hook;
  project: string | undefined;
  reload: () => void;
  label?: boolean;
}) {
  const isOn = hook.status !== "disabled";
  const change = async (on: boolean) => {
    await tried(
      () => setup.switchHook(nameOf(hook, project), on),
      ({ name, notes }) => [`${name} is ${on ? "on" : "off"}.`, ...notes].join(" "),
    );
    reload();
  };
  const why = hook.component ? "It belongs to a part of an agent, which runs it" : undefined;
  return (
    <span class="hook-switch" title={why}>
      <Toggle
        label={label ? (isOn ? "Switched on" : "Switched off") : `Run ${hook.name}`}
        on={isOn}
        disabled={hook.component}
        hideLabel={!label}
        onChange={change}
      />
    </span>
  );
}
