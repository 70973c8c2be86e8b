/** One hook: its definition, its switch, and a test form. */

import { formatCount, formatDuration, plural } from "../../lib/format";
import { closeDrawer, setParams } from "../../lib/router";
import { prettyJson } from "../../lib/text";
import { Tag } from "../../parts/badge";
import { CodeBlock } from "../../parts/code";
import { DetailList } from "../../parts/detail-list";
import { Drawer } from "../../parts/dialog";
import { SourceLocation } from "../../parts/source-location";
import { describeAction, describeMatcher, type HookEntry } from "./hook-entries";
import { HookTest } from "./hook-test";
import { HookSwitch, TrustTag } from "./list";

const close = () => closeDrawer("hook");

export function HookDrawer({
  entry,
  project,
  reload,
}: {
  entry: HookEntry;
  project: string | undefined;
  reload: () => void;
}) {
  const { hook, events } = entry;
  return (
    <Drawer title={hook.name} onClose={close}>
      {hook.description && <p>{hook.description}</p>}
      <HookSwitch hook={hook} project={project} reload={reload} label />
      {(hook.trust === "untrusted" || hook.trust === "changed") && (
        <p class="notice tone-ask">
          This hook does not run until you trust the hooks of its project.{" "}
          <button
            type="button"
            class="link"
            onClick={() => setParams({ view: "trust", hook: undefined, project })}
          >
            Review
          </button>
        </p>
      )}
      <DetailList
        items={[
          ["Events", events.map((event) => <Tag tone="accent">{event}</Tag>)],
          [
            "Matches",
            describeMatcher(hook).length > 0 &&
              describeMatcher(hook).map((part) => <code class="block">{part}</code>),
          ],
          ["Action", describeAction(hook) && <code>{describeAction(hook)}</code>],
          ["File", <SourceLocation file={hook.file} line={hook.line} full />],
          ["Key", <code>{hook.key}</code>],
          ["Dialect", `${hook.dialect}, ${hook.level}`],
          ["Trust", <TrustTag hook={hook} />],
          [
            "Runs",
            `${formatCount(hook.runs)}${hook.failures ? `, ${plural(hook.failures, "hook error")}` : ""}`,
          ],
          [
            "Duration",
            hook.p50_ms !== null &&
              `p50 ${formatDuration(hook.p50_ms)}, p95 ${formatDuration(hook.p95_ms ?? 0)}`,
          ],
        ]}
      />
      <HookTest entry={entry} project={project} />
      <CodeBlock label="Parsed definition" text={prettyJson(hook.definition)} lang="json" />
    </Drawer>
  );
}
