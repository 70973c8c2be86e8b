/** Shortens names and texts to fit a row. */

/** The last segment of a path: `shop` for `/home/ana/shop`. */
export function basename(path: string): string {
  const parts = path.split(/[/\\]/).filter(Boolean);
  return parts.at(-1) ?? path;
}

/** The text on one line, cut to `max` characters with an ellipsis. */
export function oneLine(text: string, max = 200): string {
  const flat = text
    .slice(0, max * 4)
    .replace(/\s+/g, " ")
    .trim();
  return flat.length > max || text.length > max * 4 ? `${flat.slice(0, max - 1).trimEnd()}…` : flat;
}

/** The first characters of an id. */
export function shortId(id: string): string {
  return id.length > 12 ? id.slice(0, 8) : id;
}

/** A value as text: strings unchanged, everything else as indented JSON. */
export function prettyJson(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, null, 2) ?? "";
}

/** Makes absolute paths inside the project relative to it. */
export function relativePaths(text: string, project: string | null | undefined): string {
  return project ? text.replaceAll(`${project.replace(/\/$/, "")}/`, "") : text;
}
