/** The API's types by short names. What is not in the OpenAPI document yet is written out below. */
import type { components } from "./schema";

type Schemas = components["schemas"];
export type Session = Schemas["SessionRow"];
export type SessionDetail = Schemas["SessionDetail"] & { resume?: string | null };
export type Timeline = Schemas["Timeline"];
export type Batch = Schemas["BatchDetail"];
export type Entry = Schemas["Entry"];
export type Activity = Schemas["ActivityRow"];
export type Decision = Schemas["DecisionRow"];
export type HookRun = Schemas["HookRunRow"];
export type Alarm = Schemas["AlarmRow"];
export type Memory = Schemas["MemoryRow"];
export type StreamedEvent = Schemas["StreamedEvent"];
export type Hit = Schemas["Hit"];
export type Bucket = Schemas["Bucket"];

/** What an agent waits for somebody to answer. */
export interface Permission {
  id: string;
  agent: string;
  sessionId?: string;
  project?: string;
  tool: string;
  path?: string;
  command?: string;
  args: unknown;
  /** Since when it waits, and until when. */
  timestamp: string;
  expires: string;
}
