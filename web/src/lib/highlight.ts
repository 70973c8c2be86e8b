/** JSON in pieces, for colours. Text that is no JSON, or was cut off in the middle, comes out whole all the same. */

export type Kind = "key" | "string" | "number" | "word" | undefined;

const PIECE = /("(?:[^"\\\n]|\\.)*")(\s*:)?|(-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|\b(true|false|null)\b/g;

/** The pieces of a text in order; joined, they are the text. */
export function pieces(text: string): [Kind, string][] {
  const found: [Kind, string][] = [];
  let end = 0;
  for (const match of text.matchAll(PIECE)) {
    if (match.index > end) found.push([undefined, text.slice(end, match.index)]);
    const [all, quoted, colon, number] = match;
    if (quoted) {
      found.push([colon ? "key" : "string", quoted]);
      if (colon) found.push([undefined, colon]);
    } else found.push([number ? "number" : "word", all]);
    end = match.index + all.length;
  }
  if (end < text.length) found.push([undefined, text.slice(end)]);
  return found;
}
