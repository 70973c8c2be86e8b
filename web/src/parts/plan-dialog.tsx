/**
 * A dialog that shows the diff of a planned change and applies it after confirmation.
 *
 *     <PlanDialog title="Connect Codex" action="Connect" plan={async () => ({ files, plan })}
 *       apply={(plan) => setup.applyConnection("codex", false, plan)} onDone={reload} onClose={close} />
 *
 * If a file changed since the plan was made, the dialog loads and shows a new plan.
 */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ApiError, errorMessage } from "../api/client";
import { useLoad } from "../api/load";
import { Tag } from "./badge";
import { DiffBlock } from "./code";
import { Dialog } from "./dialog";
import { ErrorMessage, Loading } from "./page-states";

export interface ChangePlan {
  files: readonly { path: string; diff: string; created?: boolean; deleted?: boolean }[];
  warnings?: readonly string[];
  /** The digest of the plan. */
  plan: string;
}

export function PlanDialog<P extends ChangePlan>({
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
  /** Text above the diff. */
  intro?: (plan: P) => ComponentChildren;
  plan: () => Promise<P>;
  apply: (plan: string) => Promise<unknown>;
  onDone: () => void;
  onClose: () => void;
}) {
  const loaded = useLoad("plan", plan);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const current = loaded.data;
  const isNothing = current?.files.every(({ diff }) => !diff.trim()) ?? false;
  const write = async () => {
    if (!current) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await apply(current.plan);
      onDone();
      onClose();
    } catch (error) {
      if (error instanceof ApiError && error.status === 409) {
        setProblem("A file changed while you were reading. This is the new diff; nothing was written.");
        loaded.reload();
      } else setProblem(errorMessage(error));
    }
    setBusy(false);
  };
  return (
    <Dialog
      title={title}
      wide
      onClose={onClose}
      footer={
        <>
          <button type="button" class="button" onClick={onClose}>
            {isNothing ? "Close" : "Cancel"}
          </button>
          {current && !isNothing && (
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
        {loaded.error && <ErrorMessage error={loaded.error} />}
        {!current && !loaded.error && <Loading label="Computing the diff" />}
        {problem && <ErrorMessage error={problem} />}
        {current && intro?.(current)}
        {current?.warnings?.map((warning) => (
          <p key={warning} class="notice tone-ask">
            {warning}
          </p>
        ))}
        {isNothing && <p>Nothing to change: the files are up to date.</p>}
        {!isNothing &&
          current?.files.map((file) => (
            <section key={file.path}>
              <h3>
                <code>{file.path}</code> {file.created && <Tag tone="allow">new file</Tag>}
                {file.deleted && <Tag tone="deny">deleted</Tag>}
              </h3>
              <DiffBlock text={file.diff} />
            </section>
          ))}
      </div>
    </Dialog>
  );
}
