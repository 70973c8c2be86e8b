/** Every agent that Becket knows: whether it is here, whether it is connected, and a button for either way. */
import { useState } from "preact/hooks";
import { useLoad } from "../../api/load";
import { type Connection, setup } from "../../api/setup";
import { Agent, Tag } from "../../parts/badge";
import { PlanDialog } from "../../parts/plan";
import { Source } from "../../parts/source";
import { Failure, Loading } from "../../parts/state";
import { Ago } from "../../parts/time";
import { toast } from "../../parts/toast";

interface Wish {
  agent: Connection;
  remove: boolean;
}

export function Agents() {
  const connections = useLoad("connections", setup.connections);
  const [wish, setWish] = useState<Wish>();
  if (connections.error) return <Failure error={connections.error} retry={connections.reload} />;
  if (!connections.data) return <Loading />;
  const rank = (one: Connection) => (one.connected ? 0 : one.found ? 1 : 2);
  const items = connections.data.items.toSorted((a, b) => rank(a) - rank(b));
  const here = items.filter((one) => one.found || one.connected);
  const others = items.filter((one) => !one.found && !one.connected);
  const list = (agents: Connection[]) => (
    <ul class="connections">
      {agents.map((agent) => (
        <Row key={agent.agent} agent={agent} onWish={(remove) => setWish({ agent, remove })} />
      ))}
    </ul>
  );
  return (
    <div class="settings">
      {here.length > 0 ? (
        list(here)
      ) : (
        <p class="notice tone-accent">
          No coding agent was found on this machine. Install one, or connect one below that Becket did not
          find.
        </p>
      )}
      {others.length > 0 && (
        <details open={here.length === 0}>
          <summary>
            {others.length} {here.length > 0 && "more "}that Becket knows, and did not find here
          </summary>
          {list(others)}
        </details>
      )}
      {wish && (
        <ConnectDialog
          wish={wish}
          onClose={() => setWish(undefined)}
          onDone={() => {
            toast(
              wish.remove
                ? `Becket is out of ${wish.agent.name}.`
                : `${wish.agent.name} is connected. Start a new session of it.`,
            );
            connections.reload();
          }}
        />
      )}
    </div>
  );
}

function Row({ agent, onWish }: { agent: Connection; onWish: (remove: boolean) => void }) {
  return (
    <li class="connection-row">
      <Agent id={agent.agent} />
      <div class="connection-what">
        <p>
          {agent.connected ? (
            <Tag tone="allow">connected</Tag>
          ) : agent.found ? (
            <Tag tone="ask">not connected</Tag>
          ) : (
            <Tag>not found</Tag>
          )}{" "}
          {agent.version && <span class="quiet">{agent.version}</span>}{" "}
          <span class="quiet">
            {agent.last_event ? (
              <>
                last heard of <Ago at={agent.last_event} />
              </>
            ) : (
              agent.connected && "not heard of yet"
            )}
          </span>
        </p>
        {(agent.connected || agent.found) &&
          agent.files.map((file) => <Source key={file} file={file} whole />)}
        {agent.problems.map((problem) => (
          <p key={problem} class="field-error">
            {problem}
          </p>
        ))}
      </div>
      <div class="buttons">
        {!agent.connected || agent.problems.length > 0 ? (
          <button
            type="button"
            class={agent.found && !agent.connected ? "button primary" : "button"}
            onClick={() => onWish(false)}
          >
            {agent.connected ? "Repair…" : "Connect…"}
          </button>
        ) : null}
        {agent.connected && (
          <button type="button" class="button" onClick={() => onWish(true)}>
            Disconnect…
          </button>
        )}
      </div>
    </li>
  );
}

function ConnectDialog({ wish, onClose, onDone }: { wish: Wish; onClose: () => void; onDone: () => void }) {
  const { agent, remove } = wish;
  return (
    <PlanDialog
      title={remove ? `Take Becket out of ${agent.name}` : `Connect ${agent.name}`}
      action={remove ? "Disconnect" : "Connect"}
      danger={remove}
      plan={() => setup.planConnection(agent.agent, remove)}
      apply={(plan) => setup.applyConnection(agent.agent, remove, plan)}
      intro={() => (
        <p>
          {remove
            ? "Only what Becket put there is taken out; all else in these files stays as it is."
            : "This is written to its settings. All else in these files stays as it is, and it can be taken out again."}
        </p>
      )}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
