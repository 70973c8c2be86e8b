/** What is wrong with what somebody typed into a setting; nothing if it makes sense. */

/** A number and `d` or `w`; empty is for ever. */
export function keepFault(text: string): string | undefined {
  const keep = text.trim();
  if (!keep) return undefined;
  const [, number, unit] = /^(\d+)\s*([a-z]*)$/i.exec(keep) ?? [];
  if (!number) return "Write a number of days or weeks, such as 90d.";
  if (unit !== "d" && unit !== "w") return `Add d for days or w for weeks: ${number}d.`;
  if (Number(number) === 0) return "At least one day.";
  return undefined;
}

export function portFault(text: string): string | undefined {
  const port = text.trim();
  if (!port) return undefined;
  if (!/^\d+$/.test(port) || Number(port) > 65_535) return "A number from 1024 to 65535, or nothing.";
  if (Number(port) !== 0 && Number(port) < 1024) return "Ports below 1024 belong to the system.";
  return undefined;
}
