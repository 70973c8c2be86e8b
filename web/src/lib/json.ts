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
  } catch {
    return { error: fault(text) };
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

/** Browsers do not all tell the place of a fault, so it is looked for here. */
function fault(text: string): string {
  const reader = new Reader(text);
  try {
    reader.value();
    reader.end();
  } catch (found) {
    if (!(found instanceof Fault)) throw found;
    const before = text.slice(0, found.at).split("\n");
    return `Line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${found.message}.`;
  }
  return "This is not JSON.";
}

class Fault extends Error {
  constructor(
    readonly at: number,
    message: string,
  ) {
    super(message);
  }
}

const MOST_DEEP = 200;

/** Goes through a text as far as it is JSON; throws a `Fault` at the first place where it is not. */
class Reader {
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
    if (this.at < this.text.length) this.fail("nothing may follow the closing bracket");
  }

  private members(close: string, one: () => void): void {
    if (++this.depth > MOST_DEEP) this.fail("this is nested too deeply");
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
    if (this.text[this.at] !== '"') this.fail('expected a name between "');
    this.string();
    this.space();
    if (this.text[this.at] !== ":") this.fail("expected : after the name");
    this.at++;
    this.value();
  }

  private string(): void {
    const found = this.take(/"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/uy);
    this.at += found.length;
    if (this.text[this.at] === '"') this.at++;
    else this.fail(this.text[this.at] === "\\" ? "this escape is unknown" : 'expected a closing "');
  }

  private word(): void {
    const found = this.take(/-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y);
    if (!found) this.fail("expected a value");
    this.at += found.length;
  }

  private space(): void {
    this.at += this.take(/[ \t\r\n]*/y).length;
  }

  private take(what: RegExp): string {
    what.lastIndex = this.at;
    return what.exec(this.text)?.[0] ?? "";
  }

  private fail(message: string): never {
    throw new Fault(this.at, this.at < this.text.length ? message : `${message}, and there is no more`);
  }
}
