/** One hook: all that its file says of it, its switch, and a place to try it. */
import { closeDrawer, setParams } from "../../lib/router";
import { pretty } from "../../lib/text";
import { count, many, took } from "../../lib/time";
import { Tag } from "../../parts/badge";
import { Code } from "../../parts/code";
import { Drawer } from "../../parts/dialog";
import { Facts } from "../../parts/facts";
import { Source } from "../../parts/source";
import { action, type Entry, matcher } from "./group";
import { HookSwitch, TrustTag } from "./list";
import { Tryout } from "./tryout";

const close = () => closeDrawer("hook");

export function HookDrawer({
  entry,
  project,
  reload,
}: {
  entry: Entry;
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
          It does not run until you trust what its project wants to run.{" "}
          <button
            type="button"
            class="link"
            onClick={() => setParams({ view: "trust", hook: undefined, project })}
          >
            Look at it
          </button>
        </p>
      )}
      <Facts
        facts={[
          ["Runs on", events.map((event) => <Tag tone="accent">{event}</Tag>)],
          [
            "Only for",
            matcher(hook).length > 0 && matcher(hook).map((said) => <code class="block">{said}</code>),
          ],
          ["Does", action(hook) && <code>{action(hook)}</code>],
          ["Stands in", <Source file={hook.file} line={hook.line} whole />],
          ["Under", <code>{hook.key}</code>],
          ["Dialect", `${hook.dialect}, ${hook.level}`],
          ["Trust", <TrustTag hook={hook} />],
          ["Ran", `${many(hook.runs, "time")}${hook.failures ? `, ${count(hook.failures)} failed` : ""}`],
          [
            "Took",
            hook.p50_ms !== null &&
              `${took(hook.p50_ms)} (half of the runs), ${took(hook.p95_ms ?? 0)} (95 of 100)`,
          ],
        ]}
      />
      <Tryout entry={entry} project={project} />
      <Code label="As it is understood" text={pretty(hook.definition)} lang="json" />
    </Drawer>
  );
}
