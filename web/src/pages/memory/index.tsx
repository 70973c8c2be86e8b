/** What agents and people learnt here: searched, looked after, forgotten; and how learning and the index are. */
import { useState } from "preact/hooks";
import { useProjects } from "../../api/catalogue";
import { api, data } from "../../api/client";
import { learning } from "../../api/learning";
import { useFresh, useLoad } from "../../api/load";
import { param, setParams } from "../../lib/router";
import { Filters, SearchBox, Select } from "../../parts/form";
import { Page } from "../../parts/page";
import { Tabs } from "../../parts/tabs";
import { AddMemory } from "./add";
import { MemoryDrawer } from "./drawer";
import { Index } from "./indexing";
import { LearningPanel } from "./learning";
import { Memories } from "./list";
import { SetAside } from "./quarantine";
import { Results } from "./results";
import { STATUSES, TYPES } from "./words";

const KINDS = [
  ["memory", "memories"],
  ["code", "code"],
  ["session", "sessions"],
  ["plan", "plans"],
] as const;

const VIEWS: readonly string[] = ["memories", "aside", "learning", "index"];

export function Memory() {
  const q = param("q");
  const given = param("view");
  const view = given && VIEWS.includes(given) ? given : "memories";
  const [turn, setTurn] = useState(0);
  const [isAdding, add] = useState(false);
  const reload = () => setTurn((n) => n + 1);
  const aside = useLoad(`set aside ${turn}`, () =>
    data(api.GET("/api/v1/memories", { params: { query: { status: "quarantined", limit: 200 } } })),
  );
  const learns = useLoad("learning", learning.status);
  useFresh(() => view === "learning" && learns.reload(), "always");
  const waiting = aside.data?.items.length ?? 0;
  const id = param("id");
  return (
    <Page
      title="Memory"
      lead={
        <>
          What was learnt, and who said so.{" "}
          <button type="button" class="link" onClick={() => add(true)}>
            Add a memory
          </button>
        </>
      }
      tools={<Tools view={view} />}
    >
      {q ? (
        <Results q={q} />
      ) : (
        <Tabs
          label="Memory"
          tabs={[
            ["memories", "Memories"],
            ["aside", waiting ? `Set aside · ${waiting}` : "Set aside"],
            ["learning", "Learning"],
            ["index", "Code index"],
          ]}
          at={view}
          onPick={(tab) => setParams({ view: tab === "memories" ? undefined : tab, id: undefined })}
        >
          {view === "memories" && <Memories turn={turn} onAdd={() => add(true)} />}
          {view === "aside" && <SetAside loaded={aside} onChange={reload} />}
          {view === "learning" && <LearningPanel loaded={learns} />}
          {view === "index" && <Index />}
        </Tabs>
      )}
      {id && <MemoryDrawer key={id} id={id} onChange={reload} />}
      {isAdding && <AddMemory onClose={() => add(false)} onDone={reload} />}
    </Page>
  );
}

function Tools({ view }: { view: string }) {
  const projects = useProjects();
  const q = param("q");
  const pick = (name: string) => (value: string | undefined) => setParams({ [name]: value });
  const isList = !q && view === "memories";
  return (
    <Filters label="Memories">
      <SearchBox
        label="Search memories, code, sessions"
        value={q}
        // Memories and code are a project's; unless one was chosen, it is the latest.
        onSearch={(text) => setParams({ q: text, project: param("project") ?? projects[0]?.[0] })}
      />
      <Select label="Project" value={param("project")} options={projects} onPick={pick("project")} />
      {(isList || q) && <Select label="Type" value={param("type")} options={TYPES} onPick={pick("type")} />}
      {q && (
        <Select label="Only" value={param("kind")} options={KINDS} any="everything" onPick={pick("kind")} />
      )}
      {isList && (
        <>
          <Select
            label="Status"
            value={param("status")}
            options={[...STATUSES, ["all", "any"]]}
            any="holds"
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
