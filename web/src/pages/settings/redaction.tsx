/** The user's own redaction patterns, in addition to the built-in ones. */
import { useEffect, useState } from "preact/hooks";
import { errorMessage } from "../../api/client";
import { setup } from "../../api/setup";
import { Field } from "../../parts/form";
import { Panel } from "../../parts/page";
import type { ProposeChange } from "./user-settings";

const DEBOUNCE_MS = 350;

/** Texts with nothing in common. A pattern that matches all of each of them matches everything. */
const UNRELATED_TEXTS = ["npm test", "/etc/hosts", "Ünïcode 7"];

function matchesEverything(pattern: string): boolean {
  try {
    const regex = new RegExp(pattern, "g");
    return pattern !== "" && UNRELATED_TEXTS.every((text) => text.replaceAll(regex, "") === "");
  } catch {
    // The daemon reports what is wrong with the pattern.
    return false;
  }
}

export function RedactionPanel({
  patterns,
  propose,
}: {
  patterns: readonly string[];
  propose: ProposeChange;
}) {
  const [text, setText] = useState("");
  const [error, setError] = useState<string>();
  /** Lets the daemon validate the patterns and shows its error next to the field. */
  const check = async (redact: string[]): Promise<boolean> => {
    try {
      await setup.planSettings({ redact });
      setError(undefined);
      return true;
    } catch (error) {
      setError(errorMessage(error));
      return false;
    }
  };
  // The daemon's regex syntax differs from the browser's, so the daemon validates while the user types.
  useEffect(() => {
    setError(undefined);
    if (!text) return;
    const timer = setTimeout(() => void check([...patterns, text]), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const add = async (submit: Event) => {
    submit.preventDefault();
    if (!text.trim()) return setError("Enter a regular expression.");
    if (patterns.includes(text)) return setError("This pattern is already in the list.");
    const redact = [...patterns, text];
    if (await check(redact)) propose({ redact });
  };
  return (
    <Panel title="Secrets" note="Redacted before anything is stored or shown">
      <p class="quiet">
        Becket recognizes the keys and tokens of common services. Add regular expressions for your own
        secrets: customer numbers, host names, internal tokens.
      </p>
      {patterns.length > 0 && (
        <ul class="patterns">
          {patterns.map((pattern) => (
            <li key={pattern}>
              <code>{pattern}</code>
              <button
                type="button"
                class="button"
                aria-label={`Remove ${pattern}`}
                onClick={() => propose({ redact: patterns.filter((one) => one !== pattern) })}
              >
                Remove…
              </button>
            </li>
          ))}
        </ul>
      )}
      <form class="inline-form" onSubmit={add}>
        <Field
          label="New pattern"
          error={error}
          hint={
            <>
              For example <code>acme_[a-z0-9]{"{32}"}</code>
            </>
          }
        >
          {(ids) => (
            <input
              {...ids}
              class="mono"
              spellcheck={false}
              autocomplete="off"
              value={text}
              onInput={(change) => setText(change.currentTarget.value)}
            />
          )}
        </Field>
        {!error && matchesEverything(text) && (
          <p class="notice tone-deny">
            This pattern matches everything. Every future record would contain nothing but redaction marks.
          </p>
        )}
        <button type="submit" class="button" disabled={!!error}>
          Add…
        </button>
      </form>
    </Panel>
  );
}
