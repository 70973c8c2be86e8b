/**
 * The HTTP client of the daemon's API: one typed client, one error type, and two signals for the connection state.
 *
 *     const page = await unwrap(api.GET("/api/v1/sessions", { params: { query: { limit: 50 } } }));
 *     const trust = await request<Trust>("GET", "/api/v1/trust", { query: { project } });   // not in the OpenAPI document
 *
 * Both throw an `ApiError` with a message that can be shown to the user.
 */
import { signal } from "@preact/signals";
import createClient from "openapi-fetch";
import type { paths } from "./schema";

/** Whether the daemon answers. `false` shows the banner; components reload their data when it turns `true` again. */
export const isReachable = signal(true);
/** Whether the daemon accepts this browser's login. `false` shows the login page. */
export const isLoggedIn = signal(true);

/** A failed request, with a message for the user. `status` is 0 if the daemon did not answer at all. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Resolves when the daemon answers again. The banner polls it meanwhile. */
export function waitForDaemon(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let unsubscribe = () => {};
    const done = () => {
      unsubscribe();
      resolve();
    };
    signal.addEventListener("abort", done);
    unsubscribe = isReachable.subscribe((reachable) => {
      if (reachable) queueMicrotask(done);
    });
  });
}

/** Calls `fetch` and updates `isReachable` and `isLoggedIn`. */
export async function fetchDaemon(request: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(request, init);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    isReachable.value = false;
    throw new ApiError(0, "The daemon does not answer.");
  }
  isReachable.value = true;
  if (response.status === 401) isLoggedIn.value = false;
  else if (response.ok) isLoggedIn.value = true;
  return response;
}

export const api = createClient<paths>({ baseUrl: "", fetch: (request) => fetchDaemon(request) });

interface ApiResponse<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Returns the data of a response, or throws an `ApiError`. */
export async function unwrap<T>(pending: Promise<ApiResponse<T>>): Promise<T> {
  const { data, error, response } = await pending;
  if (response.ok) return data as T;
  throw new ApiError(response.status, apiErrorMessage(error, response.status));
}

interface RequestOptions {
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  signal?: AbortSignal;
}

/** Requests a route that the OpenAPI document does not describe. */
export async function request<T>(
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  options: RequestOptions = {},
): Promise<T> {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  const response = await fetchDaemon(text ? `${path}?${text}` : path, {
    method,
    ...(options.body === undefined
      ? {}
      : { body: JSON.stringify(options.body), headers: { "content-type": "application/json" } }),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  const body = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  if (!response.ok) throw new ApiError(response.status, apiErrorMessage(body, response.status));
  return body as T;
}

function apiErrorMessage(body: unknown, status: number): string {
  if (body && typeof body === "object" && "error" in body && typeof body.error === "string")
    return body.error;
  if (status === 401) return "This browser is not logged in. Run `becket ui`.";
  return `The daemon answered with status ${status}.`;
}

/** The message to show for an error of any type. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
