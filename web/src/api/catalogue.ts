/** Agents and projects that are on record, as options of filters. */

import { useEffect } from "preact/hooks";
import { base } from "../lib/text";
import { agentName } from "../parts/badge";
import { api, data } from "./client";
import { useLoad } from "./load";

type Options = (readonly [string, string])[];

/** Asks anew when something turns up that is not among the options. */
function useNew(options: Options | undefined, seen: string | null | undefined, reload: () => void): void {
  const isNew = !!seen && !!options?.every(([id]) => id !== seen);
  useEffect(() => {
    if (isNew) reload();
  }, [isNew, seen]);
}

/** `seen` is an agent that was met; the options come to know it. */
export function useAgents(seen?: string | null): Options {
  const agents = useLoad("agents", () => data(api.GET("/api/v1/agents")));
  const options = agents.data?.items.map(({ name }) => [name, agentName(name)] as const);
  useNew(options, seen, agents.reload);
  return options ?? [];
}

export function useProjects(seen?: string | null): Options {
  const projects = useLoad("projects", () => data(api.GET("/api/v1/projects")));
  const options = projects.data?.items.map(({ path }) => [path, base(path)] as const);
  useNew(options, seen, projects.reload);
  return options ?? [];
}

export const VERDICTS: Options = [
  ["deny", "deny"],
  ["ask", "ask"],
  ["allow", "allow"],
  ["halt", "halt"],
  ["rewrite", "rewrite"],
  ["none", "none"],
];

export const EVENTS: Options = [
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
