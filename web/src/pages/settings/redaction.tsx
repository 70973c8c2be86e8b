/** Patterns for what is secret to this person, beyond what Becket knows by itself. */
import { useEffect, useState } from "preact/hooks";
import { words } from "../../api/client";
import { setup } from "../../api/setup";
import { Field } from "../../parts/form";
import { Panel } from "../../parts/page";
import type { Propose } from "./own";

const REST_MS = 350;

/** Texts that have nothing in common; what fits all of them, and the whole of each, fits anything. */
const ANYTHING = ["npm test", "/etc/hosts", "Ünïcode 7"];

function takesAll(pattern: string): boolean {
  try {
    const found = new RegExp(pattern, "g");
    return pattern !== "" && ANYTHING.every((text) => text.replaceAll(found, "") === "");
  } catch {
    // The daemon's own words for what is wrong with it are shown.
    return false;
  }
}

export function Redaction({ patterns, propose }: { patterns: readonly string[]; propose: Propose }) {
  const [text, setText] = useState("");
  const [wrong, setWrong] = useState<string>();
  /** Whether the daemon can do with the pattern; what it minds is said next to the field. */
  const check = async (redact: string[]): Promise<boolean> => {
    try {
      await setup.planSettings({ redact });
      setWrong(undefined);
      return true;
    } catch (error) {
      setWrong(words(error));
      return false;
    }
  };
  // Regular expressions of browsers are others than the daemon's, so it is asked while somebody types.
  useEffect(() => {
    setWrong(undefined);
    if (!text) return;
    const timer = setTimeout(() => void check([...patterns, text]), REST_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const add = async (submit: Event) => {
    submit.preventDefault();
    if (!text.trim()) return setWrong("Write a regular expression.");
    if (patterns.includes(text)) return setWrong("It is in the list already.");
    const redact = [...patterns, text];
    if (await check(redact)) propose({ redact });
  };
  return (
    <Panel title="Secrets" note="Taken out before anything is stored or shown">
      <p class="quiet">
        Keys and tokens of common services are known. Add regular expressions for what is secret to you:
        customer numbers, host names, internal tokens.
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
          error={wrong}
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
        {!wrong && takesAll(text) && (
          <p class="notice tone-deny">
            This fits everything: every record from now on would hold nothing but the words that stand for
            what was taken out.
          </p>
        )}
        <button type="submit" class="button" disabled={!!wrong}>
          Add…
        </button>
      </form>
    </Panel>
  );
}
