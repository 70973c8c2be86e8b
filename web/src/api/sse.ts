/** Parser for server-sent events that arrive in chunks of any size. */

export interface SseEvent {
  /** The event type; `message` if the event has none. */
  name: string;
  id: string | undefined;
  data: string;
}

/** Buffers chunks of text and returns the events that they complete. */
export class SseParser {
  private buffer = "";

  push(piece: string): SseEvent[] {
    this.buffer += piece;
    const events: SseEvent[] = [];
    for (;;) {
      const end = /\r?\n\r?\n/.exec(this.buffer);
      if (!end) return events;
      const event = parseBlock(this.buffer.slice(0, end.index));
      this.buffer = this.buffer.slice(end.index + end[0].length);
      if (event) events.push(event);
    }
  }
}

/** Parses one block of lines. Blocks without data, such as keep-alive comments, give `undefined`. */
function parseBlock(block: string): SseEvent | undefined {
  const event: SseEvent = { name: "message", id: undefined, data: "" };
  const data: string[] = [];
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") data.push(value);
    else if (field === "id") event.id = value;
    else if (field === "event") event.name = value;
  }
  if (data.length === 0) return undefined;
  event.data = data.join("\n");
  return event;
}
