/** The learning status: queue, token use, failed turns. */
import { type FailedExtraction, type LearningStatus, learning } from "../../api/learning";
import type { LoadState } from "../../api/load";
import { formatCount } from "../../lib/format";
import { shortId } from "../../lib/text";
import { ShareBar } from "../../parts/bars";
import { DetailList } from "../../parts/detail-list";
import { Panel } from "../../parts/page";
import { ErrorMessage, Loading } from "../../parts/page-states";
import { runWithToast } from "../../parts/run-with-toast";
import { TimeAgo } from "../../parts/time";

export function LearningPanel({ loaded }: { loaded: LoadState<LearningStatus> }) {
  if (loaded.error) return <ErrorMessage error={loaded.error} retry={loaded.reload} />;
  if (!loaded.data) return <Loading />;
  const state = loaded.data;
  const change = async (work: () => Promise<unknown>, message: string) => {
    await runWithToast(work, message);
    loaded.reload();
  };
  return (
    <div class="panels">
      <Panel
        title="Queue"
        note={
          state.paused_since !== null ? (
            <>
              paused <TimeAgo at={state.paused_since} />
            </>
          ) : undefined
        }
      >
        {!state.on && <p class="notice tone-ask">Learning is disabled in your configuration.</p>}
        {state.problem && <p class="notice tone-deny">{state.problem}</p>}
        <div class="amounts">
          <QueueCount n={state.queue.waiting} name="waiting" />
          <QueueCount n={state.queue.running} name="running" />
          <QueueCount n={state.queue.done} name="done" />
          <QueueCount n={state.queue.failed} name="failed" />
        </div>
        <div class="buttons">
          {state.paused_since === null ? (
            <button type="button" class="button" onClick={() => change(learning.pause, "Paused.")}>
              Pause
            </button>
          ) : (
            <button type="button" class="button primary" onClick={() => change(learning.resume, "Resumed.")}>
              Resume
            </button>
          )}
        </div>
      </Panel>
      <Panel title="Tokens used today" note={state.model ?? "no model: rules only"}>
        <TokenUsage state={state} />
      </Panel>
      {state.given_up.length > 0 && (
        <Panel title="Failed" wide>
          <ul class="given-up">
            {state.given_up.map((one) => (
              <FailedExtractionItem
                key={one.id}
                item={one}
                retry={() => change(() => learning.retry(one.id), "Queued again.")}
              />
            ))}
          </ul>
          {state.given_up.length > 1 && (
            <button
              type="button"
              class="button"
              onClick={() => change(() => learning.retry(), "All queued again.")}
            >
              Retry all
            </button>
          )}
        </Panel>
      )}
    </div>
  );
}

function QueueCount({ n, name }: { n: number; name: string }) {
  return (
    <span class="amount">
      <b>{formatCount(n)}</b>
      <small>{name}</small>
    </span>
  );
}

function TokenUsage({ state }: { state: LearningStatus }) {
  const { questions, input, output } = state.spent_today;
  const all = input + output;
  const most = state.daily_tokens;
  return (
    <>
      {most !== null && most > 0 && (
        <ShareBar
          value={all / most}
          tone={state.out_of_tokens ? "deny" : "accent"}
          label={`${formatCount(all)} of ${formatCount(most)} tokens`}
        />
      )}
      {state.out_of_tokens && (
        <p class="notice tone-ask">The daily token budget is used up. Until tomorrow, only rules are used.</p>
      )}
      <DetailList
        items={[
          ["Requests", formatCount(questions)],
          ["Input tokens", formatCount(input)],
          ["Output tokens", formatCount(output)],
          ["Embedding model", state.embedding?.model && <code>{state.embedding.model}</code>],
          [
            "Changing to",
            state.embedding?.wanted && (
              <>
                <code>{state.embedding.wanted}</code>, {formatCount(state.embedding.done)} of{" "}
                {formatCount(state.embedding.total)}
              </>
            ),
          ],
          ["Problem", state.embedding?.problem],
        ]}
      />
    </>
  );
}

function FailedExtractionItem({ item, retry }: { item: FailedExtraction; retry: () => void }) {
  return (
    <li>
      <div>
        <a href={`/sessions/${encodeURIComponent(item.session)}`}>
          Session <code>{shortId(item.session)}</code>
        </a>{" "}
        <span class="quiet">tried {formatCount(item.attempts)} times</span>
        {item.error && <p class="field-error">{item.error}</p>}
      </div>
      <button type="button" class="button" onClick={retry}>
        Retry
      </button>
    </li>
  );
}
