/**
 * The way to the daemon: one typed client, one kind of error, and two signals that tell how things are.
 *
 *     const page = await data(api.GET("/api/v1/sessions", { params: { query: { limit: 50 } } }));
 *     const trust = await ask<Trust>("GET", "/api/v1/trust", { query: { project } });   // not in the OpenAPI document
 *
 * Both throw an `ApiError`, whose message is meant to be shown.
 */
import { signal } from "@preact/signals";
import createClient from "openapi-fetch";
import type { paths } from "./schema";

/** Whether the daemon answers. `false` shows the banner; whoever loads something tries again when it is `true`. */
export const reachable = signal(true);
/** Whether the daemon lets us in. `false` shows the page that says how to log in. */
export const loggedIn = signal(true);

/** What went wrong, in words. `status` is 0 if the daemon did not answer at all. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Waits until the daemon answers again; the banner asks it now and then. */
export function isBack(ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let stop = () => {};
    const done = () => {
      stop();
      resolve();
    };
    ended.addEventListener("abort", done);
    stop = reachable.subscribe((is) => {
      if (is) queueMicrotask(done);
    });
  });
}

/** As `fetch`, and notes whether the daemon was there and let us in. */
export async function reach(request: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(request, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    reachable.value = false;
    throw new ApiError(0, "The daemon does not answer.");
  }
  reachable.value = true;
  if (response.status === 401) loggedIn.value = false;
  else if (response.ok) loggedIn.value = true;
  return response;
}

export const api = createClient<paths>({ baseUrl: "", fetch: (request) => reach(request) });

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The data of an answer, or an `ApiError`. */
export async function data<T>(answer: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await answer;
  if (response.ok) return data as T;
  throw new ApiError(response.status, told(error, response.status));
}

interface Asked {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  signal?: AbortSignal;
}

/** Asks a route that the OpenAPI document does not describe. */
export async function ask<T>(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  asked: Asked = {},
): Promise<T> {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(asked.query ?? {})) {
    if (value !== undefined && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  const response = await reach(text ? `${path}?${text}` : path, {
    method,
    ...(asked.body === undefined
      ? {}
      : { body: JSON.stringify(asked.body), headers: { "content-type": "application/json" } }),
    ...(asked.signal ? { signal: asked.signal } : {}),
  });
  const body = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  if (!response.ok) throw new ApiError(response.status, told(body, response.status));
  return body as T;
}

function told(body: unknown, status: number): string {
  if (body && typeof body === "object" && "error" in body && typeof body.error === "string")
    return body.error;
  if (status === 401) return "The daemon does not know this browser. Run `becket ui`.";
  return `The daemon answered with status ${status}.`;
}

/** What to show of an error of any kind. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
