/** Agents and projects that are on record, as options of filters. */

import { base } from "../lib/text";
import { agentName } from "../parts/badge";
import { api, data } from "./client";
import { useLoad } from "./load";

type Options = (readonly [string, string])[];

export function useAgents(): Options {
  const agents = useLoad("agents", () => data(api.GET("/api/v1/agents")));
  return agents.data?.items.map(({ name }) => [name, agentName(name)] as const) ?? [];
}

export function useProjects(): Options {
  const projects = useLoad("projects", () => data(api.GET("/api/v1/projects")));
  return projects.data?.items.map(({ path }) => [path, base(path)] as const) ?? [];
}

export const VERDICTS: Options = [
  ["deny", "deny"],
  ["ask", "ask"],
  ["allow", "allow"],
  ["halt", "halt"],
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
