/** The memory page: memories, quarantine, learning and the code index. */
import { useState } from "preact/hooks";
import { api, unwrap } from "../../api/client";
import { useProjectOptions } from "../../api/filter-options";
import { learning } from "../../api/learning";
import { useLoad, usePolling } from "../../api/load";
import { param, setParams } from "../../lib/router";
import { Filters, SearchBox, Select } from "../../parts/form";
import { PageLayout } from "../../parts/page";
import { Tabs } from "../../parts/tabs";
import { AddMemoryDialog } from "./add";
import { CodeIndex } from "./code-index";
import { MemoryDrawer } from "./drawer";
import { STATUSES, TYPES } from "./labels";
import { LearningPanel } from "./learning";
import { MemoryList } from "./list";
import { QuarantineList } from "./quarantine";
import { SearchResults } from "./results";

const KIND_OPTIONS = [
  ["memory", "memories"],
  ["code", "code"],
  ["session", "sessions"],
  ["plan", "plans"],
] as const;

const VIEWS: readonly string[] = ["memories", "aside", "learning", "index"];

export function MemoryPage() {
  const q = param("q");
  const given = param("view");
  const view = given && VIEWS.includes(given) ? given : "memories";
  const [reloads, setReloads] = useState(0);
  const [isAdding, add] = useState(false);
  const reload = () => setReloads((n) => n + 1);
  const quarantined = useLoad(`quarantined ${reloads}`, () =>
    unwrap(api.GET("/api/v1/memories", { params: { query: { status: "quarantined", limit: 200 } } })),
  );
  const learningStatus = useLoad("learning", learning.status);
  usePolling(() => view === "learning" && learningStatus.reload(), "always");
  const waiting = quarantined.data?.items.length ?? 0;
  const id = param("id");
  return (
    <PageLayout
      title="Memory"
      lead={
        <>
          What agents and people learned, with its source.{" "}
          <button type="button" class="link" onClick={() => add(true)}>
            Add a memory
          </button>
        </>
      }
      tools={<MemoryFilters view={view} />}
    >
      {q ? (
        <SearchResults q={q} />
      ) : (
        <Tabs
          label="Memory"
          tabs={[
            ["memories", "Memories"],
            ["aside", waiting ? `Quarantine · ${waiting}` : "Quarantine"],
            ["learning", "Learning"],
            ["index", "Code index"],
          ]}
          selected={view}
          onPick={(tab) => setParams({ view: tab === "memories" ? undefined : tab, id: undefined })}
        >
          {view === "memories" && <MemoryList reloads={reloads} onAdd={() => add(true)} />}
          {view === "aside" && <QuarantineList loaded={quarantined} onChange={reload} />}
          {view === "learning" && <LearningPanel loaded={learningStatus} />}
          {view === "index" && <CodeIndex />}
        </Tabs>
      )}
      {id && <MemoryDrawer key={id} id={id} onChange={reload} />}
      {isAdding && <AddMemoryDialog onClose={() => add(false)} onDone={reload} />}
    </PageLayout>
  );
}

function MemoryFilters({ view }: { view: string }) {
  const projects = useProjectOptions();
  const q = param("q");
  const pick = (name: string) => (value: string | undefined) => setParams({ [name]: value });
  const isList = !q && view === "memories";
  return (
    <Filters label="Memories">
      <SearchBox
        label="Search memories, code, sessions"
        value={q}
        // Memories and code belong to a project. Without a choice, search the most recent one.
        onSearch={(text) => setParams({ q: text, project: param("project") ?? projects[0]?.[0] })}
      />
      <Select label="Project" value={param("project")} options={projects} onPick={pick("project")} />
      {(isList || q) && <Select label="Type" value={param("type")} options={TYPES} onPick={pick("type")} />}
      {q && (
        <Select label="Kind" value={param("kind")} options={KIND_OPTIONS} any="all" onPick={pick("kind")} />
      )}
      {isList && (
        <>
          <Select
            label="Status"
            value={param("status")}
            options={[...STATUSES, ["all", "any"]]}
            any="active"
            onPick={pick("status")}
          />
          <Select
            label="Pinned"
            value={param("pinned")}
            options={[["yes", "pinned only"]]}
            onPick={pick("pinned")}
          />
        </>
      )}
    </Filters>
  );
}
