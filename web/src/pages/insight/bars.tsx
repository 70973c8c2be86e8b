/** Amounts as bars: tools, verdicts, files, tokens. */
import type { components } from "../../api/schema";
import { base } from "../../lib/text";
import { count, many, short } from "../../lib/time";
import { Agent, agentClass, agentName, Verdict } from "../../parts/badge";
import { Panel } from "../../parts/page";

type Schemas = components["schemas"];

interface Piece {
  class: string;
  value: number;
  title: string;
}

/** A row of a bar chart: a bar in pieces, between a name and a number. */
function Bar({ pieces, most }: { pieces: Piece[]; most: number }) {
  return (
    <span class="bar" aria-hidden="true">
      {pieces
        .filter(({ value }) => value > 0)
        .map((piece, i) => (
          <i
            key={i}
            class={piece.class}
            title={piece.title}
            style={{ width: `${(100 * piece.value) / Math.max(1, most)}%` }}
          />
        ))}
    </span>
  );
}

const MOST_TOOLS = 12;

export function Tools({ tools }: { tools: Schemas["ToolNumbers"][] }) {
  const by = Map.groupBy(tools, ({ tool }) => tool);
  const rows = [...by]
    .map(([tool, of]) => ({
      tool,
      of: of.toSorted((a, b) => b.calls - a.calls),
      calls: of.reduce((sum, { calls }) => sum + calls, 0),
      failures: of.reduce((sum, { failures }) => sum + failures, 0),
    }))
    .sort((a, b) => b.calls - a.calls);
  const most = rows[0]?.calls ?? 1;
  return (
    <Panel title="Tools" note="calls, by agent">
      {rows.length === 0 && <p class="quiet">No tool was called.</p>}
      <ul class="bars">
        {rows.slice(0, MOST_TOOLS).map(({ tool, of, calls, failures }) => (
          <li key={tool}>
            <span class="cut" title={tool}>
              {tool}
            </span>
            <Bar
              most={most}
              pieces={of.map((one) => ({
                class: agentClass(one.agent),
                value: one.calls,
                title: `${agentName(one.agent)}: ${many(one.calls, "call")}`,
              }))}
            />
            <span class="bar-value">{count(calls)}</span>
            <span class="bar-more">
              {failures > 0 && <span class="tone-ask">{count(failures)} failed</span>}
            </span>
          </li>
        ))}
      </ul>
      {rows.length > MOST_TOOLS && <p class="quiet">and {rows.length - MOST_TOOLS} more</p>}
    </Panel>
  );
}

const MOST_RULES = 12;

export function Verdicts({ verdicts }: { verdicts: Schemas["VerdictNumbers"][] }) {
  const said = verdicts.filter(({ verdict }) => verdict !== "none").sort((a, b) => b.count - a.count);
  const silent = verdicts
    .filter(({ verdict }) => verdict === "none")
    .reduce((sum, one) => sum + one.count, 0);
  const most = said[0]?.count ?? 1;
  return (
    <Panel title="What hooks said" note={`by rule; ${count(silent)} times nothing to say`}>
      {said.length === 0 && <p class="quiet">No hook minded anything.</p>}
      <ul class="bars">
        {said.slice(0, MOST_RULES).map((one) => (
          <li key={`${one.hook} ${one.rule} ${one.verdict}`}>
            <span class="cut" title={`${one.hook} ${one.rule ?? ""}`}>
              {one.rule ?? one.hook}
            </span>
            <Bar
              most={most}
              pieces={[{ class: `tone-${one.verdict}`, value: one.count, title: one.verdict }]}
            />
            <span class="bar-value">{count(one.count)}</span>
            <span class="bar-more">
              <Verdict is={one.verdict} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function Files({ files }: { files: Schemas["FileNumbers"][] }) {
  const most = Math.max(1, ...files.map(({ reads, changes }) => reads + changes));
  const rows = files.toSorted((a, b) => b.reads + b.changes - a.reads - a.changes);
  return (
    <Panel
      title="Busiest files"
      note={
        <span class="key">
          <i class="tone-accent" /> changed <i class="tone-none" /> read
        </span>
      }
    >
      {rows.length === 0 && <p class="quiet">No file was touched.</p>}
      <ul class="bars">
        {rows.map(({ path, project, reads, changes, sessions }) => (
          <li key={`${project} ${path}`}>
            <span class="cut from-end" title={`${project ?? ""} ${path}`}>
              {path} <span class="quiet">{project ? base(project) : ""}</span>
            </span>
            <Bar
              most={most}
              pieces={[
                { class: "tone-accent", value: changes, title: many(changes, "change") },
                { class: "tone-none", value: reads, title: many(reads, "read") },
              ]}
            />
            <span class="bar-value">{count(changes + reads)}</span>
            <span class="bar-more quiet">{many(sessions, "session")}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function Tokens({ tokens }: { tokens: Schemas["TokenNumbers"][] }) {
  const sum = (one: Schemas["TokenNumbers"]) => one.input + one.output + one.cache_read + one.cache_write;
  const rows = tokens.toSorted((a, b) => sum(b) - sum(a));
  const most = Math.max(1, ...rows.map(sum));
  return (
    <Panel
      title="Tokens"
      note={
        <span class="key">
          <i class="tone-accent" /> in <i class="tone-rewrite" /> out <i class="tone-none" /> cached
        </span>
      }
    >
      {rows.length === 0 && (
        <p class="quiet">No agent told of tokens in this range. Most do not; those that do appear here.</p>
      )}
      <ul class="bars">
        {rows.map((one) => (
          <li key={`${one.agent} ${one.model}`}>
            <span class="cut" title={one.model ?? ""}>
              <Agent id={one.agent} mark /> {one.model ?? agentName(one.agent)}
            </span>
            <Bar
              most={most}
              pieces={[
                { class: "tone-accent", value: one.input, title: `${count(one.input)} in` },
                { class: "tone-rewrite", value: one.output, title: `${count(one.output)} out` },
                {
                  class: "tone-none",
                  value: one.cache_read + one.cache_write,
                  title: `${count(one.cache_read)} read from the cache`,
                },
              ]}
            />
            <span class="bar-value">{short(sum(one))}</span>
            <span class="bar-more quiet">{short(one.output)} out</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
