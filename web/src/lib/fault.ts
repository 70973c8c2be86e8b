/**
 * Which field of a form an error is about: daemons name it between backticks, as `retention.keep`, `redact[2]` or
 * ``parameter `text` ``. What names no field of the form belongs to the form as a whole.
 */
export function faultsByField(
  message: string,
  fields: readonly string[],
): { field?: string; index?: number; text: string } {
  for (const [, name = ""] of message.matchAll(/`([^`]+)`/g)) {
    const [, path = "", index] = /^([\w.]+)(?:\[(\d+)\])?/.exec(name) ?? [];
    const field = fields.find((one) => path === one || path.split(".").includes(one));
    if (field) return { field, ...(index ? { index: Number(index) } : {}), text: message };
  }
  return { text: message };
}
