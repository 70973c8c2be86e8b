/** Something of unknown shape as an object, to look for members in it; empty if it is none. */
export type Bag = Record<string, unknown>;

export function bag(value: unknown): Bag {
  return value && typeof value === "object" && !Array.isArray(value) ? (value as Bag) : {};
}
