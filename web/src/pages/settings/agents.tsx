/** All supported agents: whether they are installed and connected, with connect and disconnect buttons. */
import { useState } from "preact/hooks";
import { useLoad } from "../../api/load";
import { type AgentConnection, setup } from "../../api/setup";
import { AgentBadge, Tag } from "../../parts/badge";
import { ErrorMessage, Loading } from "../../parts/page-states";
import { PlanDialog } from "../../parts/plan-dialog";
import { SourceLocation } from "../../parts/source-location";
import { TimeAgo } from "../../parts/time";
import { toast } from "../../parts/toast";

interface ConnectionChange {
  agent: AgentConnection;
  remove: boolean;
}

export function AgentsTab() {
  const connections = useLoad("connections", setup.connections);
  const [change, setChange] = useState<ConnectionChange>();
  if (connections.error) return <ErrorMessage error={connections.error} retry={connections.reload} />;
  if (!connections.data) return <Loading />;
  const rank = (one: AgentConnection) => (one.connected ? 0 : one.found ? 1 : 2);
  const items = connections.data.items.toSorted((a, b) => rank(a) - rank(b));
  const present = items.filter((one) => one.found || one.connected);
  const others = items.filter((one) => !one.found && !one.connected);
  const list = (agents: AgentConnection[]) => (
    <ul class="connections">
      {agents.map((agent) => (
        <AgentRow key={agent.agent} agent={agent} onChange={(remove) => setChange({ agent, remove })} />
      ))}
    </ul>
  );
  return (
    <div class="settings">
      {present.length > 0 ? (
        list(present)
      ) : (
        <p class="notice tone-accent">
          No coding agent was found on this machine. Install one, or connect one below.
        </p>
      )}
      {others.length > 0 && (
        <details open={present.length === 0}>
          <summary>
            {others.length} {present.length > 0 && "more "}supported agents not found on this machine
          </summary>
          {list(others)}
        </details>
      )}
      {change && (
        <ConnectDialog
          change={change}
          onClose={() => setChange(undefined)}
          onDone={() => {
            toast(
              change.remove
                ? `${change.agent.name} is disconnected.`
                : `${change.agent.name} is connected. Start a new session to use it.`,
            );
            connections.reload();
          }}
        />
      )}
    </div>
  );
}

function AgentRow({ agent, onChange }: { agent: AgentConnection; onChange: (remove: boolean) => void }) {
  return (
    <li class="connection-row">
      <AgentBadge id={agent.agent} />
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
                last event <TimeAgo at={agent.last_event} />
              </>
            ) : (
              agent.connected && "no events yet"
            )}
          </span>
        </p>
        {(agent.connected || agent.found) &&
          agent.files.map((file) => <SourceLocation key={file} file={file} full />)}
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
            onClick={() => onChange(false)}
          >
            {agent.connected ? "Repair…" : "Connect…"}
          </button>
        ) : null}
        {agent.connected && (
          <button type="button" class="button" onClick={() => onChange(true)}>
            Disconnect…
          </button>
        )}
      </div>
    </li>
  );
}

function ConnectDialog({
  change,
  onClose,
  onDone,
}: {
  change: ConnectionChange;
  onClose: () => void;
  onDone: () => void;
}) {
  const { agent, remove } = change;
  return (
    <PlanDialog
      title={remove ? `Disconnect ${agent.name}` : `Connect ${agent.name}`}
      action={remove ? "Disconnect" : "Connect"}
      danger={remove}
      plan={() => setup.planConnection(agent.agent, remove)}
      apply={(plan) => setup.applyConnection(agent.agent, remove, plan)}
      intro={() => (
        <p>
          {remove
            ? "Becket removes only its own entries. Everything else in these files stays unchanged."
            : "Becket adds these entries to the agent's settings. Everything else in these files stays unchanged. You can disconnect at any time."}
        </p>
      )}
      onDone={onDone}
      onClose={onClose}
    />
  );
}
