/** The API's types by short names. */
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
export type Permission = Schemas["Permission"];
export type EventDetail = Schemas["EventDetail"];
