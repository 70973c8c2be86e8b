/** Sorts and states of memories, in words. */
import type { Memory } from "../../api/types";
import type { Tone } from "../../parts/badge";

export type Kind = Memory["type"];
export type Status = Memory["status"];

export const TYPES: [Kind, string][] = [
  ["gotcha", "gotcha"],
  ["decision", "decision"],
  ["bug_fix", "bug fix"],
  ["discovery", "discovery"],
  ["trade_off", "trade-off"],
  ["session_summary", "session summary"],
  ["plan", "plan"],
];

export const STATUSES: [Status, string][] = [
  ["active", "holds"],
  ["resolved", "resolved"],
  ["superseded", "superseded"],
  ["quarantined", "set aside"],
];

export const typeName = (type: Kind) => TYPES.find(([one]) => one === type)?.[1] ?? type;
export const statusName = (status: Status) => STATUSES.find(([one]) => one === status)?.[1] ?? status;

export const TYPE_TONE: Record<Kind, Tone> = {
  gotcha: "ask",
  decision: "accent",
  bug_fix: "deny",
  discovery: "allow",
  trade_off: "rewrite",
  session_summary: "none",
  plan: "none",
};

/** Who said it. */
export const SAID_BY: Record<Memory["trust"], string> = {
  user: "you said so",
  agent: "an agent said so",
  tool: "a tool printed it",
};
