/**
 * Badges for agents, verdicts and states, in the same colours on every page.
 *
 *     <AgentBadge id="claude" />             monogram in the agent's colour, and the name
 *     <AgentBadge id="claude" compact />     monogram only; the name is the tooltip
 *     <VerdictBadge verdict="deny" />        allow, ask, deny, rewrite, halt; `none` is grey
 *     <Tag>pinned</Tag>  <Tag tone="deny">untrusted</Tag>
 */
import type { ComponentChildren } from "preact";

const AGENT_LABELS: Record<string, [mark: string, name: string]> = {
  claude: ["Cl", "Claude Code"],
  codex: ["Cx", "Codex"],
  gemini: ["Ge", "Gemini CLI"],
  copilot: ["Co", "Copilot"],
  cursor: ["Cu", "Cursor"],
  opencode: ["Oc", "OpenCode"],
  amp: ["Am", "Amp"],
  qwen: ["Qw", "Qwen Code"],
  droid: ["Dr", "Factory Droid"],
  kiro: ["Ki", "Kiro"],
  crush: ["Cr", "Crush"],
  augment: ["Au", "Auggie"],
  goose: ["Go", "Goose"],
  cline: ["Cn", "Cline"],
  devin: ["De", "Devin"],
  autohand: ["Ah", "Autohand"],
  windsurf: ["Wi", "Windsurf"],
};

/** The display name of an agent. */
export function agentName(id: string): string {
  return AGENT_LABELS[id]?.[1] ?? id;
}

/** The CSS class that sets the agent's colour as `--agent`. */
export function agentClass(id: string): string {
  return AGENT_LABELS[id] ? `agent-${id}` : "agent-other";
}

export function AgentBadge({ id, compact = false }: { id: string; compact?: boolean }) {
  const [letters, name] = AGENT_LABELS[id] ?? [id.slice(0, 2), id];
  return (
    <span class={`agent ${agentClass(id)}`} title={compact ? name : undefined}>
      <span class="agent-mark" aria-hidden="true">
        {letters}
      </span>
      <span class={compact ? "sr" : "agent-name"}>{name}</span>
    </span>
  );
}

export type Tone = "allow" | "ask" | "deny" | "rewrite" | "halt" | "none" | "accent";

const VERDICT_LABELS: Record<string, [tone: Tone, sign: string, word: string]> = {
  allow: ["allow", "✓", "allow"],
  ask: ["ask", "?", "ask"],
  deny: ["deny", "✕", "deny"],
  halt: ["halt", "■", "halt"],
  rewrite: ["rewrite", "✎", "rewrite"],
  rewritten: ["rewrite", "✎", "rewrite"],
};

export function VerdictBadge({ verdict }: { verdict: string | null | undefined }) {
  const [tone, sign, word] = VERDICT_LABELS[verdict ?? "none"] ?? (["none", "·", verdict ?? "none"] as const);
  return (
    <span class={`verdict tone-${tone}`}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  );
}

export function Tag({
  children,
  tone = "none",
  title,
}: {
  children: ComponentChildren;
  tone?: Tone;
  title?: string;
}) {
  return (
    <span class={`tag tone-${tone}`} title={title}>
      {children}
    </span>
  );
}
