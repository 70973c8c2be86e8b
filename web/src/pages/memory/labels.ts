/** Labels of memory types, statuses and sources. */
import type { Memory } from "../../api/types";
import type { Tone } from "../../parts/badge";

export type MemoryType = Memory["type"];
export type MemoryStatus = Memory["status"];

/** Labels of all types, in the order of the menus. The API's schema has the types: without a label here it does not compile. */
const TYPE_LABELS: Record<MemoryType, string> = {
  gotcha: "gotcha",
  decision: "decision",
  bug_fix: "bug fix",
  discovery: "discovery",
  trade_off: "trade-off",
  session_summary: "session summary",
  plan: "plan",
};

export const TYPES = Object.entries(TYPE_LABELS) as [MemoryType, string][];

export const STATUSES: [MemoryStatus, string][] = [
  ["active", "active"],
  ["resolved", "resolved"],
  ["superseded", "superseded"],
  ["quarantined", "quarantined"],
];

export const typeLabel = (type: MemoryType) => TYPE_LABELS[type] ?? type;
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
