/** What a hook said, taken apart. The guard says ``rule.id: `what it met` what that does``, and `instead: …` below. */

export interface Reason {
  rule?: string;
  /** What the rule met: a command, or a tool with a path. */
  subject?: string;
  text: string;
  safer?: string;
}

const SAID = /^([a-z][\w-]*(?:\.[\w-]+)+): (?:`([^`]+)` )?([\s\S]*)$/;

export function readReason(reason: string | null | undefined): Reason {
  const [first = "", ...rest] = (reason ?? "").split(/\ninstead: /);
  const safer = rest.length > 0 ? { safer: rest.join("\n") } : {};
  const said = SAID.exec(first);
  if (!said) return { text: first, ...safer };
  const [, rule, subject, text = ""] = said;
  return { ...(rule ? { rule } : {}), ...(subject ? { subject } : {}), text, ...safer };
}
