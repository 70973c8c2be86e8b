/** The built-in guard: enabled or not, and its preset. */
import { useState } from "preact/hooks";
import type { GuardPreset, UserSettings } from "../../api/setup";
import { Toggle } from "../../parts/form";
import { Panel } from "../../parts/page";
import type { ProposeChange } from "./user-settings";

const PRESET_LABELS: [GuardPreset, string][] = [
  ["permissive", "Blocks catastrophic commands, asks about severe ones."],
  ["standard", "Blocks severe commands too (irreversible, or leaking secrets), asks about doubtful ones."],
  ["strict", "Blocks doubtful commands too."],
];

export function GuardPanel({ guard, propose }: { guard: UserSettings["guard"]; propose: ProposeChange }) {
  const [chosen, choose] = useState(guard.preset);
  return (
    <Panel title="Guard" note={<a href="/decisions?view=replay">Replay your history with another preset</a>}>
      <Toggle
        label={guard.enabled ? "Enabled" : "Disabled"}
        on={guard.enabled}
        onChange={(enabled) => propose({ guard: { enabled } })}
      />
      <fieldset class="choice">
        <legend>Preset</legend>
        {PRESET_LABELS.map(([preset, meaning]) => (
          <label key={preset}>
            <input type="radio" name="preset" checked={chosen === preset} onChange={() => choose(preset)} />
            <span>
              <b>{preset}</b> {meaning}
            </span>
          </label>
        ))}
      </fieldset>
      <div class="buttons">
        <button
          type="button"
          class="button"
          disabled={chosen === guard.preset}
          onClick={() => propose({ guard: { preset: chosen } })}
        >
          Change…
        </button>
      </div>
    </Panel>
  );
}
