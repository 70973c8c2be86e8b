/** Agents and their connection, how the daemon is, what the doctor says, and the person's own settings. */
import { param, setParams } from "../../lib/router";
import { Page } from "../../parts/page";
import { Tabs } from "../../parts/tabs";
import { Agents } from "./agents";
import { Browser } from "./browser";
import { Health } from "./health";
import { Own } from "./own";

const TABS = [
  ["agents", "Agents"],
  ["health", "Daemon and doctor"],
  ["own", "Guard, records, secrets"],
  ["browser", "This browser"],
] as const;

export function Settings() {
  const given = param("view");
  const view = TABS.find(([tab]) => tab === given)?.[0] ?? "agents";
  return (
    <Page title="Settings" lead="Every change is shown before it is written">
      <Tabs
        label="Settings"
        tabs={TABS}
        at={view}
        onPick={(tab) => setParams({ view: tab === "agents" ? undefined : tab })}
      >
        {view === "agents" && <Agents />}
        {view === "health" && <Health />}
        {view === "own" && <Own />}
        {view === "browser" && <Browser />}
      </Tabs>
    </Page>
  );
}
