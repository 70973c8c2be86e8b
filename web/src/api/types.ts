/**
 * Names for the types of the API.
 *
 * They are derived from the routes, not from the schema names of the OpenAPI document, which follow the daemon's Rust types.
 */
import type { paths } from "./schema";

/** The JSON body of a route's response to GET. */
export type GetResponse<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { "application/json": infer T } } } };
}
  ? T
  : never;

/** The JSON body of a route's response to POST. */
export type PostResponse<P extends keyof paths> = paths[P] extends {
  post: { responses: { 200: { content: { "application/json": infer T } } } };
}
  ? T
  : never;

/** The JSON body of a POST request to a route. */
export type PostBody<P extends keyof paths> = paths[P] extends {
  post: { requestBody: { content: { "application/json": infer T } } };
}
  ? T
  : never;

/** One item of a route that returns a list. */
export type ListItem<P extends keyof paths> = GetResponse<P> extends { items: (infer T)[] } ? T : never;

export type Session = ListItem<"/api/v1/sessions">;
export type SessionDetail = GetResponse<"/api/v1/sessions/{id}"> & { resume?: string | null };
export type Timeline = GetResponse<"/api/v1/sessions/{id}/timeline">;
export type Batch = Timeline["batches"][number];
export type TimelineEntry = Timeline["before"][number];
export type Activity = ListItem<"/api/v1/activities">;
export type Decision = ListItem<"/api/v1/decisions">;
export type HookRun = TimelineEntry["hooks"][number];
export type Alarm = ListItem<"/api/v1/alarms">;
export type Memory = ListItem<"/api/v1/memories">;
export type MemoryDetail = GetResponse<"/api/v1/memories/{id}">;
export type StreamedEvent = GetResponse<"/api/v1/events">["events"][number];
export type EventDetail = GetResponse<"/api/v1/events/{id}">;
export type SearchResult = GetResponse<"/api/v1/search">["found"][number];
export type IndexState = GetResponse<"/api/v1/index">;
export type PermissionRequest = ListItem<"/api/v1/permissions">;

export type EventBucket = ListItem<"/api/v1/stats/events">;
export type ToolStats = ListItem<"/api/v1/stats/tools">;
export type VerdictStats = ListItem<"/api/v1/stats/verdicts">;
export type HookLatency = ListItem<"/api/v1/stats/hooks">;
export type FileStats = ListItem<"/api/v1/stats/files">;
export type TokenStats = ListItem<"/api/v1/stats/tokens">;
