/**
 * Text as it is.
 *
 *     <Code text={pretty(input)} lang="json" />     long texts are cut, with "show all"
 *     <Diff text={plan.diff} />                     a unified diff, or
 *     <Diff before="a\n" after="b\n" />             the difference of two texts
 *     <CopyButton text="becket init" />
 */
import { useState } from "preact/hooks";
import { type DiffLine, diffLines, readDiff } from "../lib/diff";
import { pieces } from "../lib/highlight";
import { toast } from "./toast";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } catch {
      toast("The browser does not let this page copy.", "deny");
    }
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-label={label} title={label}>
      {done ? "✓" : <CopyIcon />}
    </button>
  );
}

function CopyIcon() {
  return (
    <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" class="icon">
      <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />
      <path d="M10.5 3.5a1 1 0 0 0-1-1h-6a1 1 0 0 0-1 1v6a1 1 0 0 0 1 1" />
    </svg>
  );
}

const CUT_LINES = 14;
const CUT_CHARS = 1800;

/** Where a long text is cut: after some lines, or some characters. */
export function cut(text: string, lines = CUT_LINES, chars = CUT_CHARS): string {
  let end = -1;
  for (let i = 0; i < lines; i++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) break;
  }
  return text.slice(0, Math.min(end < 0 ? text.length : end, chars));
}

export function Code({
  text,
  lang = "text",
  label,
  whole = false,
}: {
  text: string;
  lang?: "json" | "text";
  label?: string;
  /** Shown without a cut. */
  whole?: boolean;
}) {
  const [all, setAll] = useState(whole);
  const shown = all ? text : cut(text);
  const hidden = text.length - shown.length;
  return (
    <figure class="codebox">
      {label && <figcaption>{label}</figcaption>}
      <CopyButton text={text} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre class="code" tabIndex={0}>
        {lang === "json"
          ? pieces(shown).map(([kind, piece], i) =>
              kind ? (
                <span key={i} class={`hl-${kind}`}>
                  {piece}
                </span>
              ) : (
                piece
              ),
            )
          : shown}
      </pre>
      {(hidden > 0 || (all && !whole)) && (
        <button type="button" class="link more" onClick={() => setAll(!all)}>
          {all
            ? "Show less"
            : `Show all (${hidden.toLocaleString("en").replaceAll(",", "\u202f")} more characters)`}
        </button>
      )}
    </figure>
  );
}

export function Diff(props: { text: string } | { before: string; after: string }) {
  const lines = "text" in props ? readDiff(props.text) : diffLines(props.before, props.after);
  const [all, setAll] = useState(false);
  const most = 60;
  const shown = all ? lines : lines.slice(0, most);
  return (
    <figure class="codebox">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <pre class="code diff" tabIndex={0}>
        {shown.map((line, i) => (
          <DiffRow key={i} line={line} />
        ))}
      </pre>
      {lines.length > most && (
        <button type="button" class="link more" onClick={() => setAll(!all)}>
          {all ? "Show less" : `Show all (${lines.length - most} more lines)`}
        </button>
      )}
    </figure>
  );
}

const SIGN = { add: "+", remove: "−", same: " ", head: "" } as const;

function DiffRow({ line }: { line: DiffLine }) {
  return (
    <span class={`diff-${line.kind}`}>
      <span class="diff-sign" aria-hidden={line.kind === "same"}>
        {SIGN[line.kind]}
      </span>
      {line.text}
      {"\n"}
    </span>
  );
}
