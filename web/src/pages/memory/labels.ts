/** Labels of memory types, statuses and sources. */
import type { Memory } from "../../api/types";
import type { Tone } from "../../parts/badge";

export type MemoryType = Memory["type"];
export type MemoryStatus = Memory["status"];

export const TYPES: [MemoryType, string][] = [
  ["gotcha", "gotcha"],
  ["decision", "decision"],
  ["bug_fix", "bug fix"],
  ["discovery", "discovery"],
  ["trade_off", "trade-off"],
  ["session_summary", "session summary"],
  ["plan", "plan"],
];

export const STATUSES: [MemoryStatus, string][] = [
  ["active", "active"],
  ["resolved", "resolved"],
  ["superseded", "superseded"],
  ["quarantined", "quarantined"],
];

export const typeLabel = (type: MemoryType) => TYPES.find(([one]) => one === type)?.[1] ?? type;
export const statusLabel = (status: MemoryStatus) => STATUSES.find(([one]) => one === status)?.[1] ?? status;

export const TYPE_TONE: Record<MemoryType, Tone> = {
  gotcha: "ask",
  decision: "accent",
  bug_fix: "deny",
  discovery: "allow",
  trade_off: "rewrite",
  session_summary: "none",
  plan: "none",
};

/** The source of a memory. */
export const SOURCE_LABELS: Record<Memory["trust"], string> = {
  user: "from you",
  agent: "from an agent",
  tool: "from tool output",
};
