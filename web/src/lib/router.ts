/**
 * Where the app is: the path and the query, as signals, over the browser's history.
 *
 * Plain `<a href="/sessions">` links work: clicks on them are caught here. State that should survive a reload or be
 * shared as a link (filters, an open drawer) belongs in the query: read it with `param`, write it with `setParams`.
 */
import { computed, signal } from "@preact/signals";

export interface Place {
  path: string;
  query: string;
}

const here = (): Place =>
  typeof location === "undefined"
    ? { path: "/", query: "" }
    : { path: location.pathname, query: location.search.replace(/^\?/, "") };

export const place = signal<Place>(here());
export const query = computed(() => new URLSearchParams(place.value.query));

/** Goes somewhere, as a click on a link does. */
export function go(href: string, how: "push" | "replace" = "push"): void {
  if (how === "push") history.pushState(null, "", href);
  else history.replaceState(null, "", href);
  place.value = here();
}

/** A parameter of the query, or nothing. */
export function param(name: string): string | undefined {
  return query.value.get(name) || undefined;
}

/** Changes parameters of the query in place; `undefined` and the empty text take one away. */
export function setParams(changes: Record<string, string | undefined>): void {
  go(withParams(place.peek(), changes), "replace");
}

/**
 * Opens a drawer: the parameter that shows it is set, and the back button closes it. While one is open, another takes
 * its place.
 */
export function openDrawer(name: string, value: string): void {
  const href = withParams(place.peek(), { [name]: value });
  if (param(name)) history.replaceState(history.state, "", href);
  else history.pushState({ opened: name }, "", href);
  place.value = here();
}

/** Closes it, as the back button does if that would. */
export function closeDrawer(name: string): void {
  if (history.state?.opened === name) history.back();
  else setParams({ [name]: undefined });
}

/** What a click on a link that opens a drawer does; a click with a key held is the browser's. */
export function opensDrawer(name: string, value: string) {
  return (click: MouseEvent) => {
    if (click.metaKey || click.ctrlKey || click.shiftKey) return;
    click.preventDefault();
    openDrawer(name, value);
  };
}

/** The address of a place with some parameters changed. */
export function withParams(from: Place, changes: Record<string, string | undefined>): string {
  const params = new URLSearchParams(from.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) params.set(name, value);
    else params.delete(name);
  }
  const text = params.toString();
  return text ? `${from.path}?${text}` : from.path;
}

/** What a pattern such as `/sessions/:id` finds in a path; nothing if it does not fit. */
export function match(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split("/").filter(Boolean);
  const given = path.split("/").filter(Boolean);
  if (wanted.length !== given.length) return undefined;
  const found: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const value = decode(given[i] ?? "");
    if (part.startsWith(":")) found[part.slice(1)] = value;
    else if (part !== value) return undefined;
  }
  return found;
}

/** A malformed escape in an address that somebody typed is no reason to fail. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Follows the back button and clicks on links of this origin; to be called once. */
export function listen(): void {
  addEventListener("popstate", () => {
    place.value = here();
  });
  document.addEventListener("click", (click) => {
    const href = followed(click);
    if (!href) return;
    click.preventDefault();
    go(href);
  });
}

/** The address of a click that the app answers itself, not the browser: no new tabs, no downloads, no API. */
function followed(click: MouseEvent): string | undefined {
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
