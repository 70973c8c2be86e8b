/** Splits JSON into tokens for syntax highlighting. Invalid or truncated JSON is kept unchanged. */

export type TokenKind = "key" | "string" | "number" | "word" | undefined;

const TOKEN = /("(?:[^"\\\n]|\\.)*")(\s*:)?|(-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|\b(true|false|null)\b/g;

/** The tokens of a text in order; joined, they are the text. */
export function jsonTokens(text: string): [TokenKind, string][] {
  const found: [TokenKind, string][] = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
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
