/** The code index of each project, with a button to update it. */
import { useEffect } from "preact/hooks";
import { api, unwrap } from "../../api/client";
import { useProjectOptions } from "../../api/filter-options";
import { useLoad } from "../../api/load";
import type { IndexState } from "../../api/types";
import { formatCount, plural } from "../../lib/format";
import { param } from "../../lib/router";
import { basename } from "../../lib/text";
import { ShareBar } from "../../parts/bars";
import { Panel } from "../../parts/page";
import { EmptyState, ErrorMessage, Loading } from "../../parts/page-states";
import { runWithToast } from "../../parts/run-with-toast";

const POLL_MS = 1000;
const MAX_SHOWN = 12;

export function CodeIndex() {
  const projects = useProjectOptions();
  const chosen = param("project");
  const shown = chosen ? [chosen] : projects.slice(0, MAX_SHOWN).map(([path]) => path);
  if (shown.length === 0)
    return (
      <EmptyState title="No project yet">Projects appear here after an agent has worked in them.</EmptyState>
    );
  return (
    <div class="panels">
      {shown.map((path) => (
        <ProjectIndex key={path} path={path} />
      ))}
    </div>
  );
}

function ProjectIndex({ path }: { path: string }) {
  const state = useLoad(`index ${path}`, () =>
    unwrap(api.GET("/api/v1/index", { params: { query: { project: path } } })),
  );
  const isRunning = state.data?.running ?? false;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(state.reload, POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  const startIndexing = async () => {
    await runWithToast(() => unwrap(api.POST("/api/v1/index", { body: { project: path } })));
    state.reload();
  };
  return (
    <Panel title={basename(path)} note={<code>{path}</code>}>
      {state.error && <ErrorMessage error={state.error} retry={state.reload} />}
      {!state.data && !state.error && <Loading />}
      {state.data && <IndexProgress state={state.data} />}
      {state.data && !isRunning && (
        <button type="button" class="button" onClick={startIndexing}>
          Update index
        </button>
      )}
    </Panel>
  );
}

function IndexProgress({ state }: { state: IndexState }) {
  const { indexed } = state;
  if (state.running)
    return (
      <ShareBar
        value={state.total ? state.done / state.total : 0}
        label={`${formatCount(state.done)} of ${formatCount(state.total)} files`}
      />
    );
  const refused = Object.entries(indexed?.refused ?? {}).filter(([, n]) => n > 0);
  return (
    <>
      {state.error && <p class="notice tone-deny">{state.error}</p>}
      {indexed ? (
        <p>
          {plural(indexed.files, "file")}; {formatCount(indexed.changed)} new or changed,{" "}
          {formatCount(indexed.removed)} removed, {plural(indexed.chunks, "new chunk")}.
        </p>
      ) : (
        !state.error && <p class="quiet">Not indexed since the daemon started.</p>
      )}
      {refused.length > 0 && (
        <p class="quiet">
          Skipped: {refused.map(([reason, n]) => `${formatCount(n)} ${reason}`).join(", ")}.
        </p>
      )}
      {indexed?.unembedded && <p class="notice tone-ask">{indexed.unembedded}</p>}
      {indexed?.problems.map((problem) => (
        <p key={problem} class="field-error">
          {problem}
        </p>
      ))}
    </>
  );
}
