/**
 * Shows what would be written, and writes it when the person agrees.
 *
 *     <PlanDialog title="Connect Codex" action="Connect" plan={async () => ({ files, plan })}
 *       apply={(plan) => setup.applyConnection("codex", false, plan)} onDone={reload} onClose={close} />
 *
 * If the files changed while somebody read, the plan is made and shown anew.
 */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ApiError, words } from "../api/client";
import { useLoad } from "../api/load";
import { Tag } from "./badge";
import { Diff } from "./code";
import { Dialog } from "./dialog";
import { Failure, Loading } from "./state";

export interface Plan {
  files: readonly { path: string; diff: string; created?: boolean; deleted?: boolean }[];
  warnings?: readonly string[];
  /** Stands for all of it. */
  plan: string;
}

export function PlanDialog<P extends Plan>({
  title,
  action,
  danger = false,
  intro,
  plan,
  apply,
  onDone,
  onClose,
}: {
  title: string;
  action: string;
  danger?: boolean;
  /** What to say above the difference. */
  intro?: (plan: P) => ComponentChildren;
  plan: () => Promise<P>;
  apply: (plan: string) => Promise<unknown>;
  onDone: () => void;
  onClose: () => void;
}) {
  const planned = useLoad("plan", plan);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const shown = planned.data;
  const isNothing = shown?.files.every(({ diff }) => !diff.trim()) ?? false;
  const write = async () => {
    if (!shown) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await apply(shown.plan);
      onDone();
      onClose();
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) {
        setProblem("A file changed while you read. This is how it stands; nothing was written yet.");
        planned.reload();
      } else setProblem(words(error));
    }
    setBusy(false);
  };
  return (
    <Dialog
      title={title}
      wide
      onClose={onClose}
      foot={
        <>
          <button type="button" class="button" onClick={onClose}>
            {isNothing ? "Close" : "Cancel"}
          </button>
          {shown && !isNothing && (
            <button
              type="button"
              class={danger ? "button danger" : "button primary"}
              disabled={isBusy}
              onClick={write}
            >
              {action}
            </button>
          )}
        </>
      }
    >
      <div class="changes">
        {planned.error && <Failure error={planned.error} />}
        {!shown && !planned.error && <Loading what="Working out what would be written" />}
        {problem && <Failure error={problem} />}
        {shown && intro?.(shown)}
        {shown?.warnings?.map((warning) => (
          <p key={warning} class="notice tone-ask">
            {warning}
          </p>
        ))}
        {isNothing && <p>There is nothing to write: it stands there already.</p>}
        {!isNothing &&
          shown?.files.map((file) => (
            <section key={file.path}>
              <h3>
                <code>{file.path}</code> {file.created && <Tag tone="allow">new file</Tag>}
                {file.deleted && <Tag tone="deny">is deleted</Tag>}
              </h3>
              <Diff text={file.diff} />
            </section>
          ))}
      </div>
    </Dialog>
  );
}
