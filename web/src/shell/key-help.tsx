/** The dialog that lists the keyboard shortcuts. `?` opens it. */
import { signal } from "@preact/signals";
import { activeBindings } from "../lib/keys";
import { Dialog } from "../parts/dialog";

const isOpen = signal(false);

export function showKeyHelp(open: boolean): void {
  isOpen.value = open;
}

export function KeyHelp() {
  if (!isOpen.value) return null;
  return (
    <Dialog title="Keyboard shortcuts" onClose={() => showKeyHelp(false)}>
      <dl class="keys">
        {activeBindings().map(([keys, meaning]) => (
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
