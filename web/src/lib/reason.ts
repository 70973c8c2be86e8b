/**
 * Parses the reason of a decision. The guard writes ``rule.id: `subject` explanation`` and an `instead: …` line below;
 * other hooks write free text.
 */

export interface ParsedReason {
  rule?: string;
  /** What the rule matched: a command, or a tool with a path. */
  subject?: string;
  text: string;
  safer?: string;
}

const GUARD_REASON = /^([a-z][\w-]*(?:\.[\w-]+)+): (?:`([^`]+)` )?([\s\S]*)$/;

export function parseReason(reason: string | null | undefined): ParsedReason {
  const [first = "", ...rest] = (reason ?? "").split(/\ninstead: /);
  const safer = rest.length > 0 ? { safer: rest.join("\n") } : {};
  const match = GUARD_REASON.exec(first);
  if (!match) return { text: first, ...safer };
  const [, rule, subject, text = ""] = match;
  return { ...(rule ? { rule } : {}), ...(subject ? { subject } : {}), text, ...safer };
}
