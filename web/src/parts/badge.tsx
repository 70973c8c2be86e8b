/**
 * Who and what, in the same colours everywhere.
 *
 *     <Agent id="claude" />            a monogram in the agent's colour, and its name
 *     <Agent id="claude" mark />       the monogram alone, with the name as title
 *     <Verdict is="deny" />            allow, ask, deny, rewrite, halt; `none` and nothing are quiet
 *     <Tag>pinned</Tag>  <Tag tone="deny">untrusted</Tag>
 */
import type { ComponentChildren } from "preact";

const AGENTS: Record<string, [mark: string, name: string]> = {
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

/** What people call an agent. */
export function agentName(id: string): string {
  return AGENTS[id]?.[1] ?? id;
}

/** The class that gives an agent's colour as `--agent`. */
export function agentClass(id: string): string {
  return AGENTS[id] ? `agent-${id}` : "agent-other";
}

export function Agent({ id, mark = false }: { id: string; mark?: boolean }) {
  const [letters, name] = AGENTS[id] ?? [id.slice(0, 2), id];
  return (
    <span class={`agent ${agentClass(id)}`} title={mark ? name : undefined}>
      <span class="agent-mark" aria-hidden="true">
        {letters}
      </span>
      <span class={mark ? "sr" : "agent-name"}>{name}</span>
    </span>
  );
}

export type Tone = "allow" | "ask" | "deny" | "rewrite" | "halt" | "none" | "accent";

const SAID: Record<string, [tone: Tone, sign: string, word: string]> = {
  allow: ["allow", "✓", "allow"],
  ask: ["ask", "?", "ask"],
  deny: ["deny", "✕", "deny"],
  halt: ["halt", "■", "halt"],
  rewrite: ["rewrite", "✎", "rewrite"],
  rewritten: ["rewrite", "✎", "rewrite"],
};

export function Verdict({ is }: { is: string | null | undefined }) {
  const [tone, sign, word] = SAID[is ?? "none"] ?? (["none", "·", is ?? "none"] as const);
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
