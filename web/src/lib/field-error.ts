/**
 * Finds the form field that an error message is about. The daemon names it in backticks, such as `retention.keep`,
 * `redact[2]` or ``parameter `text` ``. Without a known field, the error belongs to the whole form.
 */
export function locateFieldError(
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
