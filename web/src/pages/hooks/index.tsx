/** The hooks page: configured hooks with trust state and statistics, project trust, and config problems. */
import { useProjectOptions } from "../../api/filter-options";
import { useLoad } from "../../api/load";
import { setup } from "../../api/setup";
import { plural } from "../../lib/format";
import { param, setParams } from "../../lib/router";
import { Filters, SearchBox, Select } from "../../parts/form";
import { PageLayout } from "../../parts/page";
import { CopyableCommand, EmptyState, ErrorMessage, Loading } from "../../parts/page-states";
import { Tabs } from "../../parts/tabs";
import { HookDrawer } from "./drawer";
import { groupByEntry, matchesSearch } from "./hook-entries";
import { HookList } from "./list";
import { ConfigProblems } from "./problems";
import { TrustTab } from "./trust";

export function HooksPage() {
  const project = param("project");
  const listed = useLoad(`hooks ${project}`, () => setup.hooks(project));
  const projects = useProjectOptions();
  const given = param("view");
  const view = given === "problems" || given === "trust" ? given : "hooks";
  const problems = listed.data?.problems ?? [];
  const all = groupByEntry(listed.data?.hooks ?? []);
  const waiting = all.filter(({ hook }) => hook.trust === "untrusted" || hook.trust === "changed").length;
  const open = all.find(({ id }) => id === param("hook"));
  return (
    <PageLayout
      title="Hooks"
      lead={
        listed.data &&
        `${plural(all.length, "hook")}${project ? "" : " in your own config; choose a project to see its hooks too"}`
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
              label="Search name, event, command, file"
              value={param("q")}
              onSearch={(q) => setParams({ q })}
            />
          )}
        </Filters>
      }
    >
      {listed.data?.mode === "disabled" && (
        <p class="notice tone-ask">Your configuration disables all hooks. None of the hooks below runs.</p>
      )}
      <Tabs
        label="Hooks"
        tabs={[
          ["hooks", "Hooks"],
          ["trust", waiting ? `Trust · ${waiting} untrusted` : "Trust"],
          ["problems", problems.length ? `Problems · ${problems.length}` : "Problems"],
        ]}
        selected={view}
        onPick={(tab) => setParams({ view: tab === "hooks" ? undefined : tab, hook: undefined })}
      >
        {listed.error && view !== "trust" && <ErrorMessage error={listed.error} retry={listed.reload} />}
        {!listed.data && !listed.error && <Loading />}
        {listed.data && view === "hooks" && (
          <FilteredHooks all={all} reload={listed.reload} project={project} />
        )}
        {listed.data && view === "problems" && <ConfigProblems problems={problems} />}
        {view === "trust" && <TrustTab project={project} onChange={listed.reload} />}
      </Tabs>
      {open && <HookDrawer key={open.id} entry={open} project={project} reload={listed.reload} />}
    </PageLayout>
  );
}

function FilteredHooks({
  all,
  reload,
  project,
}: {
  all: ReturnType<typeof groupByEntry>;
  reload: () => void;
  project: string | undefined;
}) {
  const words = param("q") ?? "";
  const shown = words ? all.filter((entry) => matchesSearch(entry, words)) : all;
  if (all.length === 0)
    return (
      <EmptyState
        title="No hooks configured"
        action={<CopyableCommand>becket hooks enable security-guard</CopyableCommand>}
      >
        Start with the built-in guard, or add your own hooks to <code>becket.toml</code>. Becket also reads
        the hooks of Claude Code, Codex, Gemini CLI and others from their own files.
      </EmptyState>
    );
  if (shown.length === 0)
    return (
      <EmptyState title="No matching hooks">The search covers names, events, commands and files.</EmptyState>
    );
  return <HookList entries={shown} project={project} reload={reload} />;
}
