/** `<Marked text={command} spans={[{ start: 5, end: 14 }]} />`: a text in which something is to be seen at once. */
import { marked, type Span } from "../lib/mark";
import { CopyButton } from "./code";

export function Marked({ text, spans }: { text: string; spans: readonly Span[] }) {
  return (
    <figure class="codebox">
      <CopyButton text={text} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre class="code" tabIndex={0}>
        {marked(text, spans).map(([piece, isMarked], i) => (isMarked ? <mark key={i}>{piece}</mark> : piece))}
      </pre>
    </figure>
  );
}
