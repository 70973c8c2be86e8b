/** Splits a text at spans given as UTF-8 byte offsets, as Rust counts them. */

export interface ByteSpan {
  start: number;
  end: number;
}

/** The pieces of the text in order; joined, they are the text. Spans may overlap, touch, or exceed the text. */
export function splitAtSpans(text: string, spans: readonly ByteSpan[]): [piece: string, isMarked: boolean][] {
  const edges = mergeSpans(spans).map(
    ({ start, end }) => [utf16Offset(text, start), utf16Offset(text, end)] as const,
  );
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

function mergeSpans(spans: readonly ByteSpan[]): ByteSpan[] {
  const merged: ByteSpan[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else merged.push({ ...span });
  }
  return merged;
}

/** Converts a UTF-8 byte offset to a UTF-16 offset, as JavaScript counts. */
function utf16Offset(text: string, byte: number): number {
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
