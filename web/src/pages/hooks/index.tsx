/** Every hook that is configured: where it stands, whether it may run, how it fares; tried and switched here. */
import { useProjects } from "../../api/catalogue";
import { useLoad } from "../../api/load";
import { setup } from "../../api/setup";
import { param, setParams } from "../../lib/router";
import { many } from "../../lib/time";
import { Filters, SearchBox, Select } from "../../parts/form";
import { Page } from "../../parts/page";
import { Command, Empty, Failure, Loading } from "../../parts/state";
import { Tabs } from "../../parts/tabs";
import { HookDrawer } from "./drawer";
import { fits, grouped } from "./group";
import { HookList } from "./list";
import { Problems } from "./problems";
import { Trust } from "./trust";

export function Hooks() {
  const project = param("project");
  const listed = useLoad(`hooks ${project}`, () => setup.hooks(project));
  const projects = useProjects();
  const given = param("view");
  const view = given === "problems" || given === "trust" ? given : "hooks";
  const problems = listed.data?.problems ?? [];
  const all = grouped(listed.data?.hooks ?? []);
  const waiting = all.filter(({ hook }) => hook.trust === "untrusted" || hook.trust === "changed").length;
  const open = all.find(({ id }) => id === param("hook"));
  return (
    <Page
      title="Hooks"
      lead={
        listed.data &&
        `${many(all.length, "hook")}${project ? "" : " of your own; choose a project for its hooks, too"}`
      }
      tools={
        <Filters label="Hooks">
          <Select
            label="Project"
            any="none"
            value={project}
            options={projects}
            onPick={(value) => setParams({ project: value, hook: undefined })}
          />
          {view === "hooks" && (
            <SearchBox
              label="Name, event, command, file"
              value={param("q")}
              onSearch={(q) => setParams({ q })}
            />
          )}
        </Filters>
      }
    >
      {listed.data?.mode === "disabled" && (
        <p class="notice tone-ask">All hooks rest: your configuration says so. Nothing below runs.</p>
      )}
      <Tabs
        label="Hooks"
        tabs={[
          ["hooks", "Hooks"],
          ["trust", waiting ? `Trust · ${waiting} waiting` : "Trust"],
          ["problems", problems.length ? `Problems · ${problems.length}` : "Problems"],
        ]}
        at={view}
        onPick={(tab) => setParams({ view: tab === "hooks" ? undefined : tab, hook: undefined })}
      >
        {listed.error && view !== "trust" && <Failure error={listed.error} retry={listed.reload} />}
        {!listed.data && !listed.error && <Loading />}
        {listed.data && view === "hooks" && <Shown all={all} reload={listed.reload} project={project} />}
        {listed.data && view === "problems" && <Problems problems={problems} />}
        {view === "trust" && <Trust project={project} onChange={listed.reload} />}
      </Tabs>
      {open && <HookDrawer key={open.id} entry={open} project={project} reload={listed.reload} />}
    </Page>
  );
}

function Shown({
  all,
  reload,
  project,
}: {
  all: ReturnType<typeof grouped>;
  reload: () => void;
  project: string | undefined;
}) {
  const words = param("q") ?? "";
  const shown = words ? all.filter((entry) => fits(entry, words)) : all;
  if (all.length === 0)
    return (
      <Empty title="No hook is configured" action={<Command>becket hooks enable security-guard</Command>}>
        Begin with the guard that comes with Becket, or write hooks of your own into <code>becket.toml</code>.
        Those of Claude Code, Codex, Gemini and others are read where they stand.
      </Empty>
    );
  if (shown.length === 0)
    return <Empty title="No hook has these words">Names, events, commands and files are searched.</Empty>;
  return <HookList entries={shown} project={project} reload={reload} />;
}
