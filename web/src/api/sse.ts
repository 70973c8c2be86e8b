/** Server-sent events as they come over the wire, in whatever pieces. */

export interface Told {
  /** The kind of event; `message` unless it has a name. */
  name: string;
  id: string | undefined;
  data: string;
}

/** Takes pieces of text and gives the events that they complete. */
export class SseReader {
  private rest = "";

  push(piece: string): Told[] {
    this.rest += piece;
    const told: Told[] = [];
    for (;;) {
      const end = /\r?\n\r?\n/.exec(this.rest);
      if (!end) return told;
      const event = read(this.rest.slice(0, end.index));
      this.rest = this.rest.slice(end.index + end[0].length);
      if (event) told.push(event);
    }
  }
}

/** One block of lines; nothing if it has no data, such as the comments that keep a connection alive. */
function read(block: string): Told | undefined {
  const told: Told = { name: "message", id: undefined, data: "" };
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "id") told.id = value;
    else if (field === "event") told.name = value;
  }
  if (data.length === 0) return undefined;
  told.data = data.join("\n");
  return told;
}
