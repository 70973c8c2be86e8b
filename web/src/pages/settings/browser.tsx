/** Settings of this browser: theme and login. */
import { isLoggedIn } from "../../api/client";
import { setup } from "../../api/setup";
import { navigate } from "../../lib/router";
import { setTheme, type Theme, theme } from "../../lib/theme";
import { Panel } from "../../parts/page";
import { runWithToast } from "../../parts/run-with-toast";

const THEME_OPTIONS: [Theme, string][] = [
  ["system", "system"],
  ["dark", "dark"],
  ["light", "light"],
];

export function BrowserTab() {
  const logOut = async () => {
    if (!(await runWithToast(setup.logout))) return;
    isLoggedIn.value = false;
    navigate("/login");
  };
  return (
    <div class="settings">
      <Panel title="Theme">
        <fieldset class="choice">
          <legend class="sr">Theme</legend>
          {THEME_OPTIONS.map(([value, name]) => (
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
        <p class="quiet">This browser stays logged in for 30 days. To log in again, run becket ui.</p>
        <div class="buttons">
          <button type="button" class="button" onClick={logOut}>
            Log out
          </button>
        </div>
      </Panel>
    </div>
  );
}
