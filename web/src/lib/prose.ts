/** A little Markdown, taken apart. */

export type Block =
  | { kind: "text" | "heading" | "code"; text: string }
  | { kind: "item"; mark: string; depth: number; text: string }
  | { kind: "table"; rows: string[][]; text: string };

export function blocks(text: string): Block[] {
  const found: Block[] = [];
  const lines = text.replace(/\r/g, "").split("\n");
  let open: string[] | undefined;
  for (const line of lines) {
    if (/^\s*```/.test(line)) {
      if (open) found.push({ kind: "code", text: open.join("\n") });
      open = open ? undefined : [];
    } else if (open) open.push(line);
    else add(found, line);
  }
  if (open) found.push({ kind: "code", text: open.join("\n") });
  return found.filter((block) => block.text.trim() !== "").map(asTable);
}

const RULE = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/;

/** Lines with bars whose second is a rule are a table; the first row is its head. */
function asTable(block: Block): Block {
  if (block.kind !== "text") return block;
  const [head = "", rule = "", ...body] = block.text.split("\n");
  const isTable =
    head.includes("|") && rule.includes("|") && RULE.test(rule) && body.every((row) => row.includes("|"));
  return isTable ? { kind: "table", rows: [head, ...body].map(cells), text: block.text } : block;
}

function cells(row: string): string[] {
  const bare = row.trim().replace(/^\|/, "").replace(/\|$/, "");
  return bare.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function add(found: Block[], line: string): void {
  const heading = /^#{1,6}\s+(.*)/.exec(line);
  const item = /^(\s*)([-*+]|\d+[.)])\s+(.*)/.exec(line);
  const last = found.at(-1);
  if (heading) found.push({ kind: "heading", text: heading[1] ?? "" });
  else if (item) {
    const [, indent = "", mark = "", rest = ""] = item;
    const depth = Math.min(4, Math.floor(indent.replaceAll("\t", "  ").length / 2));
    found.push({ kind: "item", mark: /\d/.test(mark) ? mark : "•", depth, text: rest });
  } else if (line.trim() === "") found.push({ kind: "text", text: "" });
  // A table may follow a line of text without a gap, and is a block of its own.
  else if (last?.kind === "text" && last.text && isBarred(line) === isBarred(last.text))
    last.text += `\n${line}`;
  else found.push({ kind: "text", text: line });
}

const isBarred = (text: string) => /^\s*\|/.test(text);

/** Text in spans: plain, `code`, **bold**. */
export function spans(text: string): ["plain" | "code" | "bold", string][] {
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
