/** Runs a hook with a sample event, and shows all that came of it. */

import { useState } from "preact/hooks";
import { EVENTS } from "../../api/catalogue";
import { words } from "../../api/client";
import { type HookTried, setup } from "../../api/setup";
import { readObject } from "../../lib/json";
import { pretty } from "../../lib/text";
import { took } from "../../lib/time";
import { Tag, Verdict } from "../../parts/badge";
import { Code } from "../../parts/code";
import { Field } from "../../parts/form";
import { Failure } from "../../parts/state";
import { Ticks } from "../../parts/ticks";
import type { Entry } from "./group";
import { nameOf } from "./list";
import { isAboutTool, SAMPLES } from "./samples";

export function Tryout({ entry, project }: { entry: Entry; project: string | undefined }) {
  const [event, setEvent] = useState(entry.events[0] ?? "PreToolUse");
  const [tool, setTool] = useState("Bash");
  const [input, setInput] = useState(pretty(SAMPLES.Bash));
  const [isTouched, touch] = useState(false);
  const [tried, setTried] = useState<HookTried>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const withTool = isAboutTool(event);
  const typed = readObject(input);
  const pickTool = (name: string) => {
    setTool(name);
    const sample = SAMPLES[name];
    if (sample && !isTouched) setInput(pretty(sample));
  };
  const run = async (submit: Event) => {
    submit.preventDefault();
    if (withTool && (typed.error || !tool.trim())) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const sample = withTool && typed.value ? { tool: tool.trim(), input: typed.value } : {};
      setTried(await setup.testHook({ ...nameOf(entry.hook, project), event, ...sample }));
    } catch (error) {
      setTried(undefined);
      setProblem(words(error));
    }
    setBusy(false);
  };
  const others = EVENTS.filter(([name]) => !entry.events.includes(name));
  return (
    <section class="tryout" aria-label="Try it">
      <h3>Try it</h3>
      <p class="quiet">It runs for real, with an event made up from this. Nothing is recorded.</p>
      <form onSubmit={run}>
        <div class="fields">
          <Field label="Event">
            {(ids) => (
              <select {...ids} value={event} onChange={(change) => setEvent(change.currentTarget.value)}>
                {entry.events.map((name) => (
                  <option key={name}>{name}</option>
                ))}
                <optgroup label="Others">
                  {others.map(([name]) => (
                    <option key={name}>{name}</option>
                  ))}
                </optgroup>
              </select>
            )}
          </Field>
          {withTool && (
            <Field label="Tool" error={tool.trim() ? undefined : "Name a tool, such as Bash."}>
              {(ids) => (
                <>
                  <input
                    {...ids}
                    list="sample-tools"
                    value={tool}
                    autocomplete="off"
                    onInput={(change) => pickTool(change.currentTarget.value)}
                  />
                  <datalist id="sample-tools">
                    {Object.keys(SAMPLES).map((name) => (
                      <option key={name} value={name} />
                    ))}
                  </datalist>
                </>
              )}
            </Field>
          )}
        </div>
        {withTool && (
          <Field label="Input" error={typed.error} hint="JSON, as the tool is given it">
            {(ids) => (
              <textarea
                {...ids}
                class="mono"
                rows={Math.min(12, Math.max(3, input.split("\n").length))}
                spellcheck={false}
                value={input}
                onInput={(change) => {
                  touch(true);
                  setInput(change.currentTarget.value);
                }}
              />
            )}
          </Field>
        )}
        <button
          type="submit"
          class="button primary"
          disabled={isBusy || (withTool && (!!typed.error || !tool.trim()))}
        >
          {isBusy ? "Running…" : "Run it"}
        </button>
      </form>
      {problem && <Failure error={problem} />}
      {tried && <Result tried={tried} />}
    </section>
  );
}

function Result({ tried }: { tried: HookTried }) {
  return (
    <output class="tried">
      <p class="tried-head">
        <Verdict is={tried.verdict} />
        {tried.exit !== null && <Tag tone={tried.exit === 0 ? "none" : "ask"}>exit {tried.exit}</Tag>}
        {tried.exit === null && tried.ending && <Tag tone="ask">{tried.ending}</Tag>}
        <span class="quiet">{took(tried.ms)}</span>
      </p>
      {tried.failure && <p class="field-error">{tried.failure}</p>}
      {tried.reason && (
        <p class="as-said">
          <Ticks text={tried.reason} />
        </p>
      )}
      {tried.system_message && <p class="as-said">{tried.system_message}</p>}
      {tried.updated_input !== null && tried.updated_input !== undefined && (
        <Code label="The input would become" text={pretty(tried.updated_input)} lang="json" />
      )}
      {tried.context && <Code label="Context that it adds" text={tried.context} />}
      {tried.keep_going && <Code label="The agent would go on with" text={tried.keep_going} />}
      {tried.stdout && <Code label="stdout" text={tried.stdout} />}
      {tried.stderr && <Code label="stderr" text={tried.stderr} />}
      {tried.notes.map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
      <details>
        <summary>What it was given</summary>
        <Code text={pretty(tried.event)} lang="json" />
      </details>
    </output>
  );
}
