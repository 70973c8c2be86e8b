/** How learning is: the queue, what models cost today, what was given up. */
import { type GivenUp, type Learning, learning } from "../../api/learning";
import type { Loaded } from "../../api/load";
import { shortId } from "../../lib/text";
import { count } from "../../lib/time";
import { Share } from "../../parts/bars";
import { tried } from "../../parts/do";
import { Facts } from "../../parts/facts";
import { Panel } from "../../parts/page";
import { Failure, Loading } from "../../parts/state";
import { Ago } from "../../parts/time";

export function LearningPanel({ loaded }: { loaded: Loaded<Learning> }) {
  if (loaded.error) return <Failure error={loaded.error} retry={loaded.reload} />;
  if (!loaded.data) return <Loading />;
  const state = loaded.data;
  const change = async (work: () => Promise<unknown>, said: string) => {
    await tried(work, said);
    loaded.reload();
  };
  return (
    <div class="panels">
      <Panel
        title="Queue"
        note={
          state.paused_since !== null ? (
            <>
              paused <Ago at={state.paused_since} />
            </>
          ) : undefined
        }
      >
        {!state.on && <p class="notice tone-ask">Your configuration says that nothing is to be learnt.</p>}
        {state.problem && <p class="notice tone-deny">{state.problem}</p>}
        <div class="amounts">
          <Figure n={state.queue.waiting} name="waiting" />
          <Figure n={state.queue.running} name="running" />
          <Figure n={state.queue.done} name="done" />
          <Figure n={state.queue.failed} name="given up" />
        </div>
        <div class="buttons">
          {state.paused_since === null ? (
            <button type="button" class="button" onClick={() => change(learning.pause, "Paused.")}>
              Pause
            </button>
          ) : (
            <button
              type="button"
              class="button primary"
              onClick={() => change(learning.resume, "It goes on.")}
            >
              Resume
            </button>
          )}
        </div>
      </Panel>
      <Panel title="Spent today" note={state.model ?? "no model: rules learn"}>
        <Spent state={state} />
      </Panel>
      {state.given_up.length > 0 && (
        <Panel title="Given up" wide>
          <ul class="given-up">
            {state.given_up.map((one) => (
              <Failed
                key={one.id}
                one={one}
                retry={() => change(() => learning.retry(one.id), "Back in the queue.")}
              />
            ))}
          </ul>
          {state.given_up.length > 1 && (
            <button
              type="button"
              class="button"
              onClick={() => change(() => learning.retry(), "All of it is back in the queue.")}
            >
              Try all again
            </button>
          )}
        </Panel>
      )}
    </div>
  );
}

function Figure({ n, name }: { n: number; name: string }) {
  return (
    <span class="amount">
      <b>{count(n)}</b>
      <small>{name}</small>
    </span>
  );
}

function Spent({ state }: { state: Learning }) {
  const { questions, input, output } = state.spent_today;
  const all = input + output;
  const most = state.daily_tokens;
  return (
    <>
      {most !== null && most > 0 && (
        <Share
          value={all / most}
          tone={state.out_of_tokens ? "deny" : "accent"}
          label={`${count(all)} of ${count(most)} tokens`}
        />
      )}
      {state.out_of_tokens && (
        <p class="notice tone-ask">The day's tokens are spent: rules learn until tomorrow.</p>
      )}
      <Facts
        facts={[
          ["Questions", count(questions)],
          ["Tokens read", count(input)],
          ["Tokens written", count(output)],
          ["Vectors of", state.embedding?.model && <code>{state.embedding.model}</code>],
          [
            "Wanted instead",
            state.embedding?.wanted && (
              <>
                <code>{state.embedding.wanted}</code>, {count(state.embedding.done)} of{" "}
                {count(state.embedding.total)}
              </>
            ),
          ],
          ["Problem", state.embedding?.problem],
        ]}
      />
    </>
  );
}

function Failed({ one, retry }: { one: GivenUp; retry: () => void }) {
  return (
    <li>
      <div>
        <a href={`/sessions/${encodeURIComponent(one.session)}`}>
          Session <code>{shortId(one.session)}</code>
        </a>{" "}
        <span class="quiet">tried {count(one.attempts)} times</span>
        {one.error && <p class="field-error">{one.error}</p>}
      </div>
      <button type="button" class="button" onClick={retry}>
        Try again
      </button>
    </li>
  );
}
