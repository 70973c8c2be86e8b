/** Parts of a text that are to be seen, given by places in bytes of UTF-8, as Rust counts. */

export interface Span {
  start: number;
  end: number;
}

/** The text in pieces, in order; joined, they are the text. Spans may overlap, touch, or lie outside. */
export function marked(text: string, spans: readonly Span[]): [piece: string, isMarked: boolean][] {
  const edges = merge(spans).map(({ start, end }) => [charAt(text, start), charAt(text, end)] as const);
  const pieces: [string, boolean][] = [];
  let from = 0;
  for (const [start, end] of edges) {
    if (end <= start) continue;
    if (start > from) pieces.push([text.slice(from, start), false]);
    pieces.push([text.slice(start, end), true]);
    from = end;
  }
  if (from < text.length) pieces.push([text.slice(from), false]);
  return pieces;
}

function merge(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

/** The place in UTF-16, as JavaScript counts, of a place in bytes. */
function charAt(text: string, byte: number): number {
  let bytes = 0;
  let at = 0;
  for (const char of text) {
    if (bytes >= byte) return at;
    const code = char.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    at += char.length;
  }
  return at;
}
