/** Bar charts: tools, verdicts, files, tokens. */
import type { FileStats, TokenStats, ToolStats, VerdictStats } from "../../api/types";
import { formatCompact, formatCount, plural } from "../../lib/format";
import { basename } from "../../lib/text";
import { AgentBadge, agentClass, agentName, VerdictBadge } from "../../parts/badge";
import { Panel } from "../../parts/page";

interface BarSegment {
  class: string;
  value: number;
  title: string;
}

/** The bar of one row, in segments. */
function SegmentedBar({ pieces, max }: { pieces: BarSegment[]; max: number }) {
  return (
    <span class="bar" aria-hidden="true">
      {pieces
        .filter(({ value }) => value > 0)
        .map((piece, i) => (
          <i
            key={i}
            class={piece.class}
            title={piece.title}
            style={{ width: `${(100 * piece.value) / Math.max(1, max)}%` }}
          />
        ))}
    </span>
  );
}

const MAX_TOOLS = 12;

export function ToolsPanel({ tools }: { tools: ToolStats[] }) {
  const by = Map.groupBy(tools, ({ tool }) => tool);
  const rows = [...by]
    .map(([tool, of]) => ({
      tool,
      of: of.toSorted((a, b) => b.calls - a.calls),
      calls: of.reduce((sum, { calls }) => sum + calls, 0),
      failures: of.reduce((sum, { failures }) => sum + failures, 0),
    }))
    .sort((a, b) => b.calls - a.calls);
  const max = rows[0]?.calls ?? 1;
  return (
    <Panel title="Tools" note="tool calls by agent">
      {rows.length === 0 && <p class="quiet">No tool calls.</p>}
      <ul class="bars">
        {rows.slice(0, MAX_TOOLS).map(({ tool, of, calls, failures }) => (
          <li key={tool}>
            <span class="cut" title={tool}>
              {tool}
            </span>
            <SegmentedBar
              max={max}
              pieces={of.map((one) => ({
                class: agentClass(one.agent),
                value: one.calls,
                title: `${agentName(one.agent)}: ${plural(one.calls, "tool call")}`,
              }))}
            />
            <span class="bar-value">{formatCount(calls)}</span>
            <span class="bar-more">
              {failures > 0 && <span class="tone-ask">{formatCount(failures)} failed</span>}
            </span>
          </li>
        ))}
      </ul>
      {rows.length > MAX_TOOLS && <p class="quiet">and {rows.length - MAX_TOOLS} more</p>}
    </Panel>
  );
}

const MAX_RULES = 12;

export function VerdictsPanel({ verdicts }: { verdicts: VerdictStats[] }) {
  const decided = verdicts.filter(({ verdict }) => verdict !== "none").sort((a, b) => b.count - a.count);
  const undecided = verdicts
    .filter(({ verdict }) => verdict === "none")
    .reduce((sum, one) => sum + one.count, 0);
  const max = decided[0]?.count ?? 1;
  return (
    <Panel title="Verdicts" note={`by rule; ${formatCount(undecided)} hook runs without a verdict`}>
      {decided.length === 0 && <p class="quiet">No hook returned a verdict.</p>}
      <ul class="bars">
        {decided.slice(0, MAX_RULES).map((one) => (
          <li key={`${one.hook} ${one.rule} ${one.verdict}`}>
            <span class="cut" title={`${one.hook} ${one.rule ?? ""}`}>
              {one.rule ?? one.hook}
            </span>
            <SegmentedBar
              max={max}
              pieces={[{ class: `tone-${one.verdict}`, value: one.count, title: one.verdict }]}
            />
            <span class="bar-value">{formatCount(one.count)}</span>
            <span class="bar-more">
              <VerdictBadge verdict={one.verdict} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function FilesPanel({ files }: { files: FileStats[] }) {
  const max = Math.max(1, ...files.map(({ reads, changes }) => reads + changes));
  const rows = files.toSorted((a, b) => b.reads + b.changes - a.reads - a.changes);
  return (
    <Panel
      title="Most used files"
      note={
        <span class="key">
          <i class="tone-accent" /> changed <i class="tone-none" /> read
        </span>
      }
    >
      {rows.length === 0 && <p class="quiet">No files read or changed.</p>}
      <ul class="bars">
        {rows.map(({ path, project, reads, changes, sessions }) => (
          <li key={`${project} ${path}`}>
            <span class="cut from-end" title={`${project ?? ""} ${path}`}>
              {path} <span class="quiet">{project ? basename(project) : ""}</span>
            </span>
            <SegmentedBar
              max={max}
              pieces={[
                { class: "tone-accent", value: changes, title: plural(changes, "change") },
                { class: "tone-none", value: reads, title: plural(reads, "read") },
              ]}
            />
            <span class="bar-value">{formatCount(changes + reads)}</span>
            <span class="bar-more quiet">{plural(sessions, "session")}</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function TokensPanel({ tokens }: { tokens: TokenStats[] }) {
  const sum = (one: TokenStats) => one.input + one.output + one.cache_read + one.cache_write;
  const rows = tokens.toSorted((a, b) => sum(b) - sum(a));
  const max = Math.max(1, ...rows.map(sum));
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
        <p class="quiet">No agent reported tokens in this range. Most agents do not report them.</p>
      )}
      <ul class="bars">
        {rows.map((one) => (
          <li key={`${one.agent} ${one.model}`}>
            <span class="cut" title={one.model ?? ""}>
              <AgentBadge id={one.agent} compact /> {one.model ?? agentName(one.agent)}
            </span>
            <SegmentedBar
              max={max}
              pieces={[
                { class: "tone-accent", value: one.input, title: `${formatCount(one.input)} in` },
                { class: "tone-rewrite", value: one.output, title: `${formatCount(one.output)} out` },
                {
                  class: "tone-none",
                  value: one.cache_read + one.cache_write,
                  title: `${formatCount(one.cache_read)} read from the cache`,
                },
              ]}
            />
            <span class="bar-value">{formatCompact(sum(one))}</span>
            <span class="bar-more quiet">{formatCompact(one.output)} out</span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
