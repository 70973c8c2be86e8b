/** How learning is, and what a person wants of it. */
import { api, data } from "./client";
import type { components } from "./schema";

export type Learning = components["schemas"]["Told"];
/** Something that was given up. */
export type GivenUp = Learning["given_up"][number];

export const learning = {
  status: () => data(api.GET("/api/v1/learning")),
  pause: () => data(api.POST("/api/v1/learning/pause")),
  resume: () => data(api.POST("/api/v1/learning/resume")),
  retry: (id?: number) => data(api.POST("/api/v1/learning/retry", { body: id === undefined ? {} : { id } })),
};
