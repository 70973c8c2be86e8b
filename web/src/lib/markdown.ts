/** Parser for a subset of Markdown. */

export type MarkdownBlock =
  | { kind: "text" | "heading" | "code"; text: string }
  | { kind: "item"; marker: string; depth: number; text: string }
  | { kind: "table"; rows: string[][]; text: string };

export function parseBlocks(text: string): MarkdownBlock[] {
  const found: MarkdownBlock[] = [];
  const lines = text.replace(/\r/g, "").split("\n");
  let fence: string[] | undefined;
  for (const line of lines) {
    if (/^\s*```/.test(line)) {
      if (fence) found.push({ kind: "code", text: fence.join("\n") });
      fence = fence ? undefined : [];
    } else if (fence) fence.push(line);
    else appendLine(found, line);
  }
  if (fence) found.push({ kind: "code", text: fence.join("\n") });
  return found.filter((block) => block.text.trim() !== "").map(tableFrom);
}

const TABLE_RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** Lines with bars form a table if the second line is a rule; the first line is the header. */
function tableFrom(block: MarkdownBlock): MarkdownBlock {
  if (block.kind !== "text") return block;
  const [head = "", rule = "", ...body] = block.text.split("\n");
  const isTable =
    head.includes("|") &&
    rule.includes("|") &&
    TABLE_RULE.test(rule) &&
    body.every((row) => row.includes("|"));
  return isTable ? { kind: "table", rows: [head, ...body].map(splitCells), text: block.text } : block;
}

function splitCells(row: string): string[] {
  const bare = row.trim().replace(/^\|/, "").replace(/\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function appendLine(found: MarkdownBlock[], line: string): void {
  const heading = /^#{1,6}\s+(.*)/.exec(line);
  const item = /^(\s*)([-*+]|\d+[.)])\s+(.*)/.exec(line);
  const last = found.at(-1);
  if (heading) found.push({ kind: "heading", text: heading[1] ?? "" });
  else if (item) {
    const [, indent = "", mark = "", rest = ""] = item;
    const depth = Math.min(4, Math.floor(indent.replaceAll("\t", "  ").length / 2));
    found.push({ kind: "item", marker: /\d/.test(mark) ? mark : "•", depth, text: rest });
  } else if (line.trim() === "") found.push({ kind: "text", text: "" });
  // A table may follow a paragraph without a blank line; it starts a new block.
  else if (last?.kind === "text" && last.text && startsWithBar(line) === startsWithBar(last.text))
    last.text += `\n${line}`;
  else found.push({ kind: "text", text: line });
}

const startsWithBar = (text: string) => /^\s*\|/.test(text);

/** Splits text into inline spans: plain, `code`, **bold**. */
export function parseInline(text: string): ["plain" | "code" | "bold", string][] {
  const found: ["plain" | "code" | "bold", string][] = [];
  let end = 0;
  for (const match of text.matchAll(/`([^`\n]+)`|\*\*([^*\n]+)\*\*/g)) {
    if (match.index > end) found.push(["plain", text.slice(end, match.index)]);
    found.push(match[1] === undefined ? ["bold", match[2] ?? ""] : ["code", match[1]]);
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push(["plain", text.slice(end)]);
  return found;
}
