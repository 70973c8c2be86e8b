/** How far it is with the code of each project, and a button that brings it up to date. */
import { useEffect } from "preact/hooks";
import { useProjects } from "../../api/catalogue";
import { api, data } from "../../api/client";
import { useLoad } from "../../api/load";
import type { components } from "../../api/schema";
import { param } from "../../lib/router";
import { base } from "../../lib/text";
import { count, many } from "../../lib/time";
import { Share } from "../../parts/bars";
import { tried } from "../../parts/do";
import { Panel } from "../../parts/page";
import { Empty, Failure, Loading } from "../../parts/state";

type Indexing = components["schemas"]["Indexing"];
const AGAIN_MS = 1000;
const MOST_SHOWN = 12;

export function Index() {
  const projects = useProjects();
  const chosen = param("project");
  const shown = chosen ? [chosen] : projects.slice(0, MOST_SHOWN).map(([path]) => path);
  if (shown.length === 0)
    return <Empty title="No project yet">Projects appear once an agent has worked in them.</Empty>;
  return (
    <div class="panels">
      {shown.map((path) => (
        <Project key={path} path={path} />
      ))}
    </div>
  );
}

function Project({ path }: { path: string }) {
  const state = useLoad(`index ${path}`, () =>
    data(api.GET("/api/v1/index", { params: { query: { project: path } } })),
  );
  const isRunning = state.data?.running ?? false;
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(state.reload, AGAIN_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  const begin = async () => {
    await tried(() => data(api.POST("/api/v1/index", { body: { project: path } })));
    state.reload();
  };
  return (
    <Panel title={base(path)} note={<code>{path}</code>}>
      {state.error && <Failure error={state.error} retry={state.reload} />}
      {!state.data && !state.error && <Loading />}
      {state.data && <Progress state={state.data} />}
      {state.data && !isRunning && (
        <button type="button" class="button" onClick={begin}>
          Bring it up to date
        </button>
      )}
    </Panel>
  );
}

function Progress({ state }: { state: Indexing }) {
  const { indexed } = state;
  if (state.running)
    return (
      <Share
        value={state.total ? state.done / state.total : 0}
        label={`${count(state.done)} of ${count(state.total)} files`}
      />
    );
  const refused = Object.entries(indexed?.refused ?? {}).filter(([, n]) => n > 0);
  return (
    <>
      {state.error && <p class="notice tone-deny">{state.error}</p>}
      {indexed ? (
        <p>
          {many(indexed.files, "file")}; {count(indexed.changed)} new or changed, {count(indexed.removed)}{" "}
          gone, {many(indexed.chunks, "new piece")}.
        </p>
      ) : (
        !state.error && <p class="quiet">Not looked at since the daemon started.</p>
      )}
      {refused.length > 0 && (
        <p class="quiet">Left out: {refused.map(([why, n]) => `${count(n)} ${why}`).join(", ")}.</p>
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
