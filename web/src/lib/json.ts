/** JSON that somebody types. */

export type Typed =
  | { value: Record<string, unknown>; error?: undefined }
  | { value?: undefined; error: string };

/** An object, or what keeps the text from being one, with line and column. */
export function readObject(text: string): Typed {
  if (!text.trim()) return { error: "Write an object, such as {}." };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { error: fault(text, error instanceof Error ? error.message : String(error)) };
  }
  if (value === null || typeof value !== "object" || Array.isArray(value))
    return { error: `This is ${kind(value)}; it has to be an object, such as {"command": "ls"}.` };
  return { value: value as Record<string, unknown> };
}

function kind(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return `a ${typeof value}`;
}

/** Browsers word it differently; some tell a place, some a line and column. */
function fault(text: string, message: string): string {
  const told = /line (\d+) column (\d+)/.exec(message);
  const position = /position (\d+)/.exec(message);
  const what = message
    .replace(/^JSON\.parse: /, "")
    .replace(/,? ?"[\s\S]*" is not valid JSON$/, "")
    .replace(/ (in JSON )?(at|of) (position|line)[\s\S]*$/, "")
    .replace(/ of the JSON data$/, "");
  if (told) return `Line ${told[1]}, column ${told[2]}: ${what}.`;
  const at = position ? Number(position[1]) : /end of/.test(message) ? text.length : undefined;
  if (at === undefined) return `${what}.`;
  const before = text.slice(0, at).split("\n");
  return `Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${what}.`;
}
