/** What hooks denied, asked about or rewrote, by which rule, and what came of it; and what other rules would have said. */
import { param, setParams } from "../../lib/router";
import { Page } from "../../parts/page";
import { Tabs } from "../../parts/tabs";
import { OpenAlarms } from "./alarms";
import { DecisionDrawer } from "./drawer";
import { DecisionFilters, History } from "./history";
import { Replay } from "./replay";

export function Decisions() {
  const view = param("view") === "replay" ? "replay" : "history";
  const id = param("id");
  return (
    <Page
      title="Decisions"
      lead="What your hooks denied, asked about or rewrote"
      tools={view === "history" && <DecisionFilters />}
    >
      <OpenAlarms />
      <Tabs
        label="Decisions"
        tabs={[
          ["history", "History"],
          ["replay", "What if?"],
        ]}
        at={view}
        onPick={(tab) => setParams({ view: tab === "history" ? undefined : tab, id: undefined })}
      >
        {view === "history" ? <History /> : <Replay />}
      </Tabs>
      {id && <DecisionDrawer key={id} id={id} />}
    </Page>
  );
}
