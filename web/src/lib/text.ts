/** Names and texts made short enough for a row. */

/** The last part of a path: `/home/ana/shop` is `shop`. */
export function base(path: string): string {
  const parts = path.split(/[/\\]/).filter(Boolean);
  return parts.at(-1) ?? path;
}

/** One line of at most `most` characters; what is cut off is shown by an ellipsis. */
export function line(text: string, most = 200): string {
  const flat = text
    .slice(0, most * 4)
    .replace(/\s+/g, " ")
    .trim();
  return flat.length > most || text.length > most * 4 ? `${flat.slice(0, most - 1).trimEnd()}…` : flat;
}

/** The beginning of an id that is enough to tell it from others. */
export function shortId(id: string): string {
  return id.length > 12 ? id.slice(0, 8) : id;
}

/** A value as text: strings as they are, all else as indented JSON. */
export function pretty(value: unknown): string {
  if (typeof value === "string") return value;
  return JSON.stringify(value, null, 2) ?? "";
}

/** A text with the paths in it told from the project on, as its people say them. */
export function within(text: string, project: string | null | undefined): string {
  return project ? text.replaceAll(`${project.replace(/\/$/, "")}/`, "") : text;
}
