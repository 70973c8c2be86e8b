/** Parses JSON that the user types. */

export type ParsedObject =
  | { value: Record<string, unknown>; error?: undefined }
  | { value?: undefined; error: string };

/** Parses an object, or returns an error with line and column. */
export function parseObject(text: string): ParsedObject {
  if (!text.trim()) return { error: "Enter an object, such as {}." };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { error: syntaxError(text) };
  }
  if (value === null || typeof value !== "object" || Array.isArray(value))
    return { error: `Expected an object, such as {"command": "ls"}; found ${typeName(value)}.` };
  return { value: value as Record<string, unknown> };
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return `a ${typeof value}`;
}

/** Locates the syntax error. Not every browser reports its position. */
function syntaxError(text: string): string {
  const reader = new JsonScanner(text);
  try {
    reader.value();
    reader.end();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    const before = text.slice(0, error.offset).split("\n");
    return `Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${error.message}.`;
  }
  return "Not valid JSON.";
}

class JsonSyntaxError extends Error {
  constructor(
    readonly offset: number,
    message: string,
  ) {
    super(message);
  }
}

const MAX_DEPTH = 200;

/** Scans JSON and throws a `JsonSyntaxError` at the first invalid character. */
class JsonScanner {
  private at = 0;
  private depth = 0;

  constructor(private readonly text: string) {}

  value(): void {
    this.space();
    const next = this.text[this.at];
    if (next === "{") this.members("}", () => this.member());
    else if (next === "[") this.members("]", () => this.value());
    else if (next === '"') this.string();
    else this.word();
  }

  end(): void {
    this.space();
    if (this.at < this.text.length) this.fail("unexpected text after the closing bracket");
  }

  private members(close: string, one: () => void): void {
    if (++this.depth > MAX_DEPTH) this.fail("nested too deeply");
    this.at++;
    this.space();
    if (this.text[this.at] === close) this.at++;
    else {
      for (;;) {
        one();
        this.space();
        const next = this.text[this.at];
        if (next !== "," && next !== close) this.fail(`expected , or ${close}`);
        this.at++;
        if (next === close) break;
      }
    }
    this.depth--;
  }

  private member(): void {
    this.space();
    if (this.text[this.at] !== '"') this.fail('expected a key in "');
    this.string();
    this.space();
    if (this.text[this.at] !== ":") this.fail("expected : after the key");
    this.at++;
    this.value();
  }

  private string(): void {
    const found = this.take(/"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/uy);
    this.at += found.length;
    if (this.text[this.at] === '"') this.at++;
    else this.fail(this.text[this.at] === "\\" ? "unknown escape" : 'expected a closing "');
  }

  private word(): void {
    const found = this.take(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y);
    if (!found) this.fail("expected a value");
    this.at += found.length;
  }

  private space(): void {
    this.at += this.take(/[ \t\r\n]*/y).length;
  }

  private take(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    return pattern.exec(this.text)?.[0] ?? "";
  }

  private fail(message: string): never {
    throw new JsonSyntaxError(
      this.at,
      this.at < this.text.length ? message : `${message}, but the text ends here`,
    );
  }
}
