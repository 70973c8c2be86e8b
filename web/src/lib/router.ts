/**
 * A small router: path and query as signals over the browser's history.
 *
 * Plain `<a href="/sessions">` links work; the router intercepts their clicks. State that should survive a reload or be
 * part of a shared link (filters, an open drawer) belongs in the query: read it with `param`, write it with `setParams`.
 */
import { computed, signal } from "@preact/signals";

export interface RouteLocation {
  path: string;
  query: string;
}

const readLocation = (): RouteLocation =>
  typeof location === "undefined"
    ? { path: "/", query: "" }
    : { path: location.pathname, query: location.search.replace(/^\?/, "") };

export const currentRoute = signal<RouteLocation>(readLocation());
export const query = computed(() => new URLSearchParams(currentRoute.value.query));

/** Navigates to an address, as a click on a link does. */
export function navigate(href: string, how: "push" | "replace" = "push"): void {
  if (how === "push") history.pushState(null, "", href);
  else history.replaceState(null, "", href);
  currentRoute.value = readLocation();
}

/** A query parameter, or `undefined`. */
export function param(name: string): string | undefined {
  return query.value.get(name) || undefined;
}

/** Changes query parameters without a history entry; `undefined` and the empty string remove one. */
export function setParams(changes: Record<string, string | undefined>): void {
  navigate(withParams(currentRoute.peek(), changes), "replace");
}

/**
 * Opens a drawer by setting its query parameter; the back button closes it. If one is open already, the new one replaces
 * it.
 */
export function openDrawer(name: string, value: string): void {
  const href = withParams(currentRoute.peek(), { [name]: value });
  if (param(name)) history.replaceState(history.state, "", href);
  else history.pushState({ opened: name }, "", href);
  currentRoute.value = readLocation();
}

/** Closes a drawer. If `openDrawer` added a history entry, it goes back. */
export function closeDrawer(name: string): void {
  if (history.state?.opened === name) history.back();
  else setParams({ [name]: undefined });
}

/** Click handler for a link that opens a drawer. Clicks with a modifier key are left to the browser. */
export function drawerClickHandler(name: string, value: string) {
  return (click: MouseEvent) => {
    if (click.metaKey || click.ctrlKey || click.shiftKey) return;
    click.preventDefault();
    openDrawer(name, value);
  };
}

/** The address of a location with changed query parameters. */
export function withParams(from: RouteLocation, changes: Record<string, string | undefined>): string {
  const params = new URLSearchParams(from.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) params.set(name, value);
    else params.delete(name);
  }
  const text = params.toString();
  return text ? `${from.path}?${text}` : from.path;
}

/** Matches a path against a pattern such as `/sessions/:id`. Returns the parameters, or `undefined`. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const patternParts = pattern.split("/").filter(Boolean);
  const pathParts = path.split("/").filter(Boolean);
  if (patternParts.length !== pathParts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of patternParts.entries()) {
    const value = decodeSegment(pathParts[i] ?? "");
    if (part.startsWith(":")) params[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return params;
}

/** Decodes a path segment; a malformed escape is kept as it is. */
function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Handles the back button and clicks on links of this origin. Call it once. */
export function startRouter(): void {
  addEventListener("popstate", () => {
    currentRoute.value = readLocation();
  });
  document.addEventListener("click", (click) => {
    const href = internalHref(click);
    if (!href) return;
    click.preventDefault();
    navigate(href);
  });
}

/** The address of a click that the router handles. New tabs, downloads and API links are left to the browser. */
function internalHref(click: MouseEvent): string | undefined {
  if (
    click.defaultPrevented ||
    click.button ||
    click.metaKey ||
    click.ctrlKey ||
    click.shiftKey ||
    click.altKey
  )
    return undefined;
  const link = click.target instanceof Element ? click.target.closest("a") : null;
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin)
    return undefined;
  if (link.pathname.startsWith("/api/") || link.getAttribute("href")?.startsWith("#")) return undefined;
  return link.pathname + link.search;
}
