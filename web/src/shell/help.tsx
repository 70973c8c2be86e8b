/** What the keys do: `?` shows it. */
import { signal } from "@preact/signals";
import { bindings } from "../lib/keys";
import { Dialog } from "../parts/dialog";

const shown = signal(false);

export function showKeys(is: boolean): void {
  shown.value = is;
}

export function KeyHelp() {
  if (!shown.value) return null;
  return (
    <Dialog title="Keys" onClose={() => showKeys(false)}>
      <dl class="keys">
        {bindings().map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              {keys.split(" ").map((key) => (
                <kbd key={key}>{key === "Escape" ? "Esc" : key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
