/**
 * `<Prose text={answer} />`: what an agent wrote, with the little Markdown that reads better when it is drawn: headings,
 * lists, tables, fences, `code` and **bold**. All else is shown as it was typed. Nothing in it becomes a link or HTML.
 */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Block, blocks, spans } from "../lib/prose";
import { Code } from "./code";

const MOST = 4000;

export function Prose({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const isLong = text.length > MOST;
  return (
    <div class="prose">
      {blocks(isLong && !all ? text.slice(0, MOST) : text).map((block, i) => (
        <Drawn key={i} block={block} />
      ))}
      {isLong && (
        <button type="button" class="link more" onClick={() => setAll(!all)}>
          {all ? "Show less" : "Show all"}
        </button>
      )}
    </div>
  );
}

function Drawn({ block }: { block: Block }) {
  switch (block.kind) {
    case "code":
      return <Code text={block.text} />;
    case "heading":
      return <p class="prose-heading">{inline(block.text)}</p>;
    case "item":
      return (
        <p class="prose-item" style={{ marginLeft: `${block.depth * 18}px` }}>
          <span class="quiet">{block.mark}</span> <span>{inline(block.text)}</span>
        </p>
      );
    case "table":
      return <Table rows={block.rows} />;
    default:
      return <p>{inline(block.text)}</p>;
  }
}

function Table({ rows: [head, ...body] }: { rows: string[][] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
    <div class="prose-table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {head?.map((cell, i) => (
              <th key={i} scope="col">
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, i) => (
            <tr key={i}>
              {row.map((cell, j) => (
                <td key={j}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(text: string): ComponentChildren {
  return spans(text).map(([kind, span], i) => {
    if (kind === "code") return <code key={i}>{span}</code>;
    if (kind === "bold") return <strong key={i}>{span}</strong>;
    return span;
  });
}
