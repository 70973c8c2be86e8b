/**
 * The setup API: explained decisions, hooks, trust, agent connections, settings.
 *
 * Every change of a file is planned first. The plan contains the diff and a digest, and `apply` writes only what the plan
 * showed. If the file changed in between, the daemon answers 409.
 */
import { api, request, unwrap } from "./client";
import type { GetResponse, ListItem, PostBody, PostResponse } from "./types";

export type DecisionDetail = GetResponse<"/api/v1/decisions/{id}">;
export type HookResult = DecisionDetail["hooks"][number];
export type RuleMatch = HookResult["matched"][number];
export type RulePlan = PostResponse<"/api/v1/rules/plan">;
export type ReplayReport = PostResponse<"/api/v1/replay">;
export type ReplayCases = ReplayReport["denied_that_ran"];
export type ReplayCase = ReplayCases["items"][number];
export type VerdictCounts = ReplayReport["now"];
export type HookInfo = GetResponse<"/api/v1/hooks">["hooks"][number];
export type HookProblem = GetResponse<"/api/v1/hooks">["problems"][number];
export type HookTestReport = PostResponse<"/api/v1/hooks/test">;
export type TrustReview = GetResponse<"/api/v1/trust">;
export type ReviewItem = TrustReview["items"][number];
export type ReviewState = ReviewItem["state"];
export type AgentConnection = ListItem<"/api/v1/connections">;
export type DoctorFinding = GetResponse<"/api/v1/doctor">["findings"][number];
export type UserSettings = GetResponse<"/api/v1/settings">;
export type GuardPreset = UserSettings["guard"]["preset"];
export type SettingsChange = PostBody<"/api/v1/settings/plan">;
export type HookSample = PostBody<"/api/v1/hooks/test">;
/** Identifies a hook: its name, or `FILE:LINE` if several hooks share the name. */
export type HookRef = Pick<HookSample, "name" | "project">;

const inProject = (project: string | undefined) => ({ params: { query: project ? { project } : {} } });

export const setup = {
  decision: (id: string) => unwrap(api.GET("/api/v1/decisions/{id}", { params: { path: { id } } })),
  planRule: (decision: string) => unwrap(api.POST("/api/v1/rules/plan", { body: { decision } })),
  applyRule: (decision: string, plan: string) =>
    unwrap(api.POST("/api/v1/rules/apply", { body: { decision, plan } })),
  replay: (options: PostBody<"/api/v1/replay">) => unwrap(api.POST("/api/v1/replay", { body: options })),

  hooks: (project?: string) => unwrap(api.GET("/api/v1/hooks", inProject(project))),
  switchHook: (hook: HookRef, on: boolean) =>
    unwrap(api.POST("/api/v1/hooks/switch", { body: { ...hook, on } })),
  testHook: (sample: HookSample) => unwrap(api.POST("/api/v1/hooks/test", { body: sample })),

  review: (project: string) => unwrap(api.GET("/api/v1/trust", { params: { query: { project } } })),
  grant: (project: string, digest: string) =>
    unwrap(api.POST("/api/v1/trust", { body: { project, digest } })),
  revoke: (project: string) => unwrap(api.POST("/api/v1/trust/revoke", { body: { project } })),

  connections: () => unwrap(api.GET("/api/v1/connections")),
  planConnection: (agent: string, remove: boolean) =>
    unwrap(api.POST("/api/v1/connections/plan", { body: { agent, remove } })),
  applyConnection: (agent: string, remove: boolean, plan: string) =>
    unwrap(api.POST("/api/v1/connections/apply", { body: { agent, remove, plan } })),
  doctor: (project?: string) => unwrap(api.GET("/api/v1/doctor", inProject(project))),

  settings: () => unwrap(api.GET("/api/v1/settings")),
  planSettings: (change: SettingsChange) => unwrap(api.POST("/api/v1/settings/plan", { body: change })),
  applySettings: (change: SettingsChange, plan: string) =>
    unwrap(api.POST("/api/v1/settings/apply", { body: { ...change, plan } })),

  logout: () => request<void>("POST", "/api/logout"),
};
