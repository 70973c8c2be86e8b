/** Runs a hook with a sample event and shows the result. */

import { useState } from "preact/hooks";
import { errorMessage } from "../../api/client";
import { EVENT_OPTIONS } from "../../api/filter-options";
import { type HookTestReport, setup } from "../../api/setup";
import { formatDuration } from "../../lib/format";
import { parseObject } from "../../lib/json";
import { prettyJson } from "../../lib/text";
import { Tag, VerdictBadge } from "../../parts/badge";
import { CodeBlock } from "../../parts/code";
import { Field } from "../../parts/form";
import { InlineCode } from "../../parts/inline-code";
import { ErrorMessage } from "../../parts/page-states";
import type { HookEntry } from "./hook-entries";
import { hookRef } from "./list";
import { isToolEvent, SAMPLE_INPUTS } from "./sample-inputs";

export function HookTest({ entry, project }: { entry: HookEntry; project: string | undefined }) {
  const [event, setEvent] = useState(entry.events[0] ?? "PreToolUse");
  const [tool, setTool] = useState("Bash");
  const [input, setInput] = useState(prettyJson(SAMPLE_INPUTS.Bash));
  const [isTouched, setTouched] = useState(false);
  const [result, setResult] = useState<HookTestReport>();
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const withTool = isToolEvent(event);
  const typed = parseObject(input);
  const pickTool = (name: string) => {
    setTool(name);
    const sample = SAMPLE_INPUTS[name];
    if (sample && !isTouched) setInput(prettyJson(sample));
  };
  const run = async (submit: Event) => {
    submit.preventDefault();
    if (withTool && (typed.error || !tool.trim())) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const sample = withTool && typed.value ? { tool: tool.trim(), input: typed.value } : {};
      setResult(await setup.testHook({ ...hookRef(entry.hook, project), event, ...sample }));
    } catch (error) {
      setResult(undefined);
      setProblem(errorMessage(error));
    }
    setBusy(false);
  };
  const others = EVENT_OPTIONS.filter(([name]) => !entry.events.includes(name));
  return (
    <section class="tryout" aria-label="Test">
      <h3>Test</h3>
      <p class="quiet">Runs the hook for real, with a sample event. Nothing is recorded.</p>
      <form onSubmit={run}>
        <div class="fields">
          <Field label="Event">
            {(ids) => (
              <select {...ids} value={event} onChange={(change) => setEvent(change.currentTarget.value)}>
                {entry.events.map((name) => (
                  <option key={name}>{name}</option>
                ))}
                <optgroup label="Other events">
                  {others.map(([name]) => (
                    <option key={name}>{name}</option>
                  ))}
                </optgroup>
              </select>
            )}
          </Field>
          {withTool && (
            <Field label="Tool" error={tool.trim() ? undefined : "Enter a tool, such as Bash."}>
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
                    {Object.keys(SAMPLE_INPUTS).map((name) => (
                      <option key={name} value={name} />
                    ))}
                  </datalist>
                </>
              )}
            </Field>
          )}
        </div>
        {withTool && (
          <Field label="Input" error={typed.error} hint="The tool's input as JSON">
            {(ids) => (
              <textarea
                {...ids}
                class="mono"
                rows={Math.min(12, Math.max(3, input.split("\n").length))}
                spellcheck={false}
                value={input}
                onInput={(change) => {
                  setTouched(true);
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
          {isBusy ? "Running…" : "Run test"}
        </button>
      </form>
      {problem && <ErrorMessage error={problem} />}
      {result && <HookTestResult result={result} />}
    </section>
  );
}

function HookTestResult({ result }: { result: HookTestReport }) {
  return (
    <output class="tried">
      <p class="tried-head">
        <VerdictBadge verdict={result.verdict} />
        {result.exit !== null && <Tag tone={result.exit === 0 ? "none" : "ask"}>exit {result.exit}</Tag>}
        {result.exit === null && result.ending && <Tag tone="ask">{result.ending}</Tag>}
        <span class="quiet">{formatDuration(result.ms)}</span>
      </p>
      {result.failure && <p class="field-error">{result.failure}</p>}
      {result.reason && (
        <p class="verbatim">
          <InlineCode text={result.reason} />
        </p>
      )}
      {result.system_message && <p class="verbatim">{result.system_message}</p>}
      {result.updated_input !== null && result.updated_input !== undefined && (
        <CodeBlock label="Rewritten input" text={prettyJson(result.updated_input)} lang="json" />
      )}
      {result.context && <CodeBlock label="Injected context" text={result.context} />}
      {result.keep_going && <CodeBlock label="Continue the agent with" text={result.keep_going} />}
      {result.stdout && <CodeBlock label="stdout" text={result.stdout} />}
      {result.stderr && <CodeBlock label="stderr" text={result.stderr} />}
      {result.notes.map((note) => (
        <p key={note} class="quiet">
          {note}
        </p>
      ))}
      <details>
        <summary>Event sent to the hook</summary>
        <CodeBlock text={prettyJson(result.event)} lang="json" />
      </details>
    </output>
  );
}
