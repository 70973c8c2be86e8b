/** The guard that comes with Becket: on or off, and how strict. */
import { useState } from "preact/hooks";
import type { Preset, Settings } from "../../api/setup";
import { Toggle } from "../../parts/form";
import { Panel } from "../../parts/page";
import type { Propose } from "./own";

const PRESETS: [Preset, string][] = [
  ["permissive", "Only what nobody wants is denied."],
  ["standard", "Denies what cannot be undone or leaks secrets, asks about the doubtful."],
  ["strict", "Denies the doubtful, too."],
];

export function Guard({ guard, propose }: { guard: Settings["guard"]; propose: Propose }) {
  const [chosen, choose] = useState(guard.preset);
  return (
    <Panel title="Guard" note={<a href="/decisions?view=replay">What would another preset have said?</a>}>
      <Toggle
        label={guard.enabled ? "Watches every call" : "Is switched off"}
        on={guard.enabled}
        onChange={(enabled) => propose({ guard: { enabled } })}
      />
      <fieldset class="choice">
        <legend>How strict</legend>
        {PRESETS.map(([preset, meaning]) => (
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
