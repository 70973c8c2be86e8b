/** The learning API: status, pause, resume, retry. */
import { api, unwrap } from "./client";
import type { GetResponse } from "./types";

export type LearningStatus = GetResponse<"/api/v1/learning">;
/** A turn from which learning failed too often. */
export type FailedExtraction = LearningStatus["given_up"][number];

export const learning = {
  status: () => unwrap(api.GET("/api/v1/learning")),
  pause: () => unwrap(api.POST("/api/v1/learning/pause")),
  resume: () => unwrap(api.POST("/api/v1/learning/resume")),
  retry: (id?: number) =>
    unwrap(api.POST("/api/v1/learning/retry", { body: id === undefined ? {} : { id } })),
};
