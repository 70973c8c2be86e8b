/**
 * `<Markdown text={answer} />`: renders an agent's text with headings, lists, tables, fences, `code` and **bold**.
 * Everything else stays plain text. Links and HTML are never rendered.
 */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type MarkdownBlock, parseBlocks, parseInline } from "../lib/markdown";
import { CodeBlock } from "./code";

const MAX_CHARS = 4000;

export function Markdown({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const isLong = text.length > MAX_CHARS;
  return (
    <div class="prose">
      {parseBlocks(isLong && !all ? text.slice(0, MAX_CHARS) : text).map((block, i) => (
        <MarkdownNode key={i} block={block} />
      ))}
      {isLong && (
        <button type="button" class="link more" onClick={() => setAll(!all)}>
          {all ? "Show less" : "Show all"}
        </button>
      )}
    </div>
  );
}

function MarkdownNode({ block }: { block: MarkdownBlock }) {
  switch (block.kind) {
    case "code":
      return <CodeBlock text={block.text} />;
    case "heading":
      return <p class="prose-heading">{renderInline(block.text)}</p>;
    case "item":
      return (
        <p class="prose-item" style={{ marginLeft: `${block.depth * 18}px` }}>
          <span class="quiet">{block.marker}</span> <span>{renderInline(block.text)}</span>
        </p>
      );
    case "table":
      return <MarkdownTable rows={block.rows} />;
    default:
      return <p>{renderInline(block.text)}</p>;
  }
}

function MarkdownTable({ rows: [head, ...body] }: { rows: string[][] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard
    <div class="prose-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head?.map((cell, i) => (
              <th key={i} scope="col">
                {renderInline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>{renderInline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function renderInline(text: string): ComponentChildren {
  return parseInline(text).map(([kind, span], i) => {
    if (kind === "code") return <code key={i}>{span}</code>;
    if (kind === "bold") return <strong key={i}>{span}</strong>;
    return span;
  });
}
