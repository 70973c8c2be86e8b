/** For how long records are kept, whether anything is recorded, and the daemon's port. */
import { useState } from "preact/hooks";
import { words } from "../../api/client";
import { type Settings, setup } from "../../api/setup";
import { Field, Toggle } from "../../parts/form";
import { Panel } from "../../parts/page";
import { keepFault, portFault } from "./check";
import type { Propose } from "./own";

export function Records({ is, propose }: { is: Settings; propose: Propose }) {
  const [keep, setKeep] = useState(is.retention.keep ?? "");
  const [port, setPort] = useState(is.port ? String(is.port) : "");
  const [told, setTold] = useState<{ keep?: string; port?: string }>({});
  const keepWrong = keepFault(keep) ?? told.keep;
  const portWrong = portFault(port) ?? told.port;
  /** The daemon has the last word on what makes sense; it is said next to the field. */
  const check = async (field: "keep" | "port", wanted: Parameters<Propose>[0]) => {
    try {
      await setup.planSettings(wanted);
      propose(wanted);
    } catch (error) {
      setTold({ [field]: words(error) });
    }
  };
  return (
    <Panel title="Records">
      <Toggle
        label={is.record ? "Events are recorded" : "Nothing is recorded"}
        on={is.record}
        onChange={(record) => propose({ record })}
      />
      <Toggle
        label={is.daemon ? "Events start the daemon" : "Events do not start the daemon"}
        on={is.daemon}
        onChange={(daemon) => propose({ daemon })}
      />
      <form
        class="inline-form"
        onSubmit={(submit) => {
          submit.preventDefault();
          if (!keepFault(keep)) void check("keep", { retention: { keep: keep.trim() || null } });
        }}
      >
        <Field
          label="Keep records for"
          error={keepWrong}
          hint="Days or weeks, as in 90d or 12w; empty is for ever. What is remembered stays."
        >
          {(ids) => (
            <input
              {...ids}
              placeholder="for ever"
              value={keep}
              onInput={(change) => {
                setTold({});
                setKeep(change.currentTarget.value);
              }}
            />
          )}
        </Field>
        <button
          type="submit"
          class="button"
          disabled={!!keepWrong || keep.trim() === (is.retention.keep ?? "")}
        >
          Change…
        </button>
      </form>
      <form
        class="inline-form"
        onSubmit={(submit) => {
          submit.preventDefault();
          if (!portFault(port)) void check("port", { port: Number(port || 0) });
        }}
      >
        <Field
          label="Port"
          error={portWrong}
          hint="On loopback, from the daemon's next start on; empty is any"
        >
          {(ids) => (
            <input
              {...ids}
              inputMode="numeric"
              placeholder="any"
              value={port}
              onInput={(change) => {
                setTold({});
                setPort(change.currentTarget.value);
              }}
            />
          )}
        </Field>
        <button
          type="submit"
          class="button"
          disabled={!!portWrong || port.trim() === (is.port ? String(is.port) : "")}
        >
          Change…
        </button>
      </form>
    </Panel>
  );
}
