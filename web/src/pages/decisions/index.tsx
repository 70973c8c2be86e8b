/** The decisions page: blocked, asked and rewritten tool calls, and a replay with another guard preset. */
import { param, setParams } from "../../lib/router";
import { PageLayout } from "../../parts/page";
import { Tabs } from "../../parts/tabs";
import { DecisionAlarms } from "./alarms";
import { DecisionDrawer } from "./drawer";
import { DecisionFilters, DecisionHistory } from "./history";
import { ReplayForm } from "./replay";

export function DecisionsPage() {
  const view = param("view") === "replay" ? "replay" : "history";
  const id = param("id");
  return (
    <PageLayout
      title="Decisions"
      lead="Tool calls that your hooks blocked, asked about or rewrote"
      tools={view === "history" && <DecisionFilters />}
    >
      <DecisionAlarms />
      <Tabs
        label="Decisions"
        tabs={[
          ["history", "History"],
          ["replay", "Replay"],
        ]}
        selected={view}
        onPick={(tab) => setParams({ view: tab === "history" ? undefined : tab, id: undefined })}
      >
        {view === "history" ? <DecisionHistory /> : <ReplayForm />}
      </Tabs>
      {id && <DecisionDrawer key={id} id={id} />}
    </PageLayout>
  );
}
