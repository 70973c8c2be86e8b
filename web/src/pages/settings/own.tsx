/** The person's own settings. Each part is checked and shown as a difference before it is written. */
import { useState } from "preact/hooks";
import { useLoad } from "../../api/load";
import { type Settings, type SettingsWanted, setup } from "../../api/setup";
import { PlanDialog } from "../../parts/plan";
import { Source } from "../../parts/source";
import { Failure, Loading } from "../../parts/state";
import { toast } from "../../parts/toast";
import { Guard } from "./guard";
import { Records } from "./records";
import { Redaction } from "./redaction";

/** Asks for a change: it is shown, and written when the person agrees. */
export type Propose = (wanted: SettingsWanted) => void;

export function Own() {
  const settings = useLoad("settings", setup.settings);
  const [wanted, propose] = useState<SettingsWanted>();
  if (settings.error) return <Failure error={settings.error} retry={settings.reload} />;
  if (!settings.data) return <Loading />;
  const is: Settings = settings.data;
  return (
    <div class="settings">
      <p class="quiet">
        They stand in <Source file={is.file} whole />
      </p>
      {is.problems.map((problem) => (
        <p key={problem} class="notice tone-deny">
          {problem}
        </p>
      ))}
      <Guard key={`guard ${JSON.stringify(is.guard)}`} guard={is.guard} propose={propose} />
      <Records
        key={`records ${JSON.stringify([is.retention, is.record, is.daemon, is.port])}`}
        is={is}
        propose={propose}
      />
      <Redaction key={`redact ${JSON.stringify(is.redact)}`} patterns={is.redact} propose={propose} />
      {wanted && (
        <PlanDialog
          title="Change your settings"
          action="Write it"
          plan={async () => {
            const { file, diff, plan } = await setup.planSettings(wanted);
            return { files: [{ path: file, diff }], plan };
          }}
          apply={(plan) => setup.applySettings(wanted, plan)}
          onDone={() => {
            toast("Written.");
            settings.reload();
          }}
          onClose={() => propose(undefined)}
        />
      )}
    </div>
  );
}
