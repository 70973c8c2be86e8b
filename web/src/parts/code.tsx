/**
 * Code, diffs and the copy button.
 *
 *     <CodeBlock text={prettyJson(input)} lang="json" />     long texts are truncated, with "Show all"
 *     <DiffBlock text={plan.diff} />                         a unified diff
 *     <DiffBlock before="a\n" after="b\n" />                 the diff of two texts
 *     <CopyButton text="becket init" />
 */
import { useState } from "preact/hooks";
import { type DiffLine, diffLines, parseDiff } from "../lib/diff";
import { jsonTokens } from "../lib/json-tokens";
import { toast } from "./toast";

export function CopyButton({ text, label = "Copy" }: { text: string; label?: string }) {
  const [done, setDone] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setDone(true);
      setTimeout(() => setDone(false), 1500);
    } catch {
      toast("The browser does not allow this page to copy.", "deny");
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

const MAX_LINES = 14;
const MAX_CHARS = 1800;

/** Cuts a long text after some lines or characters. */
export function truncate(text: string, lines = MAX_LINES, chars = MAX_CHARS): string {
  let end = -1;
  for (let i = 0; i < lines; i++) {
    end = text.indexOf("\n", end + 1);
    if (end < 0) break;
  }
  return text.slice(0, Math.min(end < 0 ? text.length : end, chars));
}

export function CodeBlock({
  text,
  lang = "text",
  label,
  full = false,
}: {
  text: string;
  lang?: "json" | "text";
  label?: string;
  /** Show the whole text. */
  full?: boolean;
}) {
  const [all, setAll] = useState(full);
  const shown = all ? text : truncate(text);
  const hidden = text.length - shown.length;
  return (
    <figure class="codebox">
      {label && <figcaption>{label}</figcaption>}
      <CopyButton text={text} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <pre class="code" tabIndex={0}>
        {lang === "json"
          ? jsonTokens(shown).map(([kind, piece], i) =>
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
      {(hidden > 0 || (all && !full)) && (
        <button type="button" class="link more" onClick={() => setAll(!all)}>
          {all
            ? "Show less"
            : `Show all (${hidden.toLocaleString("en").replaceAll(",", "\u202f")} more characters)`}
        </button>
      )}
    </figure>
  );
}

export function DiffBlock(props: { text: string } | { before: string; after: string }) {
  const lines = "text" in props ? parseDiff(props.text) : diffLines(props.before, props.after);
  const [all, setAll] = useState(false);
  const max = 60;
  const shown = all ? lines : lines.slice(0, max);
  return (
    <figure class="codebox">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <pre class="code diff" tabIndex={0}>
        {shown.map((line, i) => (
          <DiffRow key={i} line={line} />
        ))}
      </pre>
      {lines.length > max && (
        <button type="button" class="link more" onClick={() => setAll(!all)}>
          {all ? "Show less" : `Show all (${lines.length - max} more lines)`}
        </button>
      )}
    </figure>
  );
}

const DIFF_SIGN = { add: "+", remove: "−", same: " ", head: "" } as const;

function DiffRow({ line }: { line: DiffLine }) {
  return (
    <span class={`diff-${line.kind}`}>
      <span class="diff-sign" aria-hidden={line.kind === "same"}>
        {DIFF_SIGN[line.kind]}
      </span>
      {line.text}
      {"\n"}
    </span>
  );
}
