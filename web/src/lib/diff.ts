/** Line diffs: parses unified diffs and computes the diff of two texts. */

export interface DiffLine {
  kind: "add" | "remove" | "same" | "head";
  text: string;
}

/** Parses a unified diff. File names and hunk headers have the kind `head`. */
export function parseDiff(text: string): DiffLine[] {
  return text.replace(/\n$/, "").split("\n").map(parseDiffLine);
}

function parseDiffLine(line: string): DiffLine {
  if (/^(---|\+\+\+|@@|diff |index |new file|deleted file)/.test(line)) return { kind: "head", text: line };
  if (line.startsWith("+")) return { kind: "add", text: line.slice(1) };
  if (line.startsWith("-")) return { kind: "remove", text: line.slice(1) };
  return { kind: "same", text: line.replace(/^ /, "") };
}

/** Limit of the LCS table. Above it, every old line counts as removed and every new line as added. */
const MAX_CELLS = 4_000_000;

/** The line diff of two texts, by longest common subsequence. */
export function diffLines(before: string, after: string): DiffLine[] {
  const a = splitLines(before);
  const b = splitLines(after);
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const same = (lines: string[]): DiffLine[] => lines.map((text) => ({ kind: "same", text }));
  return [
    ...same(a.slice(0, start)),
    ...diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...same(a.slice(a.length - end)),
  ];
}

function splitLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}

function diffMiddle(a: string[], b: string[]): DiffLine[] {
  const remove = (text: string): DiffLine => ({ kind: "remove", text });
  const add = (text: string): DiffLine => ({ kind: "add", text });
  if (a.length * b.length > MAX_CELLS) return [...a.map(remove), ...b.map(add)];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    const left = a[i];
    const right = b[j];
    if (left !== undefined && left === right) {
      lines.push({ kind: "same", text: left });
      i++;
      j++;
    } else if (left !== undefined && (right === undefined || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(remove(left));
      i++;
    } else if (right !== undefined) {
      lines.push(add(right));
      j++;
    }
  }
  return lines;
}
