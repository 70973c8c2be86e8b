/** Patterns for what is secret to this person, beyond what Becket knows by itself. */
import { useState } from "preact/hooks";
import { words } from "../../api/client";
import { setup } from "../../api/setup";
import { Field } from "../../parts/form";
import { Panel } from "../../parts/page";
import { patternFault } from "./check";
import type { Propose } from "./own";

export function Redaction({ patterns, propose }: { patterns: readonly string[]; propose: Propose }) {
  const [text, setText] = useState("");
  const [told, setTold] = useState<string>();
  const wrong = text ? (patternFault(text) ?? told) : told;
  const add = async (submit: Event) => {
    submit.preventDefault();
    const fault = patterns.includes(text) ? "It is in the list already." : patternFault(text);
    if (fault) return setTold(fault);
    const redact = [...patterns, text];
    try {
      await setup.planSettings({ redact });
      propose({ redact });
    } catch (error) {
      setTold(words(error));
    }
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
              onInput={(change) => {
                setTold(undefined);
                setText(change.currentTarget.value);
              }}
            />
          )}
        </Field>
        <button type="submit" class="button" disabled={!!wrong}>
          Add…
        </button>
      </form>
    </Panel>
  );
}
