/** The settings page: agents, daemon and doctor, user settings, this browser. */
import { param, setParams } from "../../lib/router";
import { PageLayout } from "../../parts/page";
import { Tabs } from "../../parts/tabs";
import { AgentsTab } from "./agents";
import { BrowserTab } from "./browser";
import { HealthTab } from "./health";
import { UserSettingsTab } from "./user-settings";

const TABS = [
  ["agents", "Agents"],
  ["health", "Daemon and doctor"],
  ["own", "Guard, recording, secrets"],
  ["browser", "This browser"],
] as const;

export function SettingsPage() {
  const given = param("view");
  const view = TABS.find(([tab]) => tab === given)?.[0] ?? "agents";
  return (
    <PageLayout title="Settings" lead="Every change is shown as a diff before it is written">
      <Tabs
        label="Settings"
        tabs={TABS}
        selected={view}
        onPick={(tab) => setParams({ view: tab === "agents" ? undefined : tab })}
      >
        {view === "agents" && <AgentsTab />}
        {view === "health" && <HealthTab />}
        {view === "own" && <UserSettingsTab />}
        {view === "browser" && <BrowserTab />}
      </Tabs>
    </PageLayout>
  );
}
