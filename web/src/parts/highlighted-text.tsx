/** `<HighlightedText text={command} spans={[{ start: 5, end: 14 }]} />`: text with highlighted parts. */
import { type ByteSpan, splitAtSpans } from "../lib/byte-spans";
import { CopyButton } from "./code";

export function HighlightedText({ text, spans }: { text: string; spans: readonly ByteSpan[] }) {
  return (
    <figure class="codebox">
      <CopyButton text={text} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <pre class="code" tabIndex={0}>
        {splitAtSpans(text, spans).map(([piece, isMarked], i) =>
          isMarked ? <mark key={i}>{piece}</mark> : piece,
        )}
      </pre>
    </figure>
  );
}
