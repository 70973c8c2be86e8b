/** What concerns this browser alone: the theme, and being let in. */
import { loggedIn } from "../../api/client";
import { setup } from "../../api/setup";
import { go } from "../../lib/router";
import { setTheme, type Theme, theme } from "../../lib/theme";
import { tried } from "../../parts/do";
import { Panel } from "../../parts/page";

const THEMES: [Theme, string][] = [
  ["system", "as the system says"],
  ["dark", "dark"],
  ["light", "light"],
];

export function Browser() {
  const leave = async () => {
    if (!(await tried(setup.logout))) return;
    loggedIn.value = false;
    go("/login");
  };
  return (
    <div class="settings">
      <Panel title="Theme">
        <fieldset class="choice">
          <legend class="sr">Theme</legend>
          {THEMES.map(([value, name]) => (
            <label key={value}>
              <input
                type="radio"
                name="theme"
                checked={theme.value === value}
                onChange={() => setTheme(value)}
              />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
      </Panel>
      <Panel title="Log out">
        <p class="quiet">
          This browser is let in for thirty days. Afterwards, or on another one, run becket ui.
        </p>
        <div class="buttons">
          <button type="button" class="button" onClick={leave}>
            Log out
          </button>
        </div>
      </Panel>
    </div>
  );
}
