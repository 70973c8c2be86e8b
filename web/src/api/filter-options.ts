/** Options of the filters: recorded agents and projects, verdicts, events. */

import { useEffect } from "preact/hooks";
import { basename } from "../lib/text";
import { agentName } from "../parts/badge";
import { api, unwrap } from "./client";
import { useLoad } from "./load";

type FilterOptions = (readonly [string, string])[];

/** Reloads the options when `seen` is not among them yet. */
function useReloadOnNew(
  options: FilterOptions | undefined,
  seen: string | null | undefined,
  reload: () => void,
): void {
  const isNew = !!seen && !!options?.every(([id]) => id !== seen);
  useEffect(() => {
    if (isNew) reload();
  }, [isNew, seen]);
}

/** `seen` is an agent of a new event; the options are reloaded if it is not among them. */
export function useAgentOptions(seen?: string | null): FilterOptions {
  const agents = useLoad("agents", () => unwrap(api.GET("/api/v1/agents")));
  const options = agents.data?.items.map(({ name }) => [name, agentName(name)] as const);
  useReloadOnNew(options, seen, agents.reload);
  return options ?? [];
}

export function useProjectOptions(seen?: string | null): FilterOptions {
  const projects = useLoad("projects", () => unwrap(api.GET("/api/v1/projects")));
  const options = projects.data?.items.map(({ path }) => [path, basename(path)] as const);
  useReloadOnNew(options, seen, projects.reload);
  return options ?? [];
}

export const VERDICT_OPTIONS: FilterOptions = [
  ["deny", "deny"],
  ["ask", "ask"],
  ["allow", "allow"],
  ["halt", "halt"],
  ["rewrite", "rewrite"],
  ["none", "none"],
];

export const EVENT_OPTIONS: FilterOptions = [
  "PreToolUse",
  "PostToolUse",
  "PostToolUseFailure",
  "PermissionRequest",
  "PermissionDenied",
  "UserPromptSubmit",
  "Stop",
  "SessionStart",
  "SessionEnd",
  "SubagentStart",
  "SubagentStop",
  "Notification",
  "FileModified",
  "PreCompact",
  "PostCompact",
].map((name) => [name, name] as const);
