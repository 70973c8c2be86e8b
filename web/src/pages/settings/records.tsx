/** Recording, retention and the daemon's port. */
import { useState } from "preact/hooks";
import { errorMessage } from "../../api/client";
import { setup, type UserSettings } from "../../api/setup";
import { Field, Toggle } from "../../parts/form";
import { Panel } from "../../parts/page";
import type { ProposeChange } from "./user-settings";
import { validatePort, validateRetention } from "./validate";

export function RecordsPanel({ settings, propose }: { settings: UserSettings; propose: ProposeChange }) {
  const [keep, setKeep] = useState(settings.retention.keep ?? "");
  const [port, setPort] = useState(settings.port ? String(settings.port) : "");
  const [serverErrors, setServerErrors] = useState<{ keep?: string; port?: string }>({});
  const keepError = validateRetention(keep) ?? serverErrors.keep;
  const portError = validatePort(port) ?? serverErrors.port;
  /** Lets the daemon validate the change and shows its error next to the field. */
  const check = async (field: "keep" | "port", change: Parameters<ProposeChange>[0]) => {
    try {
      await setup.planSettings(change);
      propose(change);
    } catch (error) {
      setServerErrors({ [field]: errorMessage(error) });
    }
  };
  return (
    <Panel title="Recording">
      <Toggle
        label={settings.record ? "Recording enabled" : "Recording disabled"}
        on={settings.record}
        onChange={(record) => propose({ record })}
      />
      <Toggle
        label={settings.daemon ? "Events start the daemon" : "Events do not start the daemon"}
        on={settings.daemon}
        onChange={(daemon) => propose({ daemon })}
      />
      <form
        class="inline-form"
        onSubmit={(submit) => {
          submit.preventDefault();
          if (!validateRetention(keep)) void check("keep", { retention: { keep: keep.trim() || null } });
        }}
      >
        <Field
          label="Retention"
          error={keepError}
          hint="How long to keep records: days or weeks, such as 90d or 12w. Empty means forever. Memories are kept."
        >
          {(ids) => (
            <input
              {...ids}
              placeholder="forever"
              value={keep}
              onInput={(change) => {
                setServerErrors({});
                setKeep(change.currentTarget.value);
              }}
            />
          )}
        </Field>
        <button
          type="submit"
          class="button"
          disabled={!!keepError || keep.trim() === (settings.retention.keep ?? "")}
        >
          Change…
        </button>
      </form>
      <form
        class="inline-form"
        onSubmit={(submit) => {
          submit.preventDefault();
          if (!validatePort(port)) void check("port", { port: Number(port || 0) });
        }}
      >
        <Field
          label="Port"
          error={portError}
          hint="Loopback port, used from the daemon's next start on. Empty means any free port."
        >
          {(ids) => (
            <input
              {...ids}
              inputMode="numeric"
              placeholder="any"
              value={port}
              onInput={(change) => {
                setServerErrors({});
                setPort(change.currentTarget.value);
              }}
            />
          )}
        </Field>
        <button
          type="submit"
          class="button"
          disabled={!!portError || port.trim() === (settings.port ? String(settings.port) : "")}
        >
          Change…
        </button>
      </form>
    </Panel>
  );
}
