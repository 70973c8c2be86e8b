/**
 * What can be looked at and changed of this machine's set-up: decisions explained, hooks, trust, connections, settings.
 *
 * Whatever writes a file is planned first: the plan shows the difference and has a digest, and only what was shown is
 * written. A file that changed meanwhile is answered with 409.
 */
import { api, ask, data } from "./client";
import type { components, paths } from "./schema";

type Schemas = components["schemas"];
export type Matched = Schemas["Matched"];
export type HookSaid = Schemas["HookSaid"];
export type DecisionDetail = Schemas["DecisionDetail"];
export type RulePlan = Schemas["RulePlan"];
export type Preset = Schemas["Preset"];
export type Counts = Schemas["Counts"];
export type Case = Schemas["Case"];
export type Cases = Schemas["Cases"];
export type ReplayReport = Schemas["ReplayReport"];
export type Hook = Schemas["HookShown"];
export type HookProblem = Schemas["HookProblem"];
export type HookTried = Schemas["HookTried"];
export type ReviewState = Schemas["ReviewState"];
export type ReviewItem = Schemas["ReviewItem"];
export type Review = Schemas["Review"];
export type Connection = Schemas["Connection"];
export type Finding = Schemas["Finding"];
export type Settings = Schemas["Settings"];

type Body<P extends keyof paths> = paths[P] extends {
  post: { requestBody: { content: { "application/json": infer B } } };
}
  ? B
  : never;
export type SettingsWanted = Body<"/api/v1/settings/plan">;
export type HookSample = Body<"/api/v1/hooks/test">;
/** Which hook: its name, or `FILE:LINE` where several have it. */
export type HookName = Pick<HookSample, "name" | "project">;

const of = (project: string | undefined) => ({ params: { query: project ? { project } : {} } });

export const setup = {
  decision: (id: string) => data(api.GET("/api/v1/decisions/{id}", { params: { path: { id } } })),
  planRule: (decision: string) => data(api.POST("/api/v1/rules/plan", { body: { decision } })),
  applyRule: (decision: string, plan: string) =>
    data(api.POST("/api/v1/rules/apply", { body: { decision, plan } })),
  replay: (asked: Body<"/api/v1/replay">) => data(api.POST("/api/v1/replay", { body: asked })),

  hooks: (project?: string) => data(api.GET("/api/v1/hooks", of(project))),
  switchHook: (hook: HookName, on: boolean) =>
    data(api.POST("/api/v1/hooks/switch", { body: { ...hook, on } })),
  testHook: (sample: HookSample) => data(api.POST("/api/v1/hooks/test", { body: sample })),

  review: (project: string) => data(api.GET("/api/v1/trust", { params: { query: { project } } })),
  grant: (project: string, digest: string) => data(api.POST("/api/v1/trust", { body: { project, digest } })),
  revoke: (project: string) => data(api.POST("/api/v1/trust/revoke", { body: { project } })),

  connections: () => data(api.GET("/api/v1/connections")),
  planConnection: (agent: string, remove: boolean) =>
    data(api.POST("/api/v1/connections/plan", { body: { agent, remove } })),
  applyConnection: (agent: string, remove: boolean, plan: string) =>
    data(api.POST("/api/v1/connections/apply", { body: { agent, remove, plan } })),
  doctor: (project?: string) => data(api.GET("/api/v1/doctor", of(project))),

  settings: () => data(api.GET("/api/v1/settings")),
  planSettings: (wanted: SettingsWanted) => data(api.POST("/api/v1/settings/plan", { body: wanted })),
  applySettings: (wanted: SettingsWanted, plan: string) =>
    data(api.POST("/api/v1/settings/apply", { body: { ...wanted, plan } })),

  logout: () => ask<void>("POST", "/api/logout"),
};
