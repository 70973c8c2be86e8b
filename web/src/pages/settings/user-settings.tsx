/** The user's settings. Every change is validated and shown as a diff before it is written. */
import { useState } from "preact/hooks";
import { useLoad } from "../../api/load";
import { type SettingsChange, setup, type UserSettings } from "../../api/setup";
import { ErrorMessage, Loading } from "../../parts/page-states";
import { PlanDialog } from "../../parts/plan-dialog";
import { SourceLocation } from "../../parts/source-location";
import { toast } from "../../parts/toast";
import { GuardPanel } from "./guard";
import { RecordsPanel } from "./records";
import { RedactionPanel } from "./redaction";

/** Proposes a change: it is shown as a diff and written after confirmation. */
export type ProposeChange = (change: SettingsChange) => void;

export function UserSettingsTab() {
  const settings = useLoad("settings", setup.settings);
  const [change, propose] = useState<SettingsChange>();
  if (settings.error) return <ErrorMessage error={settings.error} retry={settings.reload} />;
  if (!settings.data) return <Loading />;
  const is: UserSettings = settings.data;
  return (
    <div class="settings">
      <p class="quiet">
        Stored in <SourceLocation file={is.file} full />
      </p>
      {is.problems.map((problem) => (
        <p key={problem} class="notice tone-deny">
          {problem}
        </p>
      ))}
      <GuardPanel key={`guard ${JSON.stringify(is.guard)}`} guard={is.guard} propose={propose} />
      <RecordsPanel
        key={`records ${JSON.stringify([is.retention, is.record, is.daemon, is.port])}`}
        settings={is}
        propose={propose}
      />
      <RedactionPanel key={`redact ${JSON.stringify(is.redact)}`} patterns={is.redact} propose={propose} />
      {change && (
        <PlanDialog
          title="Change your settings"
          action="Save"
          plan={async () => {
            const { file, diff, plan } = await setup.planSettings(change);
            return { files: [{ path: file, diff }], plan };
          }}
          apply={(plan) => setup.applySettings(change, plan)}
          onDone={() => {
            toast("Saved.");
            settings.reload();
          }}
          onClose={() => propose(undefined)}
        />
      )}
    </div>
  );
}
